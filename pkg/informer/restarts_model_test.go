package informer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// restartStep is one thing that happens to the process of a restartWorld, to its server, or to one
// of its listeners.
type restartStep struct {
	what     string
	name     string // of the object
	listener int
	n        int
	pause    time.Duration
}

func drawRestartStep(t *rapid.T) restartStep {
	return restartStep{
		what: rapid.SampledFrom([]string{
			"change", "change", "change", "delete", "replace", "disconnect", "take", "take", "take",
			"done", "done", "done", "done", "all", "retry", "again", "rescan", "join", "cut", "cut",
			"whole", "kill", "kill", "kill compacted", "stop", "bookmark", "pause",
		}).Draw(t, "what"),
		name:     rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name"),
		listener: rapid.IntRange(0, 2).Draw(t, "listener"),
		n:        rapid.IntRange(0, 7).Draw(t, "n"),
		pause: time.Duration(rapid.SampledFrom([]int{0, 1, 900, 5000}).Draw(t, "pause")) *
			time.Millisecond,
	}
}

// restartWorld is an informer whose process is killed and stopped all the time, with listeners of
// which each finishes what it wants. What they know is written down here, without a look at what
// the process keeps.
type restartWorld struct {
	*lives
	uids      int
	current   map[string]string // uid of each object there is
	listeners []*restartListener
	cuts      int
	behind    int // cuts while something was queued
	problem   string
	// seen is how many uids there were when a cut had all of them.
	seen int
	// unsure: the process does not know what the one before it, which was killed, has delivered. So
	// listeners may get the delete of any uid up to the one that was the last one then.
	unsure   bool
	perhaps  int
	lists    int // of the server when the process began
	bookmark int // version of the last one
}

type restartListener struct {
	cfg SubscriptionConfig
	sub *Subscription // nil until it has joined
	out []Delivery
	// known is what it has finished, and committed what it had at the last cut.
	known, committed map[string]*object.Object
	// has are the uids that it has got, whether it has finished them or not. It has to get the
	// deletes of those for which there is a true.
	has map[string]bool
	// owed counts deletes of what it has not finished in the life that its process began with.
	resumed, events, owed int
}

// TestRestartModel: whenever a process is killed, and started again from its last cut, each
// listener gets of each object exactly what follows what it had finished at that cut: no last state
// and no delete is lost, nothing comes in another order, and nothing comes twice that was finished
// before the cut. Of each object that it has got, finished or not, it also gets the delete; and if
// no process was killed, no delete of an object that it has not got.
func TestRestartModel(t *testing.T) {
	resumed, cuts, behind, owed, dir := 0, 0, 0, 0, t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		configs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) SubscriptionConfig {
			return SubscriptionConfig{
				Capacity: rapid.IntRange(1, 6).Draw(t, "capacity"),
				Overflow: rapid.SampledFrom([]Overflow{OverflowLatest, OverflowBlock,
					OverflowSpill}).Draw(t, "overflow"),
				SpillBytes: 24_000,
			}
		}), 3, 3).Draw(rt, "configs")
		streams := rapid.Bool().Draw(rt, "streams")
		steps := rapid.SliceOfN(rapid.Custom(drawRestartStep), 40, 160).Draw(rt, "steps")
		problem := ""
		synctest.Test(t, func(t *testing.T) {
			w := &restartWorld{current: map[string]string{},
				lives: &lives{t: t, server: newFakeServer(), kept: checkpoint{}}}
			w.server.streams = streams
			for i, cfg := range configs {
				cfg.Name, cfg.SpillDir = fmt.Sprint("listener ", i), dir
				w.listeners = append(w.listeners, &restartListener{cfg: cfg,
					known: map[string]*object.Object{}, has: map[string]bool{}})
			}
			w.start()
			for i, s := range steps {
				if w.step(s); w.problem != "" {
					problem = fmt.Sprintf("step %d, %+v: %s", i, s, w.problem)
					break
				}
			}
			if problem == "" {
				w.finish()
				problem = w.problem
			}
			w.kill()
			for _, l := range w.listeners {
				resumed += l.resumed
				owed += l.owed
			}
			cuts += w.cuts
			behind += w.behind
		})
		if problem != "" {
			rt.Fatal(problem)
		}
	})
	if !t.Failed() && (resumed < 1000 || cuts < 400 || behind < 40 || owed < 40) {
		t.Errorf("only %d resumed events, %d owed deletes, %d cuts, and %d of them with a queue",
			resumed, owed, cuts, behind)
	}
}

func (w *restartWorld) fail(format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
}

