package reflector

import (
	"io"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer/event"
)

// heard is what has come from the API server. It is noted once for each read, not for each event.
type heard struct {
	bytes atomic.Uint64
	last  atomic.Int64 // an event.Instant
}

// now notes that something has come.
func (h *heard) now() { h.last.Store(int64(event.Now())) }

// arrived returns when something last came: what is parsed arrived then, as a stream is parsed as
// far as possible before it is read further.
func (h *heard) arrived() event.Instant { return event.Instant(h.last.Load()) }

// of returns the body of an answer that notes what is read.
func (h *heard) of(body io.ReadCloser) io.ReadCloser { return heardBody{body, h} }

type heardBody struct {
	io.ReadCloser
	heard *heard
}

// Read reads, and notes what came.
func (b heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.heard.bytes.Add(uint64(n))
		b.heard.now()
	}
	return n, err
}
