package informer

import (
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
