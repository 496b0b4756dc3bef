package replicas

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	core "k8s.io/client-go/kubernetes/typed/core/v1"
)

const (
	objects = 240
	writers = 4
	// rate is how many changes there are in a second, if the machine has the time.
	rate = 500
	// patience is how long nothing may come before writers wait for it.
	patience = 15 * time.Second
)

// namespaces is how many there are that objects are in.
const namespaces = 24

func namespaceOf(number int) string { return fmt.Sprintf("n%d", number%namespaces) }

// truth is the last state of an object, as the API server has it.
type truth struct {
	uid     string // "" if there is none
	version string
	bad     string
}

// writing changes objects until it is stopped.
type writing struct {
	maps     core.ConfigMapsGetter
	receiver *receiver
	changes  atomic.Int64

	mu   sync.Mutex
	now  map[string]truth
	errs []error
}

// run blocks until ctx is done and each change is known to be made or not.
func (w *writing) run(ctx context.Context, seed uint64) {
	ticks := make(chan struct{})
	var all sync.WaitGroup
	for i := range writers {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			for range ticks {
				w.change(random, i+writers*random.IntN(objects/writers))
			}
		})
	}
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			continue
		}
		if _, at, any := w.receiver.last(); any && time.Since(at) > patience {
			continue
		}
		select {
		case ticks <- struct{}{}:
		case <-ctx.Done():
		}
	}
	close(ticks)
	all.Wait()
}

// change changes one object, which no other goroutine does.
func (w *writing) change(random *rand.Rand, number int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	name, maps := fmt.Sprintf("m%03d", number), w.maps.ConfigMaps(namespaceOf(number))
	w.mu.Lock()
	was := w.now[name]
	w.mu.Unlock()
	bad := "no"
	if random.IntN(3) == 0 {
		bad = "yes"
	}
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name,
		Labels: map[string]string{"stress": "yes"}},
		Data: map[string]string{"bad": bad, "n": fmt.Sprint(w.changes.Add(1))}}
	var err error
	is := truth{}
	switch {
	case was.uid == "":
		m, err = maps.Create(ctx, m, metav1.CreateOptions{})
		is.bad = bad
	case random.IntN(10) == 0:
		m, err = &corev1.ConfigMap{}, maps.Delete(ctx, name, metav1.DeleteOptions{})
	default:
		m, err = maps.Update(ctx, m, metav1.UpdateOptions{})
		is.bad = bad
	}
	if apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	is.uid, is.version = string(m.UID), m.ResourceVersion
	w.now[name] = is
}

// truths returns the last states of all objects that there have been.
func (w *writing) truths() map[string]truth {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := make(map[string]truth, len(w.now))
	for name, is := range w.now {
		now[name] = is
	}
	return now
}
