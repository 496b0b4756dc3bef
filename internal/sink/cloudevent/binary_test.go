package cloudevent_test

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"net/url"
	"testing"

	"github.com/cloudevents/sdk-go/v2/binding/spec"
	ce "github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/cloudevents/sdk-go/v2/types"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
)

// binaryMessages are messages with every attribute, with hardly any, and without data.
func binaryMessages(t testing.TB) map[string]sink.Message {
	t.Helper()
	pods := source(t, "prod", "all", "pods")
	update := event.Event{Op: event.Update, Initial: true, FinalStateUnknown: true,
		Missed: math.MaxInt32, Resumed: true, Object: newObject(t, web1), Old: newObject(t, web0)}
	full := pods.Event(update, observed)
	full.Handler = "00ff"
	empty, err := pods.Emitted(update, observed, "com.example.é \"x\" 100%", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	report := sink.Report{Rule: "pending, or €\n😀", Severity: "high", Message: "m",
		Violated: true, Since: since}
	return map[string]sink.Message{
		"all attributes": full,
		"without data":   empty,
		"a report":       pods.Rule(update, observed, report),
		"time has passed": pods.Rule(event.Event{Object: newObject(t, node)}, observed,
			sink.Report{Rule: "r", Since: since}),
		"odd names": source(t, "a/b c", "\xff\u2028", "x%").Event(event.Event{Op: event.Add,
			Object: newObject(t, web1)}, observed),
		"odd values": {Origin: &sink.Origin{Source: "/s"}, ID: "a\xff\xfeb",
			Type:    "t\x01\x7f\u0085t",
			Subject: "x", Time: observed, UID: " u\r\nX-Injected: 1\t", Body: sink.BodyData},
	}
}

// The names and values are a contract as the lines are, to the byte.
func TestBinaryAttributes(t *testing.T) {
	got := func(m sink.Message) (lines string) {
		for name, value := range cloudevent.Attributes(m) {
			lines += name + ": " + cloudevent.HeaderValue(value) + "\n"
		}
		return lines
	}
	all := binaryMessages(t)
	want := `specversion: 1.0
id: 9abcda618279db92d30d0adf83110106
source: /clusters/prod/listeners/all
type: dev.informerd.object.updated
subject: pods/default/web-1
time: 2026-03-04T04:06:07.089Z
op: update
resourceversion: 7
oldresourceversion: 6
uid: u-1
initial: true
finalstateunknown: true
missed: 2147483647
resumed: true
handler: 00ff
`
	if lines := got(all["all attributes"]); lines != want {
		t.Errorf("got\n%swant\n%s", lines, want)
	}
	want = `specversion: 1.0
id: a%EF%BF%BD%EF%BF%BDb
source: /s
type: t%01%7F%C2%85t
subject: x
time: 2026-03-04T04:06:07.089Z
uid: %20u%0D%0AX-Injected:%201%09
`
	if lines := got(all["odd values"]); lines != want {
		t.Errorf("got\n%swant\n%s", lines, want)
	}
	for name := range cloudevent.Attributes(all["a report"]) {
		if name == "source" {
			break
		}
	}
}

// The example of the specification, and what it says of printable ASCII.
func TestHeaderValue(t *testing.T) {
	for value, want := range map[string]string{
		"Euro \u20ac \U0001f600":        "Euro%20%E2%82%AC%20%F0%9F%98%80",
		`!#$&'()*+,-./:;<=>?@[\]^_{|}~`: `!#$&'()*+,-./:;<=>?@[\]^_{|}~`,
		`"%`:                            "%22%25",
		"":                              "",
		"a%20b":                         "a%2520b",
	} {
		if got := cloudevent.HeaderValue(value); got != want {
			t.Errorf("%q becomes %q, want %q", value, got, want)
		}
	}
}

// An independent reader gets from binary mode what it gets from structured JSON.
func TestTheSDKReadsBinaryModeAsItReadsStructured(t *testing.T) {
	for what, m := range binaryMessages(t) {
		want := parse(t, m)
		if got := readHTTP(t, m); !sameEvent(got, want) {
			t.Errorf("%s: HTTP\n got %v\nwant %v", what, got, want)
		}
		if got := readKafka(t, m); !sameEvent(got, want) {
			t.Errorf("%s: Kafka\n got %v\nwant %v", what, got, want)
		}
	}
}

// readHTTP reads a message that went over the wire in HTTP's binary mode. The SDK does not decode
// the values of headers, which the specification wants, so that is done here.
func readHTTP(t *testing.T, m sink.Message) ce.Event {
	t.Helper()
	sent, err := http.NewRequest(http.MethodPost, "http://receiver.test/",
		bytes.NewReader(cloudevent.AppendData(nil, m)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range cloudevent.Attributes(m) {
		sent.Header.Set("ce-"+name, cloudevent.HeaderValue(value))
	}
	if m.HasData() {
		sent.Header.Set("Content-Type", cloudevent.DataContentType)
	}
	for name, values := range sent.Header {
		if values[0], err = url.PathUnescape(values[0]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	e, err := cehttp.NewEventFromHTTPRequest(sent)
	if err != nil {
		t.Fatal(err)
	}
	return *e
}

// readKafka reads a message as the headers and the value of a Kafka record.
func readKafka(t *testing.T, m sink.Message) ce.Event {
	t.Helper()
	version := spec.WithPrefix("ce_").Version("1.0")
	e := ce.Event{Context: version.NewContext()}
	for name, value := range cloudevent.Attributes(m) {
		if err := version.SetAttribute(e.Context, "ce_"+name, value); err != nil {
			t.Fatal(err)
		}
	}
	if m.HasData() {
		e.DataEncoded = cloudevent.AppendData(nil, m)
		e.SetDataContentType(cloudevent.DataContentType)
	}
	return e
}

// sameEvent compares what two modes carried. Binary mode has no types, so extensions are compared
// in their canonical form.
func sameEvent(a, b ce.Event) bool {
	if len(a.Extensions()) != len(b.Extensions()) {
		return false
	}
	for name := range b.Extensions() {
		if canonical(a, name) != canonical(b, name) {
			return false
		}
	}
	return a.ID() == b.ID() && a.Source() == b.Source() && a.Type() == b.Type() &&
		a.Subject() == b.Subject() && a.Time().Equal(b.Time()) &&
		a.DataContentType() == b.DataContentType() && bytes.Equal(a.Data(), b.Data())
}

func canonical(e ce.Event, name string) string {
	text, err := types.Format(e.Extensions()[name])
	if err != nil {
		return err.Error()
	}
	return text
}

func TestStructuredContentType(t *testing.T) {
	m := binaryMessages(t)["all attributes"]
	r := &http.Request{Header: http.Header{"Content-Type": {cloudevent.ContentType}},
		Body: io.NopCloser(bytes.NewReader(cloudevent.Append(nil, m)))}
	e, err := cehttp.NewEventFromHTTPRequest(r)
	if err != nil || !sameEvent(*e, parse(t, m)) {
		t.Errorf("got %v, %v", e, err)
	}
}

func BenchmarkAttributes(b *testing.B) {
	m := binaryMessages(b)["all attributes"]
	b.ReportAllocs()
	for b.Loop() {
		for _, value := range cloudevent.Attributes(m) {
			cloudevent.HeaderValue(value)
		}
	}
}
