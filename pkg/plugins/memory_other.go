//go:build !linux && !darwin && !freebsd

package plugins

type space = *heapSpace

// heapSpace is memory of Go's heap, as there is no way here to reserve addresses without it. It
// grows by being copied.
type heapSpace struct {
	bytes []byte
	most  uint64
}

func reserve(most int64) (*heapSpace, error) { return &heapSpace{most: uint64(most)}, nil }

func (s *heapSpace) grow(size uint64) []byte {
	if size > s.most {
		return nil
	}
	s.bytes = append(s.bytes, make([]byte, size-uint64(len(s.bytes)))...)
	return s.bytes
}

func (s *heapSpace) free() { s.bytes = nil }
