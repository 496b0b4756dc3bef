package cloudevent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	ce "github.com/cloudevents/sdk-go/v2/event"

	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

var observed = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.FixedZone("east", 3600))

func source(t testing.TB, cluster, listener, resource string) *cloudevent.Builder {
	t.Helper()
	s, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: cluster, Listener: listener, Resource: resource})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newObject(t testing.TB, text string) *object.Object {
	t.Helper()
	var p object.Parser
	o, err := p.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const (
	web1 = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"default","uid":"u-1","resourceVersion":"7"},"spec":{"a":"<&>"}}`
	web0 = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"default","uid":"u-1","resourceVersion":"6"}}`
	node = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","uid":"u-2","resourceVersion":"9"}}`
)

// The lines are the contract with everybody who reads informerd's output.
func TestLines(t *testing.T) {
	pods := source(t, "prod-eu-1", "crash-loops", "pods")
	nodes := source(t, "prod-eu-1", "nodes", "nodes")
	emitted, err := pods.Emitted(event.Event{Op: event.Resync, Object: newObject(t, web1)},
		observed,
		"com.example.crashloop", 0, "{\"count\":\n 5}\n")
	if err != nil {
		t.Fatal(err)
	}
	empty, err := pods.Emitted(event.Event{Op: event.Resync, Object: newObject(t, web1)}, observed,
		"com.example.crashloop", 1, "")
	if err != nil {
		t.Fatal(err)
	}
	const head = `{"specversion":"1.0","id":`
	const pod = `"source":"/clusters/prod-eu-1/listeners/crash-loops"`
	const at = `"subject":"pods/default/web-1","time":"2026-03-04T04:06:07.089Z"`
	tests := []struct {
		name string
		m    sink.Message
		want string
	}{
		{
			"add of the first list",
			pods.Event(event.Event{Op: event.Add, Initial: true, Object: newObject(t, web1)},
				observed),
			head + `"7c308472357a469c76e59aa9588b9fe8",` + pod +
				`,"type":"dev.informerd.object.added",` + at +
				`,"datacontenttype":"application/json","op":"add","resourceversion":"7","uid":"u-1","initial":true,"data":{"object":` + web1 + `}}`,
		},
		{
			"update after missed events",
			pods.Event(event.Event{Op: event.Update, Missed: 3, Object: newObject(t, web1),
				Old: newObject(t, web0)}, observed),
			head + `"7c308472357a469c76e59aa9588b9fe8",` + pod +
				`,"type":"dev.informerd.object.updated",` + at +
				`,"datacontenttype":"application/json","op":"update","resourceversion":"7","oldresourceversion":"6","uid":"u-1","missed":3,"data":{"object":` + web1 + `,"old":` + web0 + `}}`,
		},
		{
			"update across a restart",
			pods.Event(event.Event{Op: event.Update, Resumed: true, Object: newObject(t, web1),
				Old: newObject(t, web0)}, observed),
			head + `"7c308472357a469c76e59aa9588b9fe8",` + pod +
				`,"type":"dev.informerd.object.updated",` + at +
				`,"datacontenttype":"application/json","op":"update","resourceversion":"7","oldresourceversion":"6","uid":"u-1","resumed":true,"data":{"object":` + web1 + `,"old":` + web0 + `}}`,
		},
		{
			"resync",
			pods.Event(event.Event{Op: event.Resync, Object: newObject(t, web1)}, observed),
			head + `"7c308472357a469c76e59aa9588b9fe8",` + pod +
				`,"type":"dev.informerd.object.resynced",` + at +
				`,"datacontenttype":"application/json","op":"resync","resourceversion":"7","uid":"u-1","data":{"object":` + web1 + `}}`,
		},
		{
			"missed delete of a cluster-scoped object",
			nodes.Event(event.Event{Op: event.Delete, FinalStateUnknown: true,
				Object: newObject(t, node)}, observed),
			head + `"2c7bc805abb15bce333d075cee815678","source":"/clusters/prod-eu-1/listeners/nodes","type":"dev.informerd.object.deleted","subject":"nodes//n1","time":"2026-03-04T04:06:07.089Z"` +
				`,"datacontenttype":"application/json","op":"delete","resourceversion":"9","uid":"u-2","finalstateunknown":true,"data":{"object":` + node + `}}`,
		},
		{
			"emitted by a handler",
			emitted,
			head + `"d68a402af88a1a4cd345463d8e7baa01",` + pod +
				`,"type":"com.example.crashloop",` + at +
				`,"datacontenttype":"application/json","op":"resync","resourceversion":"7","uid":"u-1","data":{"count": 5}}`,
		},
		{
			"emitted without data",
			empty,
			head + `"5a0daba12b867909678e3b91d4a2645c",` + pod +
				`,"type":"com.example.crashloop",` + at +
				`,"op":"resync","resourceversion":"7","uid":"u-1"}`,
		},
	}
	for _, tt := range tests {
		if got := string(cloudevent.Append(nil, tt.m)); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, tt.want)
		}
		parse(t, tt.m)
	}
}

