package endpoints

import "sync"

// floors keep the sums over informers from falling when one of several ends. The zero value is
// ready.
type floors struct {
	mu sync.Mutex // guards what follows
	of map[[2]string]*[4]floor
}

// floor is what was shown of a counter, and how much of it nobody counts any more.
type floor struct{ shown, gone uint64 }

// raise changes the counters to what is to be shown.
func (f *floors) raise(sums map[[2]string]scope) map[[2]string]scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[[2]string]*[4]floor{}
	}
	for key, sum := range sums {
		of := f.of[key]
		if of == nil {
			of = &[4]floor{}
			f.of[key] = of
		}
		for i, n := range []*uint64{&sum.Lists, &sum.Watches, &sum.Events, &sum.Skipped} {
			*n = of[i].raise(*n)
		}
		sums[key] = sum
	}
	return sums
}

// raise returns a counter that does not fall. One that begins again goes on from what was shown.
func (f *floor) raise(n uint64) uint64 {
	if n+f.gone < f.shown {
		f.gone = f.shown - n
	}
	f.shown = n + f.gone
	return f.shown
}
