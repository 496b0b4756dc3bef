package plugins

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// pressure is the time of the condition in nodeUnder.
var pressure = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func nodeUnder(t *testing.T, disk string) *object.Object {
	return newObject(t, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","uid":"u","resourceVersion":"1"},`+
		`"status":{"conditions":[{"type":"DiskPressure","status":"`+disk+
		`","reason":"R","message":"m\u00e4","lastTransitionTime":"2026-01-02T03:04:05Z"},`+
		`{"type":"Ready","status":"True"}]}}`)
}

// pressureHandler loads the example for the listener "nodes", at a time after that of the
// condition.
func pressureHandler(t *testing.T, host *Host, after time.Duration, limits Limits) *Handler {
	t.Helper()
	limits.Deadline = 10 * time.Second
	h, err := host.Load(t.Context(), Spec{Listener: "nodes", Wasm: guestExample(t, "node-pressure"),
		Config: []byte(`{"repeatMinutes":60}`), Limits: limits, Grants: Grants{KV: &KVGrant{},
			Clock: &ClockGrant{Fixed: pressure.Add(after)}}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The instances of all workers, and those after them, know what was reported.
func TestNodePressureExample(t *testing.T) {
	host, log := testHost(t)
	soon, later := pressureHandler(t, host, time.Minute, Limits{}), pressureHandler(t, host,
		90*time.Minute, Limits{})
	one, other, afterwards := newInstance(t, soon), newInstance(t, soon), newInstance(t, later)
	report := func(was, is, lasted string) string {
		return `done dev.informerd.examples.node-pressure {"node":"n1","condition":"DiskPressure","was":"` + was + `","is":"` + is +
			`","since":"2026-01-02T03:04:05Z","reason":"R","message":"mä"` + lasted + `}`
	}
	fine, full := nodeUnder(t, "False"), nodeUnder(t, "True")
	for n, step := range []struct {
		i    *Instance
		e    event.Event
		want string
	}{
		{one, event.Event{Op: event.Add, Object: fine, Initial: true}, "drop"},
		{one, event.Event{Op: event.Update, Object: full, Old: fine}, report("False", "True", "")},
		{one, event.Event{Op: event.Update, Object: full, Old: full}, "drop"},
		{other, event.Event{Op: event.Add, Object: full, Initial: true}, "drop"},
		{other, event.Event{Op: event.Update, Object: full, Old: fine}, "drop"},
		{other, event.Event{Op: event.Resync, Object: full}, "drop"},
		{afterwards, event.Event{Op: event.Resync, Object: full},
			report("True", "True", `,"lasted":5400`)},
		{afterwards, event.Event{Op: event.Resync, Object: full}, "drop"},
		{newInstance(t, later), event.Event{Op: event.Add, Object: fine, Initial: true},
			report("True", "False", `,"lasted":5400`)},
		{afterwards, event.Event{Op: event.Update, Object: fine, Old: full}, "drop"},
		{other, event.Event{Op: event.Add, Object: full}, report("False", "True", "")},
		{one, event.Event{Op: event.Delete, Object: full},
			`done dev.informerd.examples.node-pressure {"node":"n1",` +
				`"condition":"DiskPressure","was":"True","is":"Gone","lasted":60}`},
		{other, event.Event{Op: event.Delete, Object: full}, "drop"},
	} {
		if got := outcome(t, step.i, step.e); got != step.want {
			t.Errorf("step %d: got  %s\nwant %s", n, got, step.want)
		}
	}
	if log.String() != "" {
		t.Errorf("logged: %s", log)
	}
}

// A crash neither repeats nor forgets a report: it is made by this event if it is handled, else by
// the next one. Fuel lets the handler crash at any point, but for the very end, where it has kept
// what it reports.
func TestNodePressureExampleSurvivesCrashes(t *testing.T) {
	full := event.Event{Op: event.Add, Object: nodeUnder(t, "True")}
	host, _ := testHost(t)
	sound := newInstance(t, pressureHandler(t, host, time.Minute, Limits{}))
	outcome(t, sound, event.Event{Op: event.Add, Object: nodeUnder(t, "True")})
	needed := sound.Fuel()
	outcome(t, sound, event.Event{Op: event.Delete, Object: nodeUnder(t, "True")})
	crashes, handled := 0, 0
	for n := int64(1); n <= 20; n++ {
		fuel := needed * n / 21
		if n == 20 {
			fuel = 2 * needed
		}
		frail := newInstance(t, pressureHandler(t, host, time.Minute, Limits{Fuel: fuel}))
		first, err := frail.Handle(t.Context(), full)
		var crash *CrashError
		switch {
		case err == nil:
			handled++
		case errors.As(err, &crash) && crash.Reason == ReasonFuel:
			crashes++
		default:
			t.Fatal(err)
		}
		reports := len(first.Emitted)
		if text := outcome(t, sound, full); strings.HasPrefix(text, "done") {
			reports++
		}
		if reports != 1 {
			t.Errorf("with %d units of fuel there are %d reports", fuel, reports)
		}
		outcome(t, sound, event.Event{Op: event.Delete, Object: nodeUnder(t, "True")})
	}
	if crashes != 19 || handled != 1 {
		t.Errorf("%d crashes and %d events that were handled", crashes, handled)
	}
}
