//go:build !wasip1

package informerdtest

import (
	"encoding/binary"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// pulling is what on_batch works on.
type pulling struct {
	events  []Event  // all of them
	results []Result // of those before the one at hand
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
	log := f.result.Log // from before the first
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

// settle notes what became of the batch's event at hand.
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

// prefetch is what is written to the guest before each event.
type prefetch struct {
	buf     []byte
	handles []uint32
}

const (
	aheadHead  = 4
	aheadEntry = 12
	aheadOld   = 1 << 16 // added to a handle, it is the old object's field
)

func (f *fake) EventPrefetch(buf []byte, handles []uint32) int32 {
	if f.phase != configuring {
		return wrongPhase
	}
	if len(handles) > 512 || len(handles) > 0 && len(buf) < aheadHead+aheadEntry*len(handles) {
		return badArgument
	}
	for _, handle := range handles {
		if int(handle&^aheadOld) >= len(f.paths) {
			return badArgument
		}
	}
	f.prefetch = prefetch{buf, append([]uint32(nil), handles...)}
	return 0
}

// writeAhead writes the fields of the event at hand.
func (f *fake) writeAhead() {
	p := &f.prefetch
	if len(p.handles) == 0 {
		return
	}
	binary.LittleEndian.PutUint32(p.buf, uint32(len(p.handles)))
	free := aheadHead + aheadEntry*len(p.handles)
	for i, handle := range p.handles {
		kind, text := f.valueOf(f.object(handle/aheadOld), handle%aheadOld)
		offset := free
		if len(text) > len(p.buf)-free {
			offset = 0
		} else {
			free += copy(p.buf[free:], text)
		}
		for n, number := range []int{int(kind), len(text), offset} {
			binary.LittleEndian.PutUint32(p.buf[aheadHead+aheadEntry*i+4*n:], uint32(number))
		}
	}
}
