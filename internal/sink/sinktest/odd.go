package sinktest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
)

// oddMessages are messages as strangers make them. Each has to arrive to the byte.
var oddMessages = []struct {
	name string
	make func(testing.TB) sink.Message
}{
	{"huge", func(t testing.TB) sink.Message {
		return Builder(t).Event(event.Event{Op: event.Add, Object: Object(t, fmt.Sprintf(
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"huge","namespace":"shop",`+
				`"uid":"u","resourceVersion":"1"},"spec":{"padding":%q}}`,
			strings.Repeat("0123456789abcdef", 3<<16)))}, observed)
	}},
	{"line breaks in the object", func(t testing.TB) sink.Message {
		return Builder(t).Event(event.Event{Op: event.Add, Object: Object(t,
			"{\"apiVersion\":\r\n\"v1\",\n\n\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","+
				"\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"1\"}\r}")}, observed)
	}},
	{"U+2028 and escapes in the object", func(t testing.TB) sink.Message {
		return Builder(t).Event(event.Event{Op: event.Add, Object: Object(t,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop",`+
				`"uid":"u","resourceVersion":"1"},"spec":{"a":"`+"\u2028\u0085\u007f\ufeff"+
				`\n\u0000\ud800<&>"}}`)}, observed)
	}},
	{"cluster-scoped", func(t testing.TB) sink.Message {
		return Builder(t).Event(event.Event{Op: event.Delete, FinalStateUnknown: true, Missed: 3,
			Resumed: true,
			Object: Object(t, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n",`+
				`"uid":"u","resourceVersion":"1"}}`)}, observed)
	}},
	{"a name of odd bytes", oddName("\xff\xfe\xc0\xa0")},
	{"a name with line breaks", oddName("a\r\nX-Injected: 1\r\n\r\nb")},
	{"a name with NUL and controls", oddName("\x00\x01\x1b[31m\x7f\u0085")},
	{"a name with U+2028", oddName("a\u2028b\u2029c")},
	{"a name with wildcards", oddName("*.>.a b/../%2F?#\"\\")},
	{"a name beyond ASCII", oddName("système-\U0001f600")},
	{"a very long name", oddName(strings.Repeat("x", 2000))},
	{"emitted without data", emitted("")},
	{"emitted null", emitted("null")},
	{"emitted text", emitted("\"\u2028<&>\\n\"")},
	{"emitted with line breaks", emitted("{\r\n\t\"a\":\n[1,\r2]}\n")},
	{"report of a rule", func(t testing.TB) sink.Message {
		return Builder(t).Rule(event.Event{Op: event.Update, Object: pod(t, "a", 1)}, observed,
			sink.Report{Rule: "pending, or € \"x\"", Severity: "high", Message: "a\nb\x00\xff",
				Violated: true, Since: observed.Add(-time.Hour)})
	}},
	{"report since time has passed", func(t testing.TB) sink.Message {
		return Builder(t).Rule(event.Event{Object: pod(t, "a", 1)}, observed,
			sink.Report{Rule: "pending", Severity: "high", Since: observed, Repeats: 3})
	}},
}

// oddName makes a message whose names are all the given one.
func oddName(name string) func(testing.TB) sink.Message {
	return func(t testing.TB) sink.Message {
		b, err := cloudevent.NewBuilder(sink.Origin{Cluster: name, Listener: name, Resource: name,
			Group: name, Version: name, Plural: name, Kind: name})
		if err != nil {
			t.Fatal(err)
		}
		quoted := jsonString(name)
		return b.Event(event.Event{Op: event.Add, Object: Object(t,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":`+quoted+
				`,"namespace":`+quoted+`,"uid":`+quoted+`,"resourceVersion":`+quoted+`}}`)},
			observed)
	}
}

// jsonString quotes a name as a careless server would: with the bytes as they are where JSON's
// syntax allows.
func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		if r < ' ' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func emitted(data string) func(testing.TB) sink.Message {
	return func(t testing.TB) sink.Message {
		m, err := Builder(t).Emitted(event.Event{Op: event.Resync, Object: pod(t, "a", 1)},
			observed, "com.example.crash loop é", 0, data)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func largeUpdate(t testing.TB) event.Event {
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"large",`+
		`"namespace":"shop","uid":"u","resourceVersion":"1"},"spec":{"padding":%q}}`,
		strings.Repeat("0123456789abcdef", 1<<12))
	return event.Event{Op: event.Update, Object: Object(t, text), Old: Object(t, text)}
}

// odd checks that a message arrives between two others, as it was written, and that another
// library reads from it what it says.
func (b *bench) odd(m sink.Message) {
	m = b.target.Prepare(m)
	first, last := b.messages(1, 1), b.messages(1, 2)
	b.deliver(first...)
	b.deliver(m)
	b.deliver(last...)
	b.wantTaken(first, []sink.Message{m}, last)
	if _, ok := b.target.Skip[oddUnread]; ok {
		return
	}
	e, err := b.target.Read(b.to.Taken()[1])
	if err != nil {
		b.Fatalf("it cannot be read: %v", err)
	}
	if err := e.Validate(); err != nil {
		b.Errorf("it is not valid: %v", err)
	}
	if e.ID() != m.ID || e.Source() != m.Origin.Source || e.Type() != m.Type ||
		e.Subject() != m.Subject || !e.Time().Equal(m.Time) {
		b.Errorf("other attributes were read: %.500v", e)
	}
	for name, value := range cloudevent.Attributes(m) {
		if got, ok := e.Extensions()[name]; ok && fmt.Sprint(got) != value {
			b.Errorf("%s was read as %.100q, want %.100q", name, got, value)
		}
	}
	if data := cloudevent.AppendData(nil, m); !bytes.Equal(e.Data(), data) {
		b.Errorf("data was read as %.200q, want %.200q", e.Data(), data)
	}
}
