//go:build !linux && !darwin && !freebsd

package plugins

type space = *heapSpace

// heapSpace is memory of Go's heap, as there is no way here to reserve addresses without it. It
// grows by being copied.
type heapSpace struct {
	bytes []byte
	limit uint64
}

func reserve(limit int64) (*heapSpace, error) { return &heapSpace{limit: uint64(limit)}, nil }

func (s *heapSpace) grow(size uint64) []byte {
	if size > s.limit {
		return nil
	}
	s.bytes = append(s.bytes, make([]byte, size-uint64(len(s.bytes)))...)
	return s.bytes
}

func (s *heapSpace) free() { s.bytes = nil }
