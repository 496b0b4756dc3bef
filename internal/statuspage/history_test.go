package statuspage

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/status"
)

// at is a status so many points after the start, in which each listener has taken so many events.
func at(n int, taken map[string]uint64) *status.Status {
	s := &status.Status{Time: time.Unix(0, 0).Add(time.Duration(n) * every)}
	s.Process.CPUSeconds, s.Process.MemoryBytes = float64(n), uint64(100+n)
	for name, events := range taken {
		s.Listeners = append(s.Listeners, status.Listener{Name: name, Retried: events / 10,
			Events: map[string]uint64{"add": events},
			Buffer: status.Buffer{Events: n, OldestSeconds: float64(2 * n)}})
	}
	return s
}

func newest(s series, name string) float64 {
	values := s.Series[name]
	return float64(values[len(values)-1])
}

func TestAPointHasWhatHappenedSinceTheOneBefore(t *testing.T) {
	var h history
	if s := h.ofAll(); len(s.Series["events"]) != 0 || s.Every != 10 {
		t.Errorf("%+v", s)
	}
	h.add(at(0, map[string]uint64{"a": 100}))
	for _, name := range []string{"events", "failures", "cpu"} {
		if v := newest(h.ofAll(), name); !math.IsNaN(v) {
			t.Errorf("%s: %v", name, v)
		}
	}
	h.add(at(1, map[string]uint64{"a": 300, "b": 5}))
	h.add(at(2, map[string]uint64{"a": 400, "b": 205}))
	all := map[string]float64{"events": 30, "waiting": 4, "oldest": 4, "failures": 3, "cpu": 0.1,
		"memory": 102}
	for name, want := range all {
		if got := newest(h.ofAll(), name); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	a := h.of("a")
	for name, want := range map[string]float64{"events": 10, "waiting": 2, "oldest": 4,
		"failures": 1} {
		if got := newest(a, name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if v := a.Series["events"][points-2]; v != 20 {
		t.Errorf("the point before: %v", v)
	}
	if v := h.of("b").Series["waiting"][points-3]; !math.IsNaN(float64(v)) {
		t.Errorf("b before it began: %v", v)
	}
	a.Series["events"][0] = 7
	if v := h.of("a").Series["events"][0]; v == 7 {
		t.Error("a series is not a copy")
	}
}

func TestFifteenMinutesAreKept(t *testing.T) {
	var h history
	for n := range 3 * points {
		h.add(at(n, map[string]uint64{"a": uint64(n * n)}))
	}
	values := h.of("a").Series["waiting"]
	if len(values) != 90 || values[0] != value(2*points) || values[89] != value(3*points-1) {
		t.Errorf("%d values, from %v to %v", len(values), values[0], values[len(values)-1])
	}
}

func TestWhatIsGoneIsForgotten(t *testing.T) {
	var h history
	for n := range 5 {
		h.add(at(n, map[string]uint64{fmt.Sprint("l", n): 1}))
	}
	if len(h.listeners) != 1 {
		t.Errorf("%d listeners are known", len(h.listeners))
	}
	s := h.of("l0")
	text, err := json.Marshal(s)
	if err != nil || strings.Contains(string(text), "NaN") ||
		strings.Count(string(text), "null") != 4*points {
		t.Errorf("%v: %s", err, text)
	}
}

// A clock that was set has no rates.
func TestAClockThatJumps(t *testing.T) {
	var h history
	h.add(at(5, map[string]uint64{"a": 1}))
	h.add(at(2, map[string]uint64{"a": 2}))
	if v := newest(h.ofAll(), "events"); !math.IsNaN(v) {
		t.Error(v)
	}
	h.add(at(3, map[string]uint64{"a": 12}))
	if v := newest(h.ofAll(), "events"); v != 1 {
		t.Error(v)
	}
}