// parse reads a message back with the CloudEvents SDK.
func parse(t testing.TB, m sink.Message) ce.Event {
	t.Helper()
	line := cloudevent.Append(nil, m)
	if strings.ContainsAny(string(line), "\r\n") || !utf8.Valid(line) || !json.Valid(line) {
		t.Errorf("not one line of valid JSON: %q", line)
	}
	var e ce.Event
	if err := e.UnmarshalJSON(line); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if err := e.Validate(); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return e
}

func TestTheSDKReadsWhatWasWritten(t *testing.T) {
	m := source(t, "prod", "all", "deployments.apps").Event(event.Event{
		Op: event.Update, Initial: true, FinalStateUnknown: true, Missed: math.MaxInt32,
		Resumed: true, Object: newObject(t, web1), Old: newObject(t, web0),
	}, observed)
	m.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	e := parse(t, m)
	if e.ID() != m.ID || e.Source() != "/clusters/prod/listeners/all" ||
		e.Type() != "dev.informerd.object.updated" ||
		e.Subject() != "deployments.apps/default/web-1" || !e.Time().Equal(observed) ||
		e.DataContentType() != "application/json" {
		t.Errorf("attributes: %v", e)
	}
	want := map[string]any{
		"op": "update", "resourceversion": "7", "oldresourceversion": "6", "uid": "u-1",
		"initial": true, "finalstateunknown": true, "missed": int32(math.MaxInt32),
		"resumed": true, "traceparent": m.TraceParent,
	}
	got := e.Extensions()
	if len(got) != len(want) {
		t.Errorf("extensions %v, want %v", got, want)
	}
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s = %#v, want %#v", name, got[name], v)
		}
	}
	if data := `{"object":` + web1 + `,"old":` + web0 + `}`; string(e.Data()) != data {
		t.Errorf("data\n got %s\nwant %s", e.Data(), data)
	}
}

func TestLineBreaksBetweenTokensAreLeftOut(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(web1, ",", ",\r\n\t"), ":", "\n:\r")
	m := source(t, "prod", "all",
		"pods").Event(event.Event{Op: event.Add, Object: newObject(t, text)},
		observed)
	var got struct {
		Object struct{ Spec struct{ A string } }
	}
	if err := json.Unmarshal(parse(t, m).Data(), &got); err != nil || got.Object.Spec.A != "<&>" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The form that an informer keeps objects in is the most common one here.
