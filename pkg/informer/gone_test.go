package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer/object"
)

// mortal is a server whose resource may be missing.
type mortal struct {
	*fakeServer
	missing atomic.Bool
	asked   atomic.Int32
}

func (m *mortal) ListWatcher(Resource, Scope) ListWatcher {
	answer := func(ask func(context.Context, metav1.ListOptions) (io.ReadCloser,
		error)) func(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
		return func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
			m.asked.Add(1)
			if m.missing.Load() {
				return nil, notFound()
			}
			return ask(ctx, opts)
		}
	}
	return listWatch{list: answer(m.List), watch: answer(m.Watch)}
}

// end removes the resource, without the ends of its objects.
func (m *mortal) end(names ...string) {
	m.missing.Store(true)
	for _, name := range names {
		m.remove(name, true)
	}
	m.disconnect(true)
}

var somePods = schema.GroupResource{Resource: "pods"}

// whileItIsMissing runs f with a factory of a server whose resource comes and goes. removed has
// Renew say that it was removed.
func whileItIsMissing(t *testing.T,
	f func(w *world, server *mortal, removed *atomic.Bool)) {
	synctest.Test(t, func(t *testing.T) {
		server := &mortal{fakeServer: newFakeServer()}
		factory := NewFactory(server, nil)
		var removed atomic.Bool
		factory.Renew = func(_ context.Context, was Resource) (Resource, error) {
			if removed.Load() {
				return was, fmt.Errorf("its definition is gone: %w", ErrGone)
			}
			return was, errors.New("it cannot be found")
		}
		w := &world{t: t, server: server.fakeServer, factory: factory}
		ctx, cancel := context.WithCancel(t.Context())
		w.ctx = ctx
		ended := make(chan error, 1)
		go func() { ended <- factory.Run(ctx) }()
		f(w, server, &removed)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// What an informer held of a resource that was removed ends with it, once, in states that are not
// known. The status says why. Objects of the next life are adds, also of the same names.
func TestObjectsEndWithTheirResource(t *testing.T) {
	whileItIsMissing(t, func(w *world, server *mortal, removed *atomic.Bool) {
		server.apply("a", "1", "")
		server.apply("b", "2", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take(), "add a/1 101*", "add b/2 102*")
		removed.Store(true)
		server.end("a", "b")
		time.Sleep(time.Minute)
		synctest.Wait()
		ends := r.take()
		slices.Sort(ends)
		expect(t, ends, "delete a/1 101?", "delete b/2 102?")
		if s := reg.Status(); !errors.Is(s.Err, ErrGone) || !s.Synced || s.Objects != 0 {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, r.take())

		server.apply("b", "3", "", true)
		removed.Store(false)
		server.missing.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		expect(t, r.take(), "add b/3 106")
		if s := reg.Status(); s.Err != nil {
			t.Error(s.Err)
		}
		removed.Store(true) // it ends again
		server.end("b")
		time.Sleep(15 * time.Minute) // as long as a watch may last, and a pause
		synctest.Wait()
		expect(t, r.take(), "delete b/3 106?")
	})
}

// Without knowing that the resource was removed nothing ends: the next list shows what is there.
func TestAMissingResourceEndsNothing(t *testing.T) {
	whileItIsMissing(t, func(w *world, server *mortal, _ *atomic.Bool) {
		server.apply("a", "1", "")
		server.apply("b", "2", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take(), "add a/1 101*", "add b/2 102*")
		server.end("b")
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, r.take())
		if err := reg.Status().Err; err == nil ||
			!strings.HasSuffix(err.Error(), ": it cannot be found") {
			t.Error(err)
		}
		server.missing.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		expect(t, r.take(), "delete b/2 102?")
	})
}

// A resource that was never there has no first list, even if it is known to be gone.
func TestAResourceThatNeverWasIsNotSynced(t *testing.T) {
	whileItIsMissing(t, func(w *world, server *mortal, removed *atomic.Bool) {
		removed.Store(true)
		server.missing.Store(true)
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, r.take())
		if reg.HasSynced() {
			t.Error("synced")
		}
		server.apply("a", "1", "", true)
		server.missing.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		expect(t, r.take(), "add a/1 101*")
	})
}

// News of a missing resource has it asked for at once, and soon again if that is too early. News
// that come before the resource is missed are not lost. Other resources are not asked for.
func TestNewsOfAMissingResource(t *testing.T) {
	whileItIsMissing(t, func(w *world, server *mortal, removed *atomic.Bool) {
		server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take(), "add a/1 101*")
		removed.Store(true)
		w.factory.LookAgain(somePods)
		time.Sleep(time.Hour)
		server.end("a")
		time.Sleep(time.Second)
		synctest.Wait()
		expect(t, r.take(), "delete a/1 101?")

		time.Sleep(time.Hour)
		before := server.asked.Load()
		w.factory.LookAgain(schema.GroupResource{Group: "apps", Resource: "pods"})
		time.Sleep(time.Second)
		synctest.Wait()
		if n := server.asked.Load() - before; n > 2 {
			t.Errorf("asked %d times because of another resource", n)
		}
		w.factory.LookAgain(somePods)
		time.Sleep(300 * time.Millisecond)
		server.apply("b", "2", "", true)
		server.missing.Store(false)
		time.Sleep(700 * time.Millisecond)
		synctest.Wait()
		expect(t, r.take(), "add b/2 104")
	})
}

// What a checkpoint has of a resource that is gone ends as well.
func TestStoredObjectsEndWithTheirResource(t *testing.T) {
	whileItIsMissing(t, func(w *world, server *mortal, removed *atomic.Bool) {
		stored := obj("a", "1", 101)
		w.factory.Stored = func(InformerID) *Stored {
			return &Stored{Version: "101", Objects: []*object.Object{stored},
				Unfinished: map[string][]Unfinished{"s": nil}}
		}
		removed.Store(true)
		server.missing.Store(true)
		r, reg, _ := w.subscribe(SubscriptionConfig{Name: "s", Track: true})
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, r.take(), "delete a/1 101?")
		if !reg.HasSynced() {
			t.Error("not synced")
		}
	})
}
