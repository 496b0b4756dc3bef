package endpoints

import (
	"maps"
	"sync"

	"github.com/informerd/informerd/internal/status"
)

// floors keep the sums over informers from falling when one of several ends. The zero value is
// ready.
type floors struct {
	mu sync.Mutex // guards what follows
	of map[floorKey]*floor
}

// floorKey is a counter of a scope.
type floorKey struct {
	scope   scopeKey
	counter string
}

// floor is what was shown of a counter, and how much of it nobody counts any more.
type floor struct{ shown, gone uint64 }

// raise returns the sums with the counters that are to be shown. It calls read with the lock held:
// what another request had read later would look as if the counters had fallen. Of several clusters,
// those that are not there any more are forgotten.
func (f *floors) raise(read func() map[scopeKey]scope, clusters []status.Cluster) map[scopeKey]scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	there := map[string]bool{"": true}
	for i := range clusters {
		there[valid(clusters[i].Name)] = true
	}
	maps.DeleteFunc(f.of, func(key floorKey, _ *floor) bool { return !there[key.scope[2]] })
	sums := read()
	for key, sum := range sums {
		raise := func(counter string, n uint64) uint64 {
			return f.floor(floorKey{key, counter}).raise(n)
		}
		sum.Lists = raise("lists", sum.Lists)
		sum.Events, sum.Skipped = raise("events", sum.Events), raise("skipped", sum.Skipped)
		sum.Received, sum.Foreign = raise("received", sum.Received), raise("foreign", sum.Foreign)
		for reason, n := range sum.Relists {
			sum.Relists[reason] = raise("relists "+reason, n)
		}
		sums[key] = sum
	}
	return sums
}

// floor returns that of a counter. The caller holds mu.
func (f *floors) floor(key floorKey) *floor {
	if f.of == nil {
		f.of = map[floorKey]*floor{}
	}
	if f.of[key] == nil {
		f.of[key] = &floor{}
	}
	return f.of[key]
}

// raise returns a counter that does not fall. One that begins again goes on from what was shown.
func (f *floor) raise(n uint64) uint64 {
	if n+f.gone < f.shown {
		f.gone = f.shown - n
	}
	f.shown = n + f.gone
	return f.shown
}
