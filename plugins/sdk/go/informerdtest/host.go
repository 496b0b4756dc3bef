//go:build !wasip1

package informerdtest

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// Host is what handlers have besides events: a store of values, a clock, random numbers, answers to
// requests and the caches of informers. The zero value has none of it and is ready for use. It
// outlives its guests, as a store does that is kept.
type Host struct {
	now      time.Time // zero is epoch
	seed     uint64
	values   map[string]value
	maxKeys  int
	answers  map[string]Answer // by method and URL
	requests []Request
	caches   map[string]*cache // by informer
}

// epoch is when the clock begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Now is the time on the clock, which stands still. It begins with 2026.
func (h *Host) Now() time.Time {
	if h.now.IsZero() {
		return epoch
	}
	return h.now
}

// SetTime sets the clock. Values of kv.v1 end by it.
func (h *Host) SetTime(now time.Time) { h.now = now }

// Advance moves the clock on.
func (h *Host) Advance(d time.Duration) { h.now = h.Now().Add(d) }

// SetSeed is for guests that are started after that: for the same seed they get the same random
// bytes in the same order. It is 0 without this.
func (h *Host) SetSeed(seed uint64) { h.seed = seed }

// Start configures the handler, with a configuration that must be taken.
func (h *Host) Start(t testing.TB, config string) *Guest {
	t.Helper()
	g, err := h.Load(config)
	if err != nil {
		t.Fatalf("configure: %v", err)
	}
	return g
}

// Value gives what the handler keeps under a key.
func (h *Host) Value(key string) (text string, ok bool) {
	v, ok := h.live(key)
	return string(v.text), ok
}

// SetValue lets the store have a value, without end if ttl is 0.
func (h *Host) SetValue(key, text string, ttl time.Duration) { h.store(key, []byte(text), ttl) }

// Keys are those in the store, in order.
func (h *Host) Keys() []string {
	maps.DeleteFunc(h.values, func(key string, _ value) bool { _, ok := h.live(key); return !ok })
	return slices.Sorted(maps.Keys(h.values))
}

// LimitKeys makes the store refuse more keys than that; 0 is no limit.
func (h *Host) LimitKeys(n int) { h.maxKeys = n }

// Request is what the handler has asked for.
type Request struct {
	Method, URL string
	Header      map[string]string
	Body        string
}

// Answer is what comes of a request: a response or, if Err is one of package informerd's errors,
// none.
type Answer struct {
	Status int // 200 if it is 0
	Header map[string]string
	Body   string
	Err    error
}

// Answer is the answer to requests with a method and URL from now on. There is none to others: they
// are unavailable.
func (h *Host) Answer(method, url string, a Answer) {
	if h.answers == nil {
		h.answers = map[string]Answer{}
	}
	if a.Status == 0 {
		a.Status = 200
	}
	h.answers[method+" "+url] = a
}

// Requests are those that the handler has made so far, answered or not.
func (h *Host) Requests() []Request { return h.requests }

// SetObjects makes these texts the objects in the cache of an informer. It grants the informer:
// others are denied.
func (h *Host) SetObjects(informer string, objects ...string) {
	c := h.cacheOf(informer)
	c.byKey = map[string]string{}
	for _, text := range objects {
		c.add(text)
	}
}

// SetIndex says what an index of an informer finds under a value: the objects with these keys, as
// in shop/web or, for cluster-scoped objects, n1. A key without an object panics.
func (h *Host) SetIndex(informer, index, value string, keys ...string) {
	c := h.cacheOf(informer)
	for _, key := range keys {
		if _, ok := c.byKey[key]; !ok {
			panic("informerdtest: informer " + informer + " has no object " + key)
		}
	}
	c.indexes[index+"="+value] = keys
}

func (h *Host) cacheOf(informer string) *cache {
	if h.caches == nil {
		h.caches = map[string]*cache{}
	}
	if h.caches[informer] == nil {
		h.caches[informer] = &cache{byKey: map[string]string{}, indexes: map[string][]string{}}
	}
	return h.caches[informer]
}
