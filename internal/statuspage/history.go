package statuspage

import (
	"cmp"
	"encoding/json"
	"math"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/status"
)

// every is how often a status is to be added.
const every = 10 * time.Second

const points = int(15 * time.Minute / every)

// What there is of a listener, and of all together.
const (
	events   = iota // per second, those included that are refused before a buffer
	waiting         // events
	oldest          // seconds that the oldest one waits
	failures        // per second
	ofListener

	cpu    = iota - 1 // cores
	memory            // bytes
	ofEverything
)

var names = [ofEverything]string{"events", "waiting", "oldest", "failures", "cpu", "memory"}

// history keeps what the pipeline did in the last 15 minutes, for plots: a point each 10 seconds.
// What is not known, such as that of a listener before it began, has no value. A listener takes
// 1.5 kB, and is forgotten when it is gone. The zero value is empty. It is safe for concurrent use.
type history struct {
	mu        sync.Mutex // guards what follows
	last      *status.Status
	at        int // of the newest point, in each ring
	all       [ofEverything]ring
	listeners map[string]*rings
}

type ring [points]float32

type rings [ofListener]ring

func newRings() *rings {
	of := &rings{}
	for i := range of {
		of[i].clear()
	}
	return of
}

var unknown = float32(math.NaN())

func (r *ring) clear() {
	for i := range r {
		r[i] = unknown
	}
}

// series are lists of values, the oldest first.
type series struct {
	Every  float64            `json:"every"` // seconds from value to value
	Series map[string][]value `json:"series"`
}

// value is one value of a series, NaN and null in JSON if it is not known.
type value float32

// MarshalJSON implements json.Marshaler.
func (v value) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float32(v))
}

// add adds a point.
func (h *history) add(s *status.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = map[string]*rings{}
		for i := range h.all {
			h.all[i].clear()
		}
	}
	var rates status.Rates
	if h.last != nil {
		rates = status.RatesOf(h.last, s)
	}
	h.last = s
	h.at = (h.at + 1) % points
	there := make(map[string]bool, len(s.Listeners))
	var sum [ofListener]float32
	for i := range s.Listeners {
		l := &s.Listeners[i]
		there[l.Name] = true
		values := [ofListener]float32{unknown, float32(l.Waiting()), float32(l.Oldest()), unknown}
		if r, known := rates.Listeners[l.Name]; known {
			values[events], values[failures] = float32(r.Seen), float32(r.Failures)
			sum[events] += values[events]
			sum[failures] += values[failures]
		}
		sum[waiting] += values[waiting]
		sum[oldest] = max(sum[oldest], values[oldest])
		set(h.ringsOf(l.Name)[:], h.at, values[:])
	}
	for name := range h.listeners {
		if !there[name] {
			delete(h.listeners, name)
		}
	}
	whole := [ofEverything]float32{sum[events], sum[waiting], sum[oldest], sum[failures],
		float32(rates.CPU), float32(s.Process.MemoryBytes)}
	if rates.Over <= 0 {
		whole[events], whole[failures], whole[cpu] = unknown, unknown, unknown
	}
	set(h.all[:], h.at, whole[:])
}

func (h *history) ringsOf(name string) *rings {
	of := h.listeners[name]
	if of == nil {
		of = newRings()
		h.listeners[name] = of
	}
	return of
}

func set(all []ring, at int, values []float32) {
	for i, v := range values {
		all[i][at] = v
	}
}

// ofAll returns what all listeners did together, and what that took.
func (h *history) ofAll() series {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.series(h.all[:])
}

// of returns what a listener did, without values if it is not known.
func (h *history) of(listener string) series {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := cmp.Or(h.listeners[listener], newRings())
	return h.series(of[:])
}

func (h *history) series(of []ring) series {
	s := series{Every: every.Seconds(), Series: map[string][]value{}}
	for i := range of {
		values := []value{}
		if h.last != nil {
			for n := range points {
				values = append(values, value(of[i][(h.at+1+n)%points]))
			}
		}
		s.Series[names[i]] = values
	}
	return s
}
