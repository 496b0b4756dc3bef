package route

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// pod is a state of the pod web.
func pod(version int, phase string) *object.Object {
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"%d"},"status":{"phase":%s}}`, version, phase)
	o, err := (&object.Parser{}).Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return o
}

func expression(t *testing.T, text string, kind filters.Kind) *filters.Filter {
	t.Helper()
	f, err := filters.Compile(filters.Expression{Text: text, Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// route makes one over events, with an output.
func (s *script) route(t *testing.T, log *bytes.Buffer, out *output) *draft {
	t.Helper()
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	return &draft{
		Config: Config{Name: "l", Subscription: s, Retry: patient,
			Log: slog.New(slog.NewTextHandler(log, nil))},
		Pipeline: Pipeline{Messages: messages, Outputs: []Output{to("out", out)}},
	}
}

// states returns what an output got of an object: what, the version, and what was before.
func states(out *output) (all []string) {
	for _, m := range out.messages {
		text := strings.TrimPrefix(m.Type, "dev.informerd.object.") + " " +
			m.Object.ResourceVersion()
		if m.Old != nil {
			text += " was " + m.Old.ResourceVersion()
		}
		if m.Missed > 0 {
			text += fmt.Sprintf(" missed %d", m.Missed)
		}
		all = append(all, text)
	}
	return all
}

func TestSelectMakesASetOfTheObjects(t *testing.T) {
	in, out := func(v int) *object.Object {
		return pod(v, `"Pending"`)
	}, func(v int) *object.Object {
		return pod(v, `"Running"`)
	}
	tests := []struct {
		name   string
		e      event.Event
		before *object.Object
		want   string // nothing is reported if it is empty
	}{
		{"add within", event.Event{Op: event.Add, Object: in(1), Initial: true}, nil, "added 1"},
		{"add outside", event.Event{Op: event.Add, Object: out(1)}, nil, ""},
		{"update within", event.Event{Op: event.Update, Object: in(2), Old: in(1), Missed: 3}, nil,
			"updated 2 was 1 missed 3"},
		{"update outside", event.Event{Op: event.Update, Object: out(2), Old: out(1)}, nil, ""},
		{"entering", event.Event{Op: event.Update, Object: in(2), Old: out(1), Missed: 1}, nil,
			"added 2 missed 1"},
		{"leaving is the delete of the last state within",
			event.Event{Op: event.Update, Object: out(2), Old: in(1)}, nil, "deleted 1"},
		{"delete within", event.Event{Op: event.Delete, Object: in(2)}, nil, "deleted 2"},
		{"delete outside", event.Event{Op: event.Delete, Object: out(2)}, nil, ""},
		{"left and deleted, of which only the delete was heard",
			event.Event{Op: event.Delete, Object: out(3)}, in(1), "deleted 1"},
		{"delete outside, and never was within", event.Event{Op: event.Delete, Object: out(3)},
			out(1), ""},
		{"resync within", event.Event{Op: event.Resync, Object: in(1)}, nil, "resynced 1"},
		{"resync outside", event.Event{Op: event.Resync, Object: out(1)}, nil, ""},
	}
	for _, tt := range tests {
		source, to := newScript(tt.e), &output{}
		source.waiting[0].Before = tt.before
		var log bytes.Buffer
		r := source.route(t, &log, to)
		r.Select = expression(t, `object.status.phase == "Pending"`, filters.KindSelect)
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(states(to), ", "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if s := r.Stats(); (s.Unselected == 1) != (tt.want == "") || s.Filtered != 0 ||
			len(source.log) != 1 {
			t.Errorf("%s: %+v, %v", tt.name, s, source.log)
		}
	}
}

// On and the filter see what select makes of an event.
func TestOnAndTheFilterSeeTheSet(t *testing.T) {
	entering := event.Event{Op: event.Update, Object: pod(2, `"Pending"`), Old: pod(1, `"Running"`)}
	leaving := event.Event{Op: event.Update, Object: pod(3, `"Running"`), Old: pod(2, `"Pending"`)}
	for _, tt := range []struct {
		name   string
		on     event.OpSet
		filter string
		want   []string
	}{
		{"all", 0, "", []string{"added 2", "deleted 2"}},
		{"only deletes", event.OpSet(0).With(event.Delete), "", []string{"deleted 2"}},
		{"only updates", event.OpSet(0).With(event.Update), "", nil},
		{"a filter on the op", 0, `op == "add"`, []string{"added 2"}},
		{"a filter on the last state within", 0,
			`op == "delete" && object.status.phase == "Pending"`, []string{"deleted 2"}},
	} {
		source, to := newScript(entering, leaving), &output{}
		var log bytes.Buffer
		r := source.route(t, &log, to)
		r.Select, r.On = expression(t, `object.status.phase == "Pending"`, filters.KindSelect),
			tt.on
		if tt.filter != "" {
			r.Filter = expression(t, tt.filter, filters.KindFilter)
		}
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := states(to); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
