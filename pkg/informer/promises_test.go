package informer

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// replicaOf is what podText needs besides for a pod of about 10 KB of a Deployment.
func replicaOf(node int) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `{"name":"SETTING_%d","value":"%s"},`, i,
			strings.Repeat(fmt.Sprint("a value of ", i, " "), 15))
	}
	return fmt.Sprintf(`,"spec":{"containers":[{"name":"web","env":[%s{"name":"LAST"}]}],"nodeName":"node-%d"},"status":{"podIP":"10.0.0.%d"}`, b.String(), node, node)
}

// replicas lets n pods of one Deployment come, all at once.
func (w *world) replicas(n int) {
	for i := range n {
		w.server.mu.Lock()
		w.server.version++
		name := fmt.Sprint("web-", i)
		text := strings.Replace(podText(name, name, w.server.version, replicaOf(i)), `"name":`,
			`"generateName":"web-","labels":{"app":"web"},"name":`, 1)
		w.server.objects[name] = text
		w.server.order = append(w.server.order, name)
		w.server.publish("ADDED", text, nil)
		w.server.mu.Unlock()
		synctest.Wait()
	}
}

// Of replicas, the store has little more than what differs between them. Events carry the very
// objects that are stored, and to store, index, match and deliver them unpacks none.
func TestReplicasAreStoredAndDeliveredPacked(t *testing.T) {
	inWorld(t, func(w *world) {
		const n = 40
		sub, err := NewSubscription(
			SubscriptionConfig{
				Conditions: []condition.Condition{ofLabel("app", condition.In, "web"), {
					Values: []string{"shop"}}}})
		if err != nil {
			t.Fatal(err)
		}
		reg, err := w.factory.Subscribe(pods, Scope{},
			Shape{Indexes: map[string]IndexFunc{
				"node": IndexByPath(object.MustCompilePath("spec.nodeName"))}}, sub)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.replicas(n)
		// The first one is the text that the others refer to.
		if s := reg.Status(); s.Objects != n || s.Bytes < n*9000 || s.Memory > s.Bytes/6 {
			t.Errorf("%d objects of %d bytes take %d", s.Objects, s.Bytes, s.Memory)
		}
		packed := 0
		for range n {
			d, err := sub.Next(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := reg.Lister().Get("shop", d.Object.Name())
			if err != nil || stored != d.Object.Stored() {
				t.Errorf("%s is delivered as another object than the one that is stored, %v",
					d.Object.Name(), err)
			}
			if d.Object.Memory() < d.Object.Size()/6 {
				packed++
			}
			d.Done()
		}
		if packed < n-2 {
			t.Errorf("%d of %d objects are delivered packed", packed, n)
		}
	})
}

// What is skipped is logged with what is wrong and where, and with nothing of what it says.
func TestSkippedObjectsAreLoggedWithoutTheirContent(t *testing.T) {
	const secret = "hunter2"
	for name, object := range map[string]string{
		"no name":               `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"hunter2"}}`,
		"a name that is none":   `{"kind":"Pod","apiVersion":"v1","metadata":{"name":{"hunter2":"hunter2"}}}`,
		"a name twice":          `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"hunter2","name":"hunter2"}}`,
		"a version that is odd": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":["hunter2"]}}`,
		"no object":             `"hunter2"`,
		"not JSON":              `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":hunter2}`,
		"a key that is broken":  `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","hunter2\q":1}}`,
	} {
		for _, listed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, listed %t", name, listed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log lockedLog
					server := newFakeServer()
					if listed {
						server.apply("a", "1", "")
						server.objects["a"] = object
					}
					_, _, stop := alone(t, server,
						slog.New(
							slog.NewTextHandler(&log,
								&slog.HandlerOptions{Level: slog.LevelDebug})))
					synctest.Wait()
					if !listed {
						server.raw(`{"type":"ADDED","object":` + object + `}`)
					}
					synctest.Wait()
					stop()
					if len(log.lines("level=WARN"))+len(log.lines("level=ERROR")) == 0 ||
						len(log.lines(secret)) > 0 {
						t.Errorf("%q", log.lines(""))
					}
				})
			})
		}
	}
}

// Whoever reads the store can take any time over it: the writer continues meanwhile.
func TestReadersDoNotHoldUpTheWriter(t *testing.T) {
	s := store.New()
	s.Put(obj("a", "1", 1))
	s.Put(obj("b", "1", 2))
	version := 2
	write := func() { // would hang if the reader had the lock
		version++
		s.Put(obj("a", "1", version))
	}
	reads := 0
	s.Snapshot().Each(func(*object.Object) { reads++; write() })
	found, err := Lister{inf: &informer{store: s}}.List("shop",
		slowSelector{labels.NewSelector(), func() { reads++; write() }})
	if err != nil || len(found) != 2 || reads != 4 {
		t.Errorf("%d objects, %d reads, %v", len(found), reads, err)
	}
	if o := s.Get(event.Key{Namespace: "shop", Name: "a"}); o.ResourceVersion() != fmt.Sprint(
		version) {
		t.Errorf("the store has %s, not %d", o.ResourceVersion(), version)
	}
}

// slowSelector does something at each object.
type slowSelector struct {
	labels.Selector
	at func()
}

func (slowSelector) Empty() bool { return false }

func (slowSelector) Requirements() (labels.Requirements, bool) { return nil, true }

func (s slowSelector) Matches(labels.Labels) bool { s.at(); return true }

// An informer has two goroutines, however many subscriptions it has and whatever those do. They
// have none.
func TestAnInformerHasTwoGoroutines(t *testing.T) {
	inWorld(t, func(w *world) {
		for i, overflow := range []Overflow{OverflowLatest, OverflowDrop, OverflowSpill,
			OverflowLatest, OverflowDrop, OverflowSpill} {
			_, sub := w.hang(SubscriptionConfig{Name: fmt.Sprint(i), Capacity: 1,
				Overflow: overflow,
				SpillDir: t.TempDir(), Resync: 1 << 40})
			defer sub.Discard() // nothing is left open
		}
		w.applyEach("a", "b", "a", "b", "c")
		if got := ownGoroutines(); got != 2 {
			t.Errorf("%d goroutines of one informer", got)
		}
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.factory.Subscribe(pods, Scope{Namespace: "shop"}, Shape{}, sub); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := ownGoroutines(); got != 4 {
			t.Errorf("%d goroutines of two informers", got)
		}
	})
}

// ownGoroutines counts those that run something of this package other than tests, except
// Factory.Run, which is the caller's.
func ownGoroutines() (n int) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, stack := range bytes.Split(stacks, []byte("\n\n")) {
		calls, _, _ := bytes.Cut(stack, []byte("\ncreated by "))
		if bytes.Contains(calls, []byte("pkg/informer.(")) &&
			!bytes.Contains(calls, []byte("informer.(*Factory).Run(")) &&
			!bytes.Contains(calls, []byte("_test.go:")) {
			n++
		}
	}
	return n
}
