package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// traceReceiver takes traces and messages.
type traceReceiver struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*tracepb.Span
	parents map[string]bool // of messages
	refused bool            // the first message
}

func newTraceReceiver(t *testing.T) *traceReceiver {
	r := &traceReceiver{parents: map[string]bool{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if q.URL.Path != "/v1/traces" {
			if !r.refused {
				r.refused = true
				w.WriteHeader(http.StatusServiceUnavailable)
			} else {
				r.parents[q.Header.Get("traceparent")] = true
			}
			return
		}
		var data tracepb.TracesData
		if err := proto.Unmarshal(body, &data); err != nil {
			t.Error(err)
		}
		for _, rs := range data.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				r.spans = append(r.spans, ss.Spans...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// ways returns what became of the events, each with the spans of its trace, and the parents that
// were sent with what was delivered.
func (r *traceReceiver) ways() (ways []string, parents map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	below, parents := map[string][]string{}, map[string]bool{}
	for _, s := range r.spans {
		name := s.Name
		if s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			name += " failed"
		} else if name == "send" {
			parents[fmt.Sprintf("00-%x-%x-01", s.TraceId, s.SpanId)] = true
		}
		below[string(s.ParentSpanId)] = append(below[string(s.ParentSpanId)], name)
	}
	for _, s := range r.spans {
		if s.Name != "event" {
			continue
		}
		way := ""
		for _, a := range s.Attributes {
			switch a.Key {
			case "informerd.listener", "k8s.object.name", "informerd.outcome":
				way += a.Value.GetStringValue() + " "
			}
		}
		stages := below[string(s.SpanId)]
		slices.Sort(stages)
		ways = append(ways, way+fmt.Sprint(stages))
	}
	slices.Sort(ways)
	return ways, parents
}

// An event is followed from the worker to the outputs, a try that failed included, and a receiver
// goes on with the trace. A receiver of traces that is away holds nothing up.
func TestAnEventIsTraced(t *testing.T) {
	to := newTraceReceiver(t)
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", ""),
		named("shop", "db", "", "")}})
	d := start(t, parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
tracing: {url: "`+to.URL+`", every: 1}
listeners:
  all: {informer: {resource: pods}, filter: 'object.metadata.name == "web"', outputs: [hook]}
  judged:
    informer: {resource: pods}
    rules: [{name: no-db, deny: 'object.metadata.name == "db"'}]
    outputs: [hook]
outputs:
  hook: {webhook: {url: "`+to.URL+`/hook"}}
`), k)
	eventually(t, func() error {
		to.mu.Lock()
		defer to.mu.Unlock()
		if len(to.parents) != 2 {
			return fmt.Errorf("%d messages", len(to.parents))
		}
		return nil
	})
	d.stop(t) // which sends what waits
	ways, parents := to.ways()
	// What is refused before the buffer is not traced: no worker has it.
	failed, want := 0, []string{"all web passed [filter send]", "judged db filtered [filter send]"}
	for i, way := range ways {
		if len(ways) == len(want) && way != want[i] {
			failed++ // the one that was refused first
			if way != want[i][:len(want[i])-1]+" send failed]" {
				t.Errorf("got %q, want %q", way, want[i])
			}
		}
	}
	if len(ways) != len(want) || failed != 1 {
		t.Errorf("got %q, want %q and a try that failed", ways, want)
	}
	for parent := range to.parents {
		if !parents[parent] {
			t.Errorf("a message came with %q, and there were %v", parent, parents)
		}
	}
}

func TestTracesThatNobodyTakes(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", "")}})
	to := newTraceReceiver(t)
	d := start(t, parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
tracing: {url: "http://127.0.0.1:1", every: 1}
listeners:
  all: {informer: {resource: pods}, outputs: [hook]}
outputs:
  hook: {webhook: {url: "`+to.URL+`/hook"}}
`), k)
	eventually(t, func() error {
		to.mu.Lock()
		defer to.mu.Unlock()
		if len(to.parents) != 1 {
			return fmt.Errorf("%d messages", len(to.parents))
		}
		return nil
	})
	d.stop(t)
}
