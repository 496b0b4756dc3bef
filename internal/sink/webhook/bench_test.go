package webhook

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/informer/event"
)

// BenchmarkWrite writes updates of pods with 3 KB each to a server in the same process, as many
// calls at a time as Pace says.
func BenchmarkWrite(b *testing.B) {
	for name, config := range map[string]Config{
		"structured": {}, "binary": {Mode: Binary}, "batch": {Mode: Batch},
	} {
		b.Run(name, func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
				r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
			}))
			defer server.Close()
			s := open(b, server.URL, config)
			messages := largePods(b, s.Pace().Batch)
			b.ReportAllocs()
			b.ResetTimer()
			var group sync.WaitGroup
			left := make(chan int, b.N)
			for range b.N {
				left <- 0
			}
			close(left)
			for range s.Pace().Writes {
				group.Go(func() {
					for range left {
						if errs := s.Write(b.Context(), messages); errs != nil {
							b.Error(errs)
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N*len(messages))/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func largePods(b *testing.B, n int) (messages []sink.Message) {
	for i := range n {
		var states [2]string
		for version := range states {
			states[version] = fmt.Sprintf(
				`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d",`+
					`"namespace":"shop","uid":"u%d","resourceVersion":"%d"},"spec":{"containers":[%s{}]}}`,
				i, i, version,
				strings.Repeat(`{"name":"app","image":"registry.example.com/shop/web:1"},`, 50))
		}
		ev := event.Event{Op: event.Update, Object: sinktest.Object(b, states[1]),
			Old: sinktest.Object(b, states[0])}
		messages = append(messages, sinktest.Builder(b).Event(ev, time.Now()))
	}
	return messages
}
