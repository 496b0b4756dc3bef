//go:build !wasip1

package informerdtest

import (
	"encoding/binary"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// batchState is the batch that on_batch works on.
type batchState struct {
	events  []Event  // all of them
	results []Result // of the events before the current one
	pulled  int
	record  *host.Record
}

func (f *fake) EventNext(r *host.Record) int32 {
	b := &f.batch
	if f.phase != batch && (f.phase != event || b.events == nil) {
		return wrongPhase
	}
	f.settle()
	if b.pulled == len(b.events) {
		return notFound
	}
	log := f.result.Log // written before the first event
	if b.pulled > 0 {
		log = nil
	}
	f.begin(b.events[b.pulled], event)
	f.result.Log = log
	b.pulled, b.record = b.pulled+1, r
	op, flags, objectLen, oldLen := f.arguments()
	*r = host.Record{int32(op), int32(flags), int32(objectLen), int32(oldLen), host.AsBatch}
	return host.RecordSize
}

// settle records the result of the batch's current event.
func (f *fake) settle() {
	if f.phase != event {
		return
	}
	b := &f.batch
	f.result.Verdict = informerd.Verdict(b.record[host.Verdict])
	b.results = append(b.results, f.result)
	f.result = Result{}
	f.end()
	f.phase = batch
}

// prefetch is where fields are written before each event.
type prefetch struct {
	buf     []byte
	handles []uint32
}

const (
	prefetchHead  = 4
	prefetchEntry = 12
	prefetchOld   = 1 << 16 // set in a handle, it denotes the old object's field
)

func (f *fake) EventPrefetch(buf []byte, handles []uint32) int32 {
	if f.phase != configuring {
		return wrongPhase
	}
	if len(handles) > 512 || len(handles) > 0 &&
		len(buf) < prefetchHead+prefetchEntry*len(handles) {
		return badArgument
	}
	for _, handle := range handles {
		if int(handle&^prefetchOld) >= len(f.paths) {
			return badArgument
		}
	}
	f.prefetch = prefetch{buf, append([]uint32(nil), handles...)}
	return 0
}

// writePrefetched writes the prefetched fields of the current event.
func (f *fake) writePrefetched() {
	p := &f.prefetch
	if len(p.handles) == 0 {
		return
	}
	binary.LittleEndian.PutUint32(p.buf, uint32(len(p.handles)))
	free := prefetchHead + prefetchEntry*len(p.handles)
	for i, handle := range p.handles {
		kind, text := f.valueOf(f.object(handle/prefetchOld), handle%prefetchOld)
		offset := free
		if len(text) > len(p.buf)-free {
			offset = 0
		} else {
			free += copy(p.buf[free:], text)
		}
		for n, number := range []int{int(kind), len(text), offset} {
			binary.LittleEndian.PutUint32(p.buf[prefetchHead+prefetchEntry*i+4*n:], uint32(number))
		}
	}
}
