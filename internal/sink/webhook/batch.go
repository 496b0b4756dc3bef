package webhook

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/internal/httpsink"
)

// writeBatch sends messages in as many requests as needed, one after the other. A batch that the
// receiver refuses may have one bad message in it, so the next one is half as long, and twice as
// long again once one was taken. How long it may be is kept for the next call: if the time ends
// first, that goes on where this one stopped.
func (s *Sink) writeBatch(ctx context.Context, messages []sink.Message) []error {
	deadline := time.Now().Add(s.config.Timeout)
	var errs []error
	fail := func(from, to int, err error) {
		if errs == nil {
			errs = make([]error, len(messages))
		}
		for i := from; i < to; i++ {
			errs[i] = err
		}
	}
	for at := 0; at < len(messages); {
		n := min(int(s.fits.Load()), len(messages)-at)
		body, n := batchOf(messages[at : at+n])
		err := s.postBatch(ctx, deadline, messages[at:at+n], body)
		switch {
		case err == nil && int64(n) >= s.fits.Load():
			s.fits.Store(int64(min(2*n, s.config.Events)))
		case err == nil:
		case !sink.IsPermanent(err):
			fail(at, len(messages), err)
			return errs
		case n > 1 && aboutMessages(err):
			s.fits.Store(int64(n / 2))
			continue
		default:
			fail(at, at+n, err)
		}
		at += n
	}
	return errs
}

// batchOf returns the body for as many of the messages as one request may have, at least one, and
// how many these are.
func batchOf(messages []sink.Message) (body []byte, n int) {
	size := 2
	for ; n < len(messages) && (n == 0 || size < maxBatchBytes); n++ {
		size += estimate(&messages[n])
	}
	body = append(make([]byte, 0, min(size, maxBatchBytes)), '[')
	for i := range messages[:n] {
		before := len(body)
		if i > 0 {
			body = append(body, ',')
		}
		body = cloudevent.Append(body, messages[i])
		if i > 0 && len(body) >= maxBatchBytes {
			return append(body[:before], ']'), i
		}
	}
	return append(body, ']'), n
}

func (s *Sink) postBatch(ctx context.Context, deadline time.Time, messages []sink.Message,
	body []byte) error {
	err := s.post(ctx, httpsink.Request{Deadline: deadline, Body: body,
		Header: http.Header{"Content-Type": {cloudevent.BatchContentType}}}, batchID(messages))
	if err != nil {
		return fmt.Errorf("webhook: batch of %d: %w", len(messages), err)
	}
	return nil
}

// aboutMessages reports whether a refusal may be about some of the messages only. The other
// statuses are about the sender or the URL.
func aboutMessages(err error) bool {
	switch status := httpsink.StatusOf(err); status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusGone:
		return false
	default:
		return status/100 == 4
	}
}
