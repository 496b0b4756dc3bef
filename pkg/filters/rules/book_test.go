package rules

import (
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

func TestOpenIsSortedAndCountsAreByRuleSeverityAndNamespace(t *testing.T) {
	zealous := rule(t, "zealous", "object.z", 0, 0)
	zealous.severity = "critical"
	b := NewBook([]*Rule{zealous, rule(t, "able", "object.a", 0, 0),
		rule(t, "waits", "true", h, 0)}, 1)
	e := b.Evaluator(nil)
	for _, o := range []struct{ namespace, name, fields string }{
		{"shop", "web-2", `"z":true,"a":true`}, {"shop", "web-1", `"z":true`}, {
			"pay", "web-3", `"a":true,"z":true`}, {"", "node-1", `"a":true`}, {"pay", "clean", ""},
	} {
		evaluate(e, event.Event{Op: event.Add, Object: podIn(t, o.namespace, o.name, "u-"+o.name,
			o.fields)}, begin)
	}
	want := "able medium /node-1 u-node-1 since 0s: able; able medium pay/web-3 u-web-3 since 0s: able; able medium shop/web-2 u-web-2 since 0s: able; " +
		"zealous critical pay/web-3 u-web-3 since 0s: zealous; zealous critical shop/web-1 u-web-1 since 0s: zealous; zealous critical shop/web-2 u-web-2 since 0s: zealous"
	if got := opened(b); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	counts := map[Count]int{
		{"able", "medium", ""}: 1, {"able", "medium", "pay"}: 1, {"able", "medium", "shop"}: 1, {
			"zealous", "critical", "pay"}: 1, {"zealous", "critical", "shop"}: 2,
	}
	if got := b.Counts(); !maps.Equal(got, counts) {
		t.Errorf("got %v, want %v", got, counts)
	}
}

// What Open and Counts gave does not change any more.
func TestSnapshotsStay(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0)}, 1)
	e := b.Evaluator(nil)
	evaluate(e, event.Event{Op: event.Add, Object: pod(t, "web", "u1", `"n":5`)}, begin)
	open, counts := b.Open(), b.Counts()
	evaluate(e, event.Event{Op: event.Delete, Object: pod(t, "web", "u1", "")}, begin)
	if len(open) != 1 || open[0].Name != "web" || counts[Count{"a", "medium", "shop"}] != 1 {
		t.Errorf("got %v, %v", open, counts)
	}
	if len(b.Open()) != 0 || len(b.Counts()) != 0 {
		t.Errorf("got %v, %v", b.Open(), b.Counts())
	}
}

// Neither deny nor message runs while the book is locked: a worker would wait for another's
// expression.
func TestExpressionsRunWithoutTheLock(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, s)}, 1)
	e := telling(t, b.Evaluator(nil))
	judge, ran := e.judges[0], 0
	look := func() {
		ran++
		if !b.mu.TryLock() {
			t.Error("the book is locked")
			return
		}
		b.mu.Unlock()
	}
	e.judges[0].deny = func(ev event.Event) (bool, error) { look(); return judge.deny(ev) }
	e.judges[0].text = func(ev event.Event) (string, error) { look(); return judge.text(ev) }
	for i, n := range []string{"5", "5", "1"} {
		evaluate(e, event.Event{Op: event.Update,
			Object: pod(t, "web", "u1", `"message":"x","n":`+n)}, begin.Add(time.Duration(i)*s))
	}
	if ran != 5 {
		t.Errorf("%d expressions ran", ran)
	}
}

