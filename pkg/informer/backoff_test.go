package informer

import (
	"errors"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/internal/delays"
)

// A server that was away for long is found a few seconds after it is back, and was not asked all
// the time.
func TestAServerThatIsBackIsFoundSoon(t *testing.T) {
	inWorld(t, func(w *world) {
		r, _, _ := w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		var mu sync.Mutex // guards what follows
		away, attempts := true, 0
		var found time.Time
		w.server.failWatch = func(int, metav1.ListOptions) error {
			mu.Lock()
			defer mu.Unlock()
			if away {
				attempts++
				return &netError{syscall.ECONNREFUSED}
			}
			if found.IsZero() {
				found = time.Now()
			}
			return nil
		}
		w.server.disconnect(false)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		mu.Lock()
		away = false
		mu.Unlock()
		back := time.Now()
		time.Sleep(time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if d := found.Sub(back); found.IsZero() || d > 2*backoffRefused {
			t.Errorf("found after %v, at most %v", d, 2*backoffRefused)
		}
		if most := int(10*time.Minute/backoffRefused) + 3; attempts > most {
			t.Errorf("%d attempts, at most %d", attempts, most)
		}
		r.take()
	})
}

// The delays of any sequence of failures, against a model: those of refused connections have a
// ceiling of their own, which they raise no other delay beyond; the others double, and never get
// shorter, until there is no failure for two minutes.
func TestBackoffModel(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var b delays.Retry
		now, base, longest := time.Now(), backoffMin, time.Duration(0)
		for n := range 60 {
			pause := time.Duration(rng.Int64N(int64(2 * time.Second)))
			if rng.IntN(20) == 0 {
				pause, base, longest = backoffReset, backoffMin, 0
			}
			now = now.Add(pause)
			cause, ceiling := errors.New("busy"), backoffMax
			refused := rng.IntN(2) == 0
			if refused {
				cause, ceiling = &netError{syscall.ECONNREFUSED}, backoffRefused
			}
			d, least := b.Next(now, cause), min(base, ceiling)
			if d < least || d >= 2*least {
				t.Fatalf("seed %d, failure %d, refused %v: %v, want %v to %v", seed, n, refused, d,
					least, 2*least)
			}
			if !refused && least < longest {
				t.Fatalf("seed %d, failure %d: a refusal made %v of %v", seed, n, least, longest)
			}
			longest = max(longest, least)
			base = max(base, min(2*base, ceiling))
			now = now.Add(d)
		}
	}
}