func (w *restartWorld) step(s restartStep) {
	l := w.listeners[s.listener]
	switch s.what {
	case "change", "delete", "replace":
		w.change(s.what, s.name)
	case "disconnect":
		w.disconnect(s.n == 0)
	case "take":
		w.take(l, s.n)
	case "done", "retry", "again":
		if len(l.out) > 0 {
			i := s.n % len(l.out)
			d := l.out[i]
			l.out = slices.Delete(l.out, i, i+1)
			if s.what == "retry" {
				d.Retry(s.pause)
				break
			}
			w.done(l, d)
			if s.what == "again" {
				d.Again(s.pause)
			} else {
				d.Done()
			}
		}
	case "all":
		w.work(l)
	case "rescan":
		if l.sub != nil {
			l.sub.Rescan()
		}
	case "join":
		w.joinAs(l)
	case "cut":
		w.takeCut(w.factory.Cut())
		w.mayKeep(s)
	case "whole":
		_, whole := w.factory.CutAndWhole()
		w.takeCut(whole)
		w.mayKeep(s)
	case "pause":
		time.Sleep(s.pause)
	case "bookmark":
		w.server.raw(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",` +
			`"metadata":{"resourceVersion":"` + strconv.Itoa(w.server.version+1) + `"}}}`)
		w.bookmark = w.server.version
	case "stop": // as after SIGTERM
		w.settle(func() []InformerCut {
			cuts := w.factory.Cut()
			w.takeCut(cuts)
			return cuts
		})
		w.end(s)
	case "kill", "kill compacted":
		w.end(s)
	}
	synctest.Wait()
}

// mayKeep says that the last cut is kept, unless it takes longer.
func (w *restartWorld) mayKeep(s restartStep) {
	if s.n > 0 {
		w.keep()
	}
}

// disconnect ends the watch.
func (w *restartWorld) disconnect(compact bool) {
	w.server.disconnect(compact)
	w.expire()
}

// expire notes what nobody can know if the process is killed: what came after the last cut, and
// will not come again since the version of that cut has expired.
func (w *restartWorld) expire() {
	for _, kept := range w.kept {
		if version, _ := strconv.Atoi(kept.version); version > w.server.compacted {
			return
		}
	}
	for _, l := range w.listeners {
		for uid := range l.has {
			l.has[uid] = l.has[uid] && number(uid) <= w.seen
		}
	}
}

// number returns which uid of the world it is.
func number(uid string) (n int) {
	_, _ = fmt.Sscanf(uid, "u%d", &n)
	return n
}

// change is one of the server, whether the process runs or not.
func (w *restartWorld) change(what, name string) {
	uid := w.current[name]
	if what != "change" && uid != "" {
		w.server.remove(name)
		delete(w.current, name)
		uid = ""
	}
	if what == "delete" {
		return
	}
	if uid == "" {
		w.uids++
		uid = fmt.Sprint("u", w.uids)
		w.current[name] = uid
	}
	w.server.apply(name, uid, "")
}

// end ends the process, lets something happen meanwhile, and starts it again.
func (w *restartWorld) end(s restartStep) {
	w.kill()
	for i, l := range w.listeners {
		l.sub, l.out = nil, nil
		if l.known = maps.Clone(l.committed); l.known == nil {
			l.known = map[string]*object.Object{}
			if len(l.has) > 0 {
				w.fail("listener %d has got something, and is not in the checkpoint", i)
			}
		}
	}
	w.expire()
	for i := range s.n {
		w.change([]string{"change", "delete", "replace"}[(i+s.listener)%3],
			string("abcd"[(i*s.n+len(s.name))%4]))
	}
	if s.what == "kill compacted" {
		w.disconnect(true)
	}
	if w.unsure {
		w.perhaps = w.uids
	}
	if w.asked {
		w.unsure = w.unsure || s.what != "stop"
	}
	w.lists, w.bookmark = len(w.server.listed()), 0
	w.start()
	for i, l := range w.listeners {
		if s.n>>i&1 > 0 {
			w.joinAs(l)
		}
	}
	time.Sleep(s.pause)
}

func (w *restartWorld) joinAs(l *restartListener) {
	if l.sub == nil {
		l.sub, _ = w.subscribe(l.cfg)
	}
}

// takeCut writes down what each listener has finished by now, if the process knows it.
func (w *restartWorld) takeCut(cuts []InformerCut) {
	w.cuts++
	for _, inf := range w.factory.informers() {
		if !inf.queue.Idle() {
			w.behind++
		}
	}
	w.kept.apply(cuts)
	for _, kept := range w.kept {
		if kept.version != strconv.Itoa(w.server.version) {
			continue
		}
		w.seen = w.uids
		if w.unsure && (len(w.server.listed()) > w.lists || w.bookmark > 0) {
			w.unsure, w.perhaps = false, w.uids
		}
	}
	for _, l := range w.listeners {
		if w.kept.has(l.cfg.Name) {
			l.committed = maps.Clone(l.known)
		}
	}
}

