package httpsink

import (
	"net/http"
	"sync/atomic"

	"github.com/informerd/informerd/internal/sink"
)

// Batches finds how many messages a receiver takes in one request. It is safe for concurrent use;
// make it with NewBatches.
//
// A request that the receiver refuses may have one bad message in it, so the next one is half as
// long, and twice as long again once one was taken. That is kept for the next call: if its time
// ends first, that goes on where this one stopped.
type Batches struct {
	most int64
	fits atomic.Int64
}

// NewBatches starts with requests of the most messages that they may have.
func NewBatches(most int) *Batches {
	b := &Batches{most: int64(most)}
	b.fits.Store(b.most)
	return b
}

// Write sends n messages in as many requests as needed, one after the other. The function sends
// those from one on, as many of the next as it can but at least one, and returns how many that were
// and the error of Post. Write returns what Write of a sink does.
func (b *Batches) Write(n int, send func(from, to int) (sent int, err error)) (errs []error) {
	fail := func(from, to int, err error) {
		if errs == nil {
			errs = make([]error, n)
		}
		for i := from; i < to; i++ {
			errs[i] = err
		}
	}
	for at := 0; at < n; {
		fits := b.fits.Load()
		sent, err := send(at, min(at+int(fits), n))
		switch {
		case err == nil && int64(sent) >= fits:
			b.fits.Store(min(2*fits, b.most))
		case err == nil:
		case !sink.IsPermanent(err):
			fail(at, n, err)
			return errs
		case sent > 1 && aboutMessages(err):
			b.fits.Store(int64(sent / 2))
			continue
		default:
			fail(at, at+sent, err)
		}
		at += sent
	}
	return errs
}

// aboutMessages reports whether a refusal may be about some of the messages only. The other
// statuses are about the sender or the URL.
func aboutMessages(err error) bool {
	switch status := statusOf(err); status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusGone:
		return false
	default:
		return status/100 == 4 || status/100 == 2
	}
}
