package webhook

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/httpsink"
)

// writeBatch sends messages in as many requests as needed, within one timeout.
func (s *Sink) writeBatch(ctx context.Context, messages []sink.Message) []error {
	deadline := time.Now().Add(s.config.Timeout)
	return s.batches.Write(len(messages), func(from, to int) (int, error) {
		body, n := batchOf(messages[from:to])
		return n, s.postBatch(ctx, deadline, messages[from:from+n], body)
	})
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
	return sink.ErrorOf(fmt.Sprintf("webhook: batch of %d", len(messages)),
		s.post(ctx, httpsink.Request{Deadline: deadline, Body: body,
			Header: http.Header{"Content-Type": {cloudevent.BatchContentType}}}, s.batchID(messages)))
}
