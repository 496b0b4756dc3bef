package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func pod(t testing.TB, name, uid string, version int) *object.Object {
	t.Helper()
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":`+
		`{"namespace":"shop","name":%q,"uid":%q,"resourceVersion":"%d"},"spec":{"secret":"x"}}`,
		name, uid, version))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// kept is an exporter that keeps what it gets beyond its end.
type kept struct {
	*tracetest.InMemoryExporter
	err error
}

func (k *kept) Shutdown(context.Context) error { return nil }

func (k *kept) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if k.err != nil {
		return k.err
	}
	return k.InMemoryExporter.ExportSpans(ctx, spans)
}

func open(every uint64, log *slog.Logger) (*Tracer, *kept) {
	k := &kept{InMemoryExporter: tracetest.NewInMemoryExporter()}
	return New(Config{Every: every, Exporter: k, Cluster: "prod", Version: "v1", Log: log}), k
}

var discard = slog.New(slog.DiscardHandler)

func TestATraceIsOfOneEventAndOneListener(t *testing.T) {
	tracer, to := open(1, discard)
	e := event.Event{Op: event.Update, Object: pod(t, "a", "u1", 7), Missed: 2,
		Arrived: event.Now()}
	began := time.Now().Add(-time.Second)
	tr := tracer.Begin("hooks", "pods", &e, nil)
	tr.Stage("filter", began, nil)
	tr.Stage("handler", began, errors.New("it crashed"))
	tr.End("passed", nil)
	first := tr.Send("hook", 3*time.Second, 1)
	first.End(errors.New("503"))
	second := tr.Send("hook", 4*time.Second, 2)
	parent := second.Parent()
	second.End(nil)
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	var event, last tracetest.SpanStub
	for _, s := range to.GetSpans() {
		got = append(got, s.Name+" "+s.Status.Code.String())
		if s.Name == "event" {
			event = s
		}
		last = s
	}
	const want = "buffer Unset, filter Unset, handler Error, event Unset, send Error, send Unset"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, s := range to.GetSpans() {
		if s.Name != "event" && s.Parent.SpanID() != event.SpanContext.SpanID() {
			t.Errorf("%s is below %v", s.Name, s.Parent.SpanID())
		}
		if s.Name == "filter" && !s.StartTime.Equal(began) {
			t.Errorf("the filter began at %v", s.StartTime)
		}
	}
	if want := fmt.Sprintf("00-%s-%s-01", last.SpanContext.TraceID(),
		last.SpanContext.SpanID()); parent != want {
		t.Errorf("the parent is %s, want %s", parent, want)
	}
	if parsed := strings.Split(parent, "-"); len(parsed[1]) != 32 || len(parsed[2]) != 16 {
		t.Error(parent)
	}
	text := fmt.Sprint(event.Attributes, event.Resource.Attributes())
	for _, part := range []string{"hooks", "pods", "update", "shop", "u1", "prod", "informerd"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Errorf("the content is in %s", text)
	}
	if event.SpanKind != trace.SpanKindConsumer || last.SpanKind != trace.SpanKindProducer ||
		last.Status.Code != codes.Unset {
		t.Errorf("%v, %v", event, last)
	}
}

// TestOneOfSoManyStates: about one of so many states is traced, the same one whoever asks.
func TestOneOfSoManyStates(t *testing.T) {
	a, _ := open(10, discard)
	b, _ := open(10, discard)
	n := 0
	const states = 20_000
	for i := range states {
		e := event.Event{Op: event.Update, Object: pod(t, "a", fmt.Sprint("u", i%100), i)}
		one, other := a.Begin("l", "pods", &e, nil), b.Begin("m", "pods", &e, nil)
		if (one == nil) != (other == nil) {
			t.Fatalf("two tracers differ about %v", e.Object.ResourceVersion())
		}
		if one != nil {
			n++
		}
	}
	if n < states/10*8/10 || n > states/10*12/10 {
		t.Errorf("%d of %d states are traced", n, states)
	}
	for _, x := range []*Tracer{a, b} {
		if err := x.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestWhatIsNotTracedCostsNothing: neither without a tracer nor for another state is memory
// allocated, and all that a trace may be asked may be asked of none.
func TestWhatIsNotTracedCostsNothing(t *testing.T) {
	tracer, _ := open(1<<40, discard)
	e := event.Event{Op: event.Add, Object: pod(t, "a", "u1", 1)}
	for _, x := range []*Tracer{nil, tracer} {
		n := testing.AllocsPerRun(100, func() {
			tr := x.Begin("l", "pods", &e, nil)
			tr.Stage("filter", time.Time{}, nil)
			tr.End("passed", nil)
			s := tr.Send("hook", 0, 1)
			if s.Parent() != "" {
				t.Error("it has a parent")
			}
			s.End(nil)
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
		if err := x.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestWhatTheReceiverDoesNotTake is dropped, counted, and logged when it begins and when it ends.
func TestWhatTheReceiverDoesNotTake(t *testing.T) {
	var log bytes.Buffer
	tracer, to := open(1, slog.New(slog.NewTextHandler(&log, nil)))
	e := event.Event{Op: event.Add, Object: pod(t, "a", "u1", 1)}
	send := func() {
		tracer.Begin("l", "pods", &e, nil).End("passed", nil)
		if err := tracer.provider.ForceFlush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	to.err = errors.New("connection refused")
	send()
	send()
	to.err = nil
	send()
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if text := log.String(); strings.Count(text, "cannot be sent") != 1 ||
		strings.Count(text, "sent again") != 1 || !strings.Contains(text, "dropped=2") || !strings.Contains(text, "connection refused") {
		t.Error(text)
	}
}

func TestTextsAreBounded(t *testing.T) {
	for _, text := range []string{"", "plain", strings.Repeat("x", maxText),
		strings.Repeat("é", maxText), "a\xffb", strings.Repeat("\xff", 2*maxText)} {
		got := bounded(text)
		if len(got) > maxText || !utf8.ValidString(got) {
			t.Errorf("%q became %q", text, got)
		}
		if utf8.ValidString(text) && len(text) <= maxText && got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
