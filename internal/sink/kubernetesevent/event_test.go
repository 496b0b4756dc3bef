package kubernetesevent

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/informer/event"
)

func TestDescribe(t *testing.T) {
	plain := sinktest.Message(t, "web", 7)
	of := func(change func(m *sink.Message)) sink.Message {
		m := plain
		change(&m)
		return m
	}
	report := func(r sink.Report) sink.Message {
		return of(func(m *sink.Message) { m.Body, m.Report = sink.BodyReport, &r })
	}
	data := func(typ, data string) sink.Message {
		return of(func(m *sink.Message) { m.Body, m.Type, m.Data = sink.BodyData, typ, data })
	}
	for _, tt := range []struct {
		m    sink.Message
		want What
	}{
		{plain, What{false, "ObjectUpdated", "Updated", "all: Pod updated"}},
		{of(func(m *sink.Message) { m.Op, m.Type = event.Delete, "dev.informerd.object.deleted" }),
			What{false, "ObjectDeleted", "Deleted", "all: Pod deleted"}},
		{report(sink.Report{Rule: "stuck-too-long", Severity: "medium", Message: "it is stuck",
			Violated: true}), What{true, "StuckTooLong", "Violated", "it is stuck"}},
		{report(sink.Report{Rule: "stuck", Severity: "low", Violated: true}),
			What{false, "Stuck", "Violated", `rule "stuck" is violated`}},
		{report(sink.Report{Rule: "stuck", Severity: "info", Violated: true}),
			What{false, "Stuck", "Violated", `rule "stuck" is violated`}},
		{report(sink.Report{Rule: "stuck", Severity: "critical"}),
			What{false, "StuckResolved", "Resolved", `rule "stuck" is no longer violated`}},
		{data("com.example.cert-expires", `"in 3 days"`),
			What{false, "CertExpires", "Observed", "in 3 days"}},
		{data("com.example.cert-expires", `{"message":"soon","x":1}`),
			What{false, "CertExpires", "Observed", "soon"}},
		{data("com.example.", `{"note":7,"message":"soon"}`),
			What{false, "Example", "Observed", "soon"}},
		{data("ä", `[1,2]`), What{false, "Observed", "Observed", "[1,2]"}},
		{data("x", ""), What{false, "X", "Observed", "all: Pod updated"}},
		{data("x", "null"), What{false, "X", "Observed", "all: Pod updated"}},
		{data("dev.informerd.object.updated", `"text"`),
			What{false, "ObjectUpdated", "Updated", "text"}},
	} {
		if got := describe(&tt.m); got != tt.want {
			t.Errorf("got %+v, want %+v", got, tt.want)
		}
	}
}

// The API server refuses what is longer.
func TestLengths(t *testing.T) {
	s, err := New(Config{API: newServer(), Instance: strings.Repeat("ä", 200)})
	if err != nil {
		t.Fatal(err)
	}
	m := sinktest.Message(t, strings.Repeat("a-", 100)+strings.Repeat("b.", 26)+"c", 7)
	for _, r := range []sink.Report{
		{Rule: strings.Repeat("rule-", 100), Violated: true, Message: strings.Repeat("ä", 1000)},
		{Rule: strings.Repeat("rule-", 100), Message: "\xff" + strings.Repeat("😀", 1000)},
	} {
		m.Body, m.Report = sink.BodyReport, &r
		e := s.newEvent(&m, describe(&m))
		if len(e.Reason) > 128 || len(e.Note) > 1024 || len(e.ReportingInstance) > 128 ||
			len(validation.NameIsDNSSubdomain(e.Name, false)) > 0 || !utf8.ValidString(e.Note) ||
			!utf8.ValidString(e.ReportingInstance) {
			t.Errorf("got %+v", e)
		}
		if !r.Violated && !strings.HasSuffix(e.Reason, "Resolved") {
			t.Errorf("reason is %s", e.Reason)
		}
	}
}

func TestNames(t *testing.T) {
	s, err := New(Config{API: newServer()})
	if err != nil {
		t.Fatal(err)
	}
	name := func(change func(m *sink.Message)) string {
		m := sinktest.Message(t, "web", 7)
		change(&m)
		return s.newEvent(&m, describe(&m)).Name
	}
	same := name(func(*sink.Message) {})
	if !strings.HasPrefix(same, "web.") {
		t.Errorf("the name is %s", same)
	}
	if again := name(func(*sink.Message) {}); again != same {
		t.Errorf("the names %s and %s of one message differ", same, again)
	}
	for i, change := range []func(m *sink.Message){
		func(m *sink.Message) { m.ID = "another" },
		func(m *sink.Message) { m.Op, m.Type = event.Resync, "dev.informerd.object.resynced" },
		func(m *sink.Message) { m.Origin = &sink.Origin{Listener: "another"} },
	} {
		if got := name(change); got == same {
			t.Errorf("%d: different messages have the name %s", i, got)
		}
	}
	odd := sinktest.Message(t, "system:node", 7)
	if got := s.newEvent(&odd, describe(&odd)).Name; !strings.HasPrefix(got, "informerd.") {
		t.Errorf("the name is %s", got)
	}
}

func TestTimes(t *testing.T) {
	s, err := New(Config{API: newServer()})
	if err != nil {
		t.Fatal(err)
	}
	m := sinktest.Message(t, "web", 7)
	if e := s.newEvent(&m, What{}); !e.EventTime.Time.Equal(m.Time) {
		t.Errorf("the time is %v", e.EventTime)
	}
	m.Time = time.Time{}
	if e := s.newEvent(&m, What{}); e.EventTime.IsZero() {
		t.Error("there is no time, which the API server refuses")
	}
}

// Watching Events with this output does not loop.
func TestInformerdsOwnEventsAreNotWrittenAbout(t *testing.T) {
	to := newServer()
	s, err := New(Config{API: to})
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int{"reportingController": 0, "reportingComponent": 0,
		"other": 1} {
		m := sinktest.Message(t, "web", 7)
		m.Object = sinktest.Object(t, fmt.Sprintf(`{"apiVersion":"events.k8s.io/v1",`+
			`"kind":"Event","metadata":{"name":"a","namespace":"shop","uid":"u",`+
			`"resourceVersion":"1"},%q:"informerd.dev/informerd"}`, field))
		before := len(to.Taken())
		if errs := s.Write(t.Context(), []sink.Message{m}); errs != nil {
			t.Errorf("%s: %v", field, errs)
		}
		if got := len(to.Taken()) - before; got != want {
			t.Errorf("%s: %d Events, want %d", field, got, want)
		}
	}
}
