package outputs

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink/httpsink"
)

func TestMain(m *testing.M) {
	// The test's own broker does not wait for its connections when it is closed.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*clientConn).read"),
		goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*clientConn).write"))
}

func spans(names ...string) []sdktrace.ReadOnlySpan {
	var all tracetest.SpanStubs
	for _, name := range names {
		all = append(all, tracetest.SpanStub{Name: name, StartTime: time.Unix(1, 0),
			EndTime: time.Unix(2, 0)})
	}
	return all.Snapshots()
}

func TestAReceiverGetsSpans(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data tracepb.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if err != nil || r.URL.Path != "/otel/v1/traces" || r.Header.Get("Api-Key") != "k3y" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %v: %v", r.URL, r.Header, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, rs := range data.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					got = append(got, s.Name)
				}
			}
		}
	}))
	defer server.Close()
	to, err := newOTLP(httpsink.Config{URL: secret.Literal(server.URL + "/otel"),
		Headers: map[string]secret.Value{"api-key": secret.Literal("k3y")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := to.ExportSpans(t.Context(), spans("event", "send")); err != nil {
		t.Error(err)
	}
	if err := to.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if text := strings.Join(got, " "); text != "event send" {
		t.Errorf("got %q", text)
	}
}

// TestWhatTheReceiverRefuses: the error says what it answered, and neither path nor header.
func TestWhatTheReceiverRefuses(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Error(w, "no room for k3y-of-mine", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	to, err := newOTLP(httpsink.Config{URL: secret.Literal(server.URL + "/hidden-path"),
		Headers: map[string]secret.Value{"api-key": secret.Literal("k3y-of-mine")}})
	if err != nil {
		t.Fatal(err)
	}
	err = to.ExportSpans(t.Context(), spans("event"))
	if err == nil || !strings.Contains(err.Error(), "503") ||
		strings.Contains(err.Error(), "k3y") || strings.Contains(err.Error(), "hidden-path") {
		t.Error(err)
	}
	if requests != 1 {
		t.Errorf("it was asked %d times", requests)
	}
	if err := to.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	if _, err := newOTLP(httpsink.Config{URL: secret.Literal("ftp://example.com")}); err == nil {
		t.Error("the URL of a file server is taken")
	}
}
