package status

import (
	"maps"
	"slices"
	"testing"
	"time"
)

func at(second int, events uint64, more ...func(*Status)) *Status {
	s := &Status{Time: time.Unix(int64(second), 0), Informers: []Informer{{Resource: "pods.v1.",
		Events: 10 * events}}, Listeners: []Listener{{Name: "a", Refused: events,
		Written: 2 * events, Retried: 1, Events: map[string]uint64{"add": events,
			"update": events}, Outputs: []Output{{Name: "out", Written: 3 * events}}}}}
	s.Process.CPUSeconds = float64(second) / 4
	for _, f := range more {
		f(s)
	}
	return s
}

func TestRates(t *testing.T) {
	r := RatesOf(at(10, 100), at(20, 150))
	a := r.Listeners["a"]
	if r.Over != 10*time.Second || r.CPU != 0.25 || r.Informers["pods.v1.     "] != 50 ||
		a.Events != 10 || a.Seen != 15 || a.Written != 10 || a.Retried != 0 ||
		a.Outputs["out"] != 15 {
		t.Errorf("%+v", r)
	}
}

// What was not there before, or has begun again, has no rate.
func TestRatesOfWhatIsNew(t *testing.T) {
	more := func(s *Status) {
		s.Listeners = append(s.Listeners, Listener{Name: "b", Written: 5})
		s.Listeners[0].Outputs = append(s.Listeners[0].Outputs, Output{Name: "new", Written: 9})
		s.Informers = append(s.Informers, Informer{Resource: "nodes.v1.", Events: 7})
	}
	r := RatesOf(at(10, 100), at(20, 20, more))
	if names := slices.Sorted(maps.Keys(r.Listeners)); len(names) != 1 || len(r.Informers) != 1 {
		t.Errorf("%+v", r)
	}
	a := r.Listeners["a"]
	if _, has := a.Outputs["new"]; has || a.Events != 0 || a.Outputs["out"] != 0 {
		t.Errorf("%+v", a)
	}
	// no time has passed, or the clock was set
	for _, same := range []*Status{at(10, 5), at(9, 5)} {
		if r := RatesOf(at(10, 1), same); len(r.Listeners) != 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestWhatWaitsInAListener(t *testing.T) {
	l := Listener{Buffer: Buffer{Events: 1, Marked: 2, Backlog: 3, OnDisk: 4, OldestSeconds: 5},
		Outputs: []Output{{Waiting: 10, OldestSeconds: 7}, {Name: "b", Waiting: 20, Error: "503"}},
		Reasons: []string{"forbidden"}, Handler: &Handler{Error: "trap"}}
	if l.Waiting() != 40 || l.Oldest() != 7 || l.Taken() != 0 {
		t.Errorf("%d, %v, %d", l.Waiting(), l.Oldest(), l.Taken())
	}
	want := []string{"forbidden", "handler: trap", "output b: 503"}
	if got := l.Troubles(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
