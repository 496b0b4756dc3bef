package webhook

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// What receivers read batches with reads one of any size.
func TestBatchOf(t *testing.T) {
	for _, names := range [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}} {
		messages := pods(t, names...)
		body, n := batchOf(messages)
		events, err := cehttp.NewEventsFromHTTPRequest(&http.Request{Body: io.NopCloser(bytes.NewReader(body)),
			Header: http.Header{"Content-Type": {cloudevent.BatchContentType}}})
		if err != nil || n != len(names) || len(events) != n {
			t.Fatalf("%d events of %d messages, %v: %s", len(events), n, err, body)
		}
		for i, e := range events {
			if e.ID() != messages[i].ID || e.Subject() != messages[i].Subject {
				t.Errorf("event %d of %d: %v", i, n, e)
			}
		}
	}
}