func (w *restartWorld) take(l *restartListener, n int) {
	if l.sub == nil {
		return
	}
	got := l.sub.More(nil, n, 1)
	for i, d := range got {
		for _, other := range append(got[:i:i], l.out...) {
			if other.Object.Name() == d.Object.Name() {
				w.fail("%s while %s is out", story(d.Event), story(other.Event))
			}
		}
		w.got(l, d)
	}
	l.out = append(l.out, got...)
}

// got notes what a listener has from here on, even if it does not finish that.
func (w *restartWorld) got(l *restartListener, d Delivery) {
	uid := d.Object.UID()
	if d.Op != event.Delete {
		l.has[uid] = true
		return
	}
	known := l.known[d.Object.Name()]
	owed, had := l.has[uid]
	if known == nil && d.Missed == 0 && !had && !w.unsure && number(uid) > w.perhaps {
		w.fail("%s, which %s has never got", story(d.Event), l.cfg.Name)
	}
	if known == nil && owed {
		l.owed++
	}
	l.has[uid] = false
}

// work has a listener finish everything that is ready.
func (w *restartWorld) work(l *restartListener) (busy bool) {
	for w.take(l, 10); len(l.out) > 0; w.take(l, 10) {
		for _, d := range l.out {
			w.done(l, d)
			d.Done()
		}
		l.out, busy = nil, true
		synctest.Wait()
	}
	return busy
}

// done checks that an event follows what its listener knows.
func (w *restartWorld) done(l *restartListener, d Delivery) {
	e, name := d.Event, d.Object.Name()
	known := l.known[name]
	same := known != nil && known.UID() == e.Object.UID()
	newer := known == nil || versionOf(e.Object) > versionOf(known)
	fits := false
	switch e.Op {
	case event.Add:
		fits = known == nil
	case event.Update:
		fits = same && newer && versionOf(e.Old) == versionOf(known)
	case event.Delete:
		fits = same || known == nil // see got
	case event.Resync:
		// A rescan comes to an object in the state that it has, if nothing else waits.
		fits = same && versionOf(e.Object) == versionOf(known)
	}
	if !fits {
		w.fail("%s, and %s knows %v", story(e), l.cfg.Name, known)
	}
	l.events++
	if e.Resumed {
		l.resumed++
	}
	if l.known[name] = e.Object; e.Op == event.Delete {
		delete(l.known, name)
	}
}

// finish lets everybody come to the end of everything, and compares that with the server.
func (w *restartWorld) finish() {
	for _, l := range w.listeners {
		w.joinAs(l)
		for _, d := range l.out {
			w.done(l, d)
			d.Done()
		}
		l.out = nil
	}
	time.Sleep(2 * time.Minute) // retries, recalls, and lists
	synctest.Wait()
	w.takeCut(w.factory.Cut())
	if w.keep() {
		w.fail("a listener waits although its cut is kept")
	}
	for busy := true; busy && w.problem == ""; {
		busy = false
		synctest.Wait()
		for _, l := range w.listeners {
			busy = w.work(l) || busy
		}
	}
	w.takeCut(w.factory.Cut())
	for _, kept := range w.kept {
		for name, entries := range kept.told {
			if len(entries) > 0 {
				w.fail("everything is finished, and for %s are listed %v", name, entries)
			}
		}
	}
	for _, l := range w.listeners {
		if len(l.known) != len(w.server.objects) {
			w.fail("%s knows %d objects, the server has %d", l.cfg.Name, len(l.known),
				len(w.server.objects))
		}
		for name, text := range w.server.objects {
			var is struct {
				Metadata struct{ UID, ResourceVersion string }
			}
			if err := json.Unmarshal([]byte(text), &is); err != nil {
				w.fail("%v", err)
			}
			known := l.known[name]
			if known == nil || known.UID() != is.Metadata.UID ||
				strconv.Itoa(versionOf(known)) != is.Metadata.ResourceVersion {
				w.fail("%s knows %v, the server has %s", l.cfg.Name, known, text)
			}
		}
		for uid, owed := range l.has {
			if owed && !slices.Contains(slices.Collect(maps.Values(w.current)), uid) {
				w.fail("%s has got %s, and never its delete", l.cfg.Name, uid)
			}
		}
		if n := l.sub.Stats().Mistakes; n > 0 {
			w.fail("%d mistakes", n)
		}
	}
}
