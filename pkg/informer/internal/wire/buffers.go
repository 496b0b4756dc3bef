package wire

import "sync"

// maxSpare is the longest buffer that is kept for another value. etcd refuses objects above 1.5 MiB
// by default.
const maxSpare = 4 << 20

// spareBuffers are buffers that busy streams have released, for the next stream or the next large
// value. The collector frees those that were not used for two of its cycles, so that they hold
// memory hardly longer than a dropped buffer would.
var spareBuffers struct{ busy, large sync.Pool }

// takeBuffer returns a buffer of at least size bytes, with any content. No object refers to a
// stream's buffer, so that what another stream had in it is nowhere else.
func takeBuffer(size int) []byte {
	pool := &spareBuffers.large
	if size <= busyBuffer {
		pool = &spareBuffers.busy
	}
	if spare, _ := pool.Get().(*[]byte); spare != nil && len(*spare) >= size {
		return *spare
	}
	return make([]byte, size)
}

// release gives up the buffer, which must be empty.
func (s *stream) release() {
	switch spare := s.buf; {
	case len(spare) == busyBuffer:
		spareBuffers.busy.Put(&spare)
	case len(spare) > busyBuffer && len(spare) <= maxSpare:
		spareBuffers.large.Put(&spare)
	}
	s.buf = nil
}