func TestPackedObjectsAreWrittenAsPlainOnes(t *testing.T) {
	padding := strings.Repeat(`{"name":"a","value":"b"},`+"\n\r", 100)
	texts := [2]string{}
	for i := range texts {
		texts[i] = fmt.Sprintf(
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","uid":"u-1","resourceVersion":"%d"},"spec":{"env":[%s{}],`+"\r\n"+`"n":%d}}`, i, padding, i)
	}
	var p object.Parser
	var packed []*object.Object
	for n := range 4 {
		o, err := p.Parse([]byte(texts[n%2]))
		if err != nil {
			t.Fatal(err)
		}
		if o = o.Stored(); o.Plain() != o {
			packed = append(packed, o)
		}
	}
	if len(packed) < 2 {
		t.Fatal("no two objects are packed")
	}
	object, old := packed[0], packed[1]
	m := source(t, "prod", "all", "pods").Event(event.Event{Op: event.Update, Object: object,
		Old: old}, observed)
	parse(t, m)
	line := cloudevent.Append(nil, m)
	m.Object, m.Old = object.Plain(), old.Plain()
	if plain := cloudevent.Append(nil, m); !bytes.Equal(line, plain) {
		t.Errorf("packed\n%s\nplain\n%s", line, plain)
	}
	buf := make([]byte, 0, 2*len(line))
	m.Object, m.Old = object, old
	if n := testing.AllocsPerRun(100, func() { buf = cloudevent.Append(buf[:0], m) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Text that has only one sort of line break must not be searched for the other one again and again.
func TestLineBreaksTakeTimeInProportion(t *testing.T) {
	for _, lineBreak := range []string{"\r", "\n"} {
		growth.Linear(t, 100_000, func(n int) {
			cloudevent.Append(nil, sink.Message{Origin: &sink.Origin{},
				Body: sink.BodyData, Data: "[" + strings.Repeat(lineBreak, n) + "1]"})
		})
	}
}

// Whatever names the cluster, the configuration and the API server come up with.
func TestStrangeNames(t *testing.T) {
	strange := []string{"a/b", "100%", "new\nline", "q?#", `"quoted\"`, "système", "\xff\xfe",
		"sp ace", "\x00", "\u2028", "..", "system:node"}
	for _, name := range strange {
		nameJSON, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		o := newObject(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":`+string(nameJSON)+
			`,"namespace":`+string(nameJSON)+`,"uid":`+string(nameJSON)+`,"resourceVersion":`+
			string(nameJSON)+`}}`)
		m := source(t, name, name, name).Event(event.Event{Op: event.Add, Object: o}, observed)
		e := parse(t, m)

		segments := func(s string) []string {
			parts := strings.Split(s, "/")
			for i, p := range parts {
				if parts[i], err = url.PathUnescape(p); err != nil {
					t.Errorf("%q: %v", s, err)
				}
			}
			return parts
		}
		inJSON := strings.ToValidUTF8(name, "\ufffd\ufffd")
		if got := segments(e.Source()); len(got) != 5 || got[2] != name || got[4] != name {
			t.Errorf("source %q: %q", e.Source(), got)
		}
		if got := segments(e.Subject()); len(got) != 3 || got[0] != name || got[1] != inJSON ||
			got[2] != inJSON {
			t.Errorf("subject %q: %q", e.Subject(), got)
		}
		if got := e.Extensions()["uid"]; got != inJSON {
			t.Errorf("uid %q, want %q", got, inJSON)
		}
	}
}

func TestAttributesAreEscaped(t *testing.T) {
	m := sink.Message{Origin: &sink.Origin{Source: "/s"}, Body: sink.BodyData, ID: "a\xffb",
		Type: "t\"\\\x01\x1f\n<&>é", Subject: "x",
		Op: event.Add}
	want := `{"specversion":"1.0","id":"a` + "\ufffd" +
		`b","source":"/s","type":"t\"\\\u0001\u001f\u000a<&>é","subject":"x","time":"0001-01-01T00:00:00Z","op":"add"}`
	if got := string(cloudevent.Append(nil, m)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestAppendDataAlone(t *testing.T) {
	o := newObject(t, web1)
	tests := []struct {
		m    sink.Message
		want string
	}{
		{sink.Message{Body: sink.BodyData}, ""},
		{sink.Message{Object: o}, `{"object":` + web1 + `}`},
		{sink.Message{Object: o, Body: sink.BodyData, Data: "[1,\n2]"}, "[1,2]"},
	}
	for _, tt := range tests {
		if got := string(cloudevent.AppendData([]byte("> "), tt.m)); got != "> "+tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	m := source(t, "prod", "all",
		"pods").Event(event.Event{Op: event.Update, Object: newObject(t, web1),
		Old: newObject(t, web0)},
		observed)
	buf := cloudevent.Append(nil, m)
	if n := testing.AllocsPerRun(100, func() { buf = cloudevent.Append(buf[:0], m) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	padded := strings.Replace(web1, "<&>", strings.Repeat("0123456789", 1000), 1)
	src := source(b, "prod", "all", "pods")
	ev := event.Event{Op: event.Add, Object: newObject(b, padded)}
	b.Run("source", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			src.Event(ev, observed)
		}
	})
	b.Run("append", func(b *testing.B) {
		m := src.Event(ev, observed)
		buf := cloudevent.Append(nil, m)
		b.SetBytes(int64(len(padded)))
		b.ReportAllocs()
		for b.Loop() {
			buf = cloudevent.Append(buf[:0], m)
		}
	})
}
