package wire

import "sync"

// maxSpare is the longest buffer that is kept for another value. etcd refuses objects above 1.5 MiB
// by default.
const maxSpare = 4 << 20

// spareBuffers are what busy streams have released, for the next stream or the next large value.
// The collector takes what nobody has asked for since its last cycle but one, so that they hold no
// memory that a dropped buffer would not have held nearly as long.
var spareBuffers struct{ busy, large sync.Pool }

// takeBuffer returns a buffer of at least size bytes, with anything in it. No object refers to a
// stream's buffer, so what another stream had in it is nowhere else.
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

// release lets go of the buffer, in which nothing may be left.
func (s *stream) release() {
	switch spare := s.buf; {
	case len(spare) == busyBuffer:
		spareBuffers.busy.Put(&spare)
	case len(spare) > busyBuffer && len(spare) <= maxSpare:
		spareBuffers.large.Put(&spare)
	}
	s.buf = nil
}