// Several workers, each with objects of its own, and somebody who looks on. What is counted at the
// end is what was reported.
func TestWorkersShareABook(t *testing.T) {
	const workers, objects, events = 4, 20, 2000
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0), rule(t, "b", "object.n > 6", 3*s, 2*s),
		rule(t, "as-a", deny, 0, 0)}, 1)
	told := make([]map[Count]int, workers)
	stop := make(chan struct{})
	var working, looking sync.WaitGroup
	for w := range workers {
		told[w] = map[Count]int{}
		working.Go(func() {
			e := b.Evaluator(nil)
			for i := range events {
				name, op := fmt.Sprintf("web-%d-%d", w, i%objects), event.Update
				if i%7 == 0 {
					op = event.Delete
				}
				namespace := []string{"shop", "pay"}[i%2]
				o := podIn(t, namespace, name, fmt.Sprint("u", i/(events/3)),
					fmt.Sprintf(`"n":%d`, (i*i+w)%11))
				for _, tr := range evaluate(e, event.Event{Op: op, Object: o},
					begin.Add(time.Duration(i)*s/10)).Transitions {
					c := Count{tr.Rule.Name(), tr.Rule.Severity(), namespace}
					if tr.State == Resolved {
						told[w][c]--
					} else if !tr.Repeated {
						told[w][c]++
					}
				}
			}
		})
	}
	looking.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			// What is violated together is seen together.
			counts := b.Counts()
			for _, namespace := range []string{"shop", "pay"} {
				if n, same := counts[Count{"a", "medium", namespace}],
					counts[Count{"as-a", "medium", namespace}]; n != same {
					t.Errorf("%d of a and %d of as-a in %s", n, same, namespace)
				}
			}
			seen := map[Violation]int{}
			for _, v := range b.Open() {
				v.Rule, v.Message = strings.TrimPrefix(v.Rule, "as-"), ""
				seen[v]++
			}
			for v, n := range seen {
				if v.Rule == "a" && n != 2 {
					t.Errorf("%d of a and as-a for %s/%s", n, v.Namespace, v.Name)
				}
			}
			runtime.Gosched()
		}
	})
	working.Wait()
	close(stop)
	looking.Wait()

	total, sum := map[Count]int{}, 0
	for _, counts := range told {
		for c, n := range counts {
			if n > 0 {
				total[c] += n
				sum += n
			}
		}
	}
	if got := b.Counts(); sum == 0 || !maps.Equal(got, total) || len(b.Open()) != sum {
		t.Errorf("got %v, and %d open; told were %v", got, len(b.Open()), total)
	}
}

// A daemon watches 200,000 objects, nearly all of them clean.
func TestCleanObjectsCostNothing(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0), rule(t, "~b", "object.n > 4", h, 0),
		rule(t, "c", `object.n == "x"`, 0, h)}, 1)
	e := b.Evaluator(nil)
	ev := event.Event{Op: event.Update, Object: pod(t, "web", "u1", `"n":1`)}
	if n := testing.AllocsPerRun(100, func() { evaluate(e, ev, begin) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(b.objects) != 0 || len(b.counts) != 0 {
		t.Errorf("%d objects and %d counts are remembered", len(b.objects), len(b.counts))
	}
}

// Evaluating an object that is pending or violated allocates nothing either.
func TestUnchangedStateCostsNothing(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, h), rule(t, "b", deny, h, 0)}, 1)
	e := b.Evaluator(nil)
	ev := event.Event{Op: event.Update, Object: pod(t, "web", "u1", `"n":5`)}
	if n := testing.AllocsPerRun(100, func() { evaluate(e, ev, begin) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A text that is a part of an object's text keeps all of it in memory.
func TestBookKeepsNoObjects(t *testing.T) {
	const objects, size = 100, 200 << 10
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0)}, 1)
	e := telling(t, b.Evaluator(nil))
	ballast := strings.Repeat("x", size)
	see := func(i int, op event.Op, uid, n string) {
		o := podIn(t, fmt.Sprint("shop-", i), fmt.Sprint("web-", i), uid,
			`"n":`+n+`,"message":"this is a message","ballast":"`+ballast+`"`)
		evaluate(e, event.Event{Op: op, Object: o}, begin)
	}
	before := heap()
	for i := range objects {
		see(i, event.Add, "u1", "5")
		see(i, event.Update, "u1", "1")
		see(i, event.Update, "u2", "5")
		see(i, event.Update, "u3", "5")
		see(i, event.Update, "u3", "6")
	}
	if grown := heap() - before; grown > objects*size/10 {
		t.Errorf("%d violations take %d bytes", objects, grown)
	}
	if n := len(b.Open()); n != objects {
		t.Errorf("%d are open", n)
	}
}

func heap() int {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
