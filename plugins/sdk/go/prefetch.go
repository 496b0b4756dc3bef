package informerd

import (
	"encoding/binary"
	"fmt"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// The layout of the prefetched fields: a head, one entry for each field, the fields' texts.
const (
	prefetchHead  = 4
	prefetchEntry = 12 // tag, length and offset
	maxDefault    = 16 // compiled paths; more are prefetched only if the handler calls Prefetch
)

var (
	prefetchBuffer [4096]byte // written by the host before each event
	prefetchCalled bool       // the handler called Prefetch
	compiled       []*FieldPath
)

// Prefetch makes the host pass these fields of each event's object along with the event, so that
// reading them takes no host call. Only Handler.Configure may call it; the last call counts.
//
// Without it the SDK prefetches all paths compiled by the end of Configure, if there are at most
// 16. Prefetching saves the call; finding a field takes the host as long as before, whether it is
// read or not. A handler that reads all of its fields for each event therefore takes about four
// fifths of the time. One that reads two of 16, and drops most events then, takes several times as
// long, the more the larger the objects are: it should prefetch those two, or none. See
// BenchmarkGoFields in pkg/plugins.
//
// A field that is not prefetched, does not fit into the buffer for all of them (4 KB), or belongs
// to Old or to an object of a cache is read with a host call.
func Prefetch(paths ...*FieldPath) error {
	if !configuring {
		return &callError{"prefetch: fields can be named in Configure only", ErrWrongPhase}
	}
	prefetchCalled = true
	return prefetch(paths)
}

// prefetchCompiled runs unless the handler calls Prefetch.
func prefetchCompiled() error {
	if prefetchCalled || len(compiled) == 0 || len(compiled) > maxDefault {
		return nil
	}
	return prefetch(compiled)
}

func prefetch(paths []*FieldPath) error {
	for _, p := range compiled {
		p.prefetchAt = 0
	}
	handles := make([]uint32, len(paths))
	for i, p := range paths {
		handles[i] = p.use()
	}
	if s := host.EventPrefetch(prefetchBuffer[:], handles); s < 0 {
		err := statusError(s)
		return &callError{fmt.Sprintf("prefetch of %d fields: %s", len(paths), err), err}
	}
	for i, p := range paths {
		p.prefetchAt = prefetchHead + prefetchEntry*i
	}
	return nil
}

// readPrefetched returns a field from the prefetch buffer, if it fitted there.
func (p *FieldPath) readPrefetched() (kind Kind, text []byte, ok bool) {
	entry := prefetchBuffer[p.prefetchAt : p.prefetchAt+prefetchEntry]
	length, offset := binary.LittleEndian.Uint32(entry[4:]), binary.LittleEndian.Uint32(entry[8:])
	if offset == 0 && length > 0 {
		return Missing, nil, false
	}
	return Kind(binary.LittleEndian.Uint32(entry)), prefetchBuffer[offset : offset+length], true
}
