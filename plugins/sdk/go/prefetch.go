package informerd

import (
	"encoding/binary"
	"fmt"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// The layout of what the host gives ahead: a head, one entry for each field, the fields' texts.
const (
	aheadHead  = 4
	aheadEntry = 12 // tag, length and offset
	aheadPaths = 16 // more are not given ahead unless the handler says so
)

var (
	aheadBuffer [4096]byte // the host writes it before each event
	asked       bool       // the handler called Prefetch
	compiled    []*FieldPath
)

// Prefetch has the host give these fields of each event's object ahead, so that reading them takes
// no call of the host. Only Handler.Configure may call it; the last call counts.
//
// Without it the SDK prefetches all paths that were compiled by the end of Configure, if they are
// at most 16. Finding a field takes the host as long as ever, whether it is read or not; it is the
// call that is saved. So a handler that reads all of its fields for each event takes about four
// fifths of the time, but one that reads two of 16, and drops most events then, takes several times
// as long, the more the larger the objects are: let it name those two, or none at all. See
// BenchmarkGoFields in pkg/plugins.
//
// A field that is not given ahead, does not fit into the room for all (4 KB), or belongs to Old or
// to an object of a cache is read with a call, as ever.
func Prefetch(paths ...*FieldPath) error {
	if !configuring {
		return &callError{"prefetch: fields can be named in Configure only", ErrWrongPhase}
	}
	asked = true
	return prefetch(paths)
}

// prefetchCompiled is what happens unless the handler calls Prefetch.
func prefetchCompiled() error {
	if asked || len(compiled) == 0 || len(compiled) > aheadPaths {
		return nil
	}
	return prefetch(compiled)
}

func prefetch(paths []*FieldPath) error {
	for _, p := range compiled {
		p.ahead = 0
	}
	handles := make([]uint32, len(paths))
	for i, p := range paths {
		handles[i] = p.use()
	}
	if s := host.EventPrefetch(aheadBuffer[:], handles); s < 0 {
		err := statusError(s)
		return &callError{fmt.Sprintf("prefetch of %d fields: %s", len(paths), err), err}
	}
	for i, p := range paths {
		p.ahead = aheadHead + aheadEntry*i
	}
	return nil
}

// readAhead finds a field in what the host has written, if there was room for it.
func (p *FieldPath) readAhead() (kind Kind, text []byte, ok bool) {
	entry := aheadBuffer[p.ahead : p.ahead+aheadEntry]
	length, offset := binary.LittleEndian.Uint32(entry[4:]), binary.LittleEndian.Uint32(entry[8:])
	if offset == 0 && length > 0 {
		return Missing, nil, false
	}
	return Kind(binary.LittleEndian.Uint32(entry)), aheadBuffer[offset : offset+length], true
}
