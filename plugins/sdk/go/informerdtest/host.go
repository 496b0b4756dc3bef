//go:build !wasip1

package informerdtest

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// Host is the environment of handlers besides events: a key-value store, a clock, random numbers,
// HTTP responses and the caches of informers. The zero value is empty and ready for use. It
// outlives its guests, like a persistent store.
type Host struct {
	now      time.Time // zero: epoch
	seed     uint64
	values   map[string]value
	maxKeys  int
	answers  map[string]Answer // by method and URL
	requests []Request
	caches   map[string]*cache // by informer
}

// epoch is where the clock starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Now returns the time on the clock, which stands still until it is set. It starts with 2026.
func (h *Host) Now() time.Time {
	if h.now.IsZero() {
		return epoch
	}
	return h.now
}

// SetTime sets the clock. Values in the store expire by it.
func (h *Host) SetTime(now time.Time) { h.now = now }

// Advance moves the clock forward.
func (h *Host) Advance(d time.Duration) { h.now = h.Now().Add(d) }

// SetSeed sets the random seed of guests started later: the same seed yields the same bytes in the
// same order. The default is 0.
func (h *Host) SetSeed(seed uint64) { h.seed = seed }

// Start configures the handler; it fails the test if the configuration is rejected.
func (h *Host) Start(t testing.TB, config string) *Guest {
	t.Helper()
	g, err := h.Load(config)
	if err != nil {
		t.Fatalf("configure: %v", err)
	}
	return g
}

// Value returns the value stored under a key.
func (h *Host) Value(key string) (text string, ok bool) {
	v, ok := h.live(key)
	return string(v.text), ok
}

// SetValue stores a value, which never expires if ttl is 0.
func (h *Host) SetValue(key, text string, ttl time.Duration) { h.store(key, []byte(text), ttl) }

// Keys returns the store's keys, sorted.
func (h *Host) Keys() []string {
	maps.DeleteFunc(h.values, func(key string, _ value) bool { _, ok := h.live(key); return !ok })
	return slices.Sorted(maps.Keys(h.values))
}

// LimitKeys makes the store reject keys beyond n; 0 means no limit.
func (h *Host) LimitKeys(n int) { h.maxKeys = n }

// Request is an HTTP request that the handler made.
type Request struct {
	Method, URL string
	Header      map[string]string
	Body        string
}

// Answer is the outcome of a request: a response or, if Err is one of package informerd's errors,
// that error.
type Answer struct {
	Status int // 200 if it is 0
	Header map[string]string
	Body   string
	Err    error
}

// Answer sets the outcome of later requests with this method and URL. Other requests are
// unavailable.
func (h *Host) Answer(method, url string, a Answer) {
	if h.answers == nil {
		h.answers = map[string]Answer{}
	}
	if a.Status == 0 {
		a.Status = 200
	}
	h.answers[method+" "+url] = a
}

// Requests returns the requests that the handler has made so far, answered or not.
func (h *Host) Requests() []Request { return h.requests }

// SetObjects sets the objects in an informer's cache, as JSON texts. It grants the informer; others
// are denied.
func (h *Host) SetObjects(informer string, objects ...string) {
	c := h.cacheOf(informer)
	c.byKey = map[string]string{}
	for _, text := range objects {
		c.add(text)
	}
}

// SetIndex sets the objects that an informer's index has under a value, by keys such as shop/web
// or, for cluster-scoped objects, n1. It panics if there is no object with that key.
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
