package replica

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

var target = informer.Target{Resource: pods}

// finished is what a listener named l has finished, up to a version.
func finished(version int, newest int, told ...informer.Unfinished) map[string]*keeper.Progress {
	return map[string]*keeper.Progress{"l": {Informers: map[informer.InformerID]*keeper.Part{
		target.ID(): {Version: strconv.Itoa(version), Newest: uint64(newest), Unfinished: told}}}}
}

// standbyOf returns the informers of a standby of a leader that has published something.
func standbyOf(t *testing.T, s *podServer, listeners map[string]*keeper.Progress,
	log *slog.Logger) *warm {
	t.Helper()
	w := newWarm(t.Context(), s, log)
	versions := map[place]string{}
	for at, version := range oldest(listeners) {
		versions[at] = strconv.FormatUint(version, 10)
	}
	w.cluster.pin(versions)
	for range 2 { // the second time there is nothing to do
		if err := w.watch(target); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// learned returns what a listener has to learn, and what is stored, as text.
func learned(stored map[informer.InformerID]*informer.Stored) (told, objects string) {
	s := stored[target.ID()]
	if s == nil {
		return "nothing", "nothing"
	}
	learn, all := map[string]string{}, map[string]string{}
	for _, e := range s.Unfinished["l"] {
		state := "-"
		if e.State != nil {
			state = e.State.UID() + "@" + e.State.ResourceVersion()
		}
		if e.Present {
			state += " present"
		}
		for _, o := range e.Gone {
			state += " " + o.UID()
		}
		learn[e.Key.Name] = state
	}
	for _, o := range s.Objects {
		all[o.Name()] = o.UID() + "@" + o.ResourceVersion()
	}
	return sorted(learn), sorted(all)
}

func sorted(m map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, key+": "+m[key])
	}
	return strings.Join(all, "; ")
}

func expect(t *testing.T, stored map[informer.InformerID]*informer.Stored, told, objects string) {
	t.Helper()
	if gotTold, gotObjects := learned(stored); gotTold != told || gotObjects != objects {
		t.Errorf("told:\n got %s\nwant %s\nobjects:\n got %s\nwant %s", gotTold, told, gotObjects,
			objects)
	}
}

// A standby that comes later has the history since the version that a listener has come to.
func TestAStandbyBeginsWithTheObjectsOfThatVersion(t *testing.T) {
	for _, final := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newPodServer()
			s.apply("same", "1", "")
			s.apply("gone", "2", "")
			s.apply("changed", "3", "")
			at := s.apply("replaced", "4", "")
			s.remove("gone")
			s.apply("changed", "3", "x")
			s.remove("replaced")
			s.apply("replaced", "5", "")
			newest := s.apply("new", "6", "")
			w := standbyOf(t, s, finished(at, newest), quiet)
			if err := w.catchUp(t.Context(), newest64(newest)); err != nil {
				t.Fatal(err)
			}
			s.apply("new", "6", "x") // it goes on, while the standby watches
			synctest.Wait()
			s.remove("same")
			synctest.Wait()
			want := "changed: 3@103; gone: 2@102; new: -; replaced: 4@104; same: 1@101"
			if !final {
				want = "changed: 3@103 present; gone: 2@102 2; new: - present; " +
					"replaced: 4@104 present 4; same: 1@101 1"
			}
			expect(t, w.end(finished(at, newest), final), want, "changed: 3@106; new: 6@110; replaced: 5@108")
			first := s.listed()[0]
			const exact = metav1.ResourceVersionMatchExact
			if first.ResourceVersion != strconv.Itoa(at) || first.ResourceVersionMatch != exact ||
				len(s.listed()) != 1 {
				t.Errorf("%+v", s.listed())
			}
		})
	}
}

func newest64(version int) map[place]uint64 {
	return map[place]uint64{placeOf(target.ID()): uint64(version)}
}

// If the server does not have that version any more, what is there is the beginning.
func TestAStandbyBeginsWithTheObjectsThereAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodServer()
		s.apply("same", "1", "")
		s.apply("gone", "2", "")
		at := s.apply("changed", "3", "")
		s.remove("gone")
		newest := s.apply("changed", "3", "x")
		s.compact()
		var out lockedBuffer
		w := standbyOf(t, s, finished(at, newest), slog.New(slog.NewTextHandler(&out, nil)))
		if err := w.catchUp(t.Context(), newest64(newest)); err != nil {
			t.Fatal(err)
		}
		expect(t, w.end(finished(at, newest), false), "changed: - present", "changed: 3@105; same: 1@101")
		const want = "the API server does not have the objects any more as they were when the " +
			"leader published last: what was deleted since then is missed, and what was " +
			"changed comes as add"
		if strings.Count(out.String(), want) != 1 ||
			!strings.Contains(out.String(), "resource=pods version=103") {
			t.Error(out.String())
		}
	})
}

// A standby that began before the leader had published anything begins again where the leader did.
func TestAStandbyBeginsAgainWhereTheLeaderDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodServer()
		s.apply("gone", "1", "")
		at := s.apply("same", "2", "")
		s.remove("gone")
		w := standbyOf(t, s, nil, quiet)
		if err := w.catchUp(t.Context(), newest64(at)); err != nil {
			t.Fatal(err)
		}
		w.cluster.pin(map[place]string{placeOf(target.ID()): fmt.Sprint(at)})
		for range 2 { // the second time there is nothing to do
			if err := w.reach(oldest(finished(at, at))); err != nil {
				t.Fatal(err)
			}
			if err := w.catchUp(t.Context(), newest64(at+1)); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.listed()) != 2 {
			t.Errorf("%+v", s.listed())
		}
		expect(t, w.end(finished(at, at), false), "gone: 1@101 1", "same: 2@102")
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// What a list shows after a watch has broken is in the history as well.
func TestAStandbyListsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodServer()
		s.apply("gone", "1", "")
		at := s.apply("replaced", "2", "")
		w := standbyOf(t, s, finished(at, at), quiet)
		synctest.Wait()
		release := s.hold()
		s.compact() // the watch ends, and what comes now is in no watch
		s.remove("gone")
		s.remove("replaced")
		newest := s.apply("replaced", "3", "")
		s.compact()
		release()
		if err := w.catchUp(t.Context(), newest64(newest)); err != nil {
			t.Fatal(err)
		}
		// The leader has seen the first delete, and not the second one.
		seen := finished(at+2, newest)
		w.forget(oldest(seen))
		expect(t, w.end(seen, false), "gone: 1@101 1; replaced: 2@102 present 2", "replaced: 3@106")
	})
}

// A successor waits for what the leader had.
func TestCatchUpWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodServer()
		at := s.apply("a", "1", "")
		release := s.hold()
		w := standbyOf(t, s, finished(at, at), quiet)
		wait := func(newest int) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return w.catchUp(ctx, newest64(newest))
		}
		for _, want := range []string{`pods is at version "", and the leader has had 101`} {
			if err := wait(at); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			if err := w.synced(); err == nil ||
				err.Error() != "the first list of pods is not complete" {
				t.Error(err)
			}
		}
		release()
		if err := wait(at); err != nil {
			t.Error(err)
		}
		if err := w.synced(); err != nil {
			t.Error(err)
		}
		const want = `pods is at version "101", and the leader has had 102`
		if err := wait(at + 1); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		caught := make(chan error)
		go func() { caught <- wait(at + 1) }()
		synctest.Wait()
		if len(caught) > 0 {
			t.Error("it has not waited")
		}
		s.apply("a", "1", "x")
		if err := <-caught; err != nil {
			t.Error(err)
		}
		w.end(nil, true)
	})
}

// A server was restored from a backup, and the leader has ended before it has published that: the
// standby waits for no version of before, and the listener gets all objects again.
func TestAStandbyOfAServerThatIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodServer()
		s.apply("a", "1", "")
		backup := s.apply("b", "2", "")
		at := s.apply("a", "1", "x")
		s.apply("c", "3", "")
		listeners := finished(at, at+1)
		w := standbyOf(t, s, listeners, quiet)
		catchUp := func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := w.catchUp(ctx, newest64(at+1)); err != nil {
				t.Error(err)
			}
		}
		catchUp()
		s.restore(backup)
		time.Sleep(time.Minute)
		catchUp()
		expect(t, w.end(listeners, false), "a: - present; b: - present; c: - 3", "a: 1@101; b: 2@102")
	})
}

// What a listener has not finished, or nobody knows of, is as it was published.
func TestEndWithWhatWasUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodServer()
		s.apply("a", "1", "")
		at := s.apply("b", "2", "")
		listeners := finished(at, at, informer.Unfinished{Key: event.Key{Namespace: "ns", Name: "a"}})
		listeners["other"] = &keeper.Progress{}
		w := standbyOf(t, s, listeners, quiet)
		if err := w.catchUp(t.Context(), newest64(at)); err != nil {
			t.Fatal(err)
		}
		stored := w.end(listeners, true)
		expect(t, stored, "a: -", "a: 1@101; b: 2@102")
		if got := slices.Collect(maps.Keys(stored[target.ID()].Unfinished)); len(got) != 1 {
			t.Errorf("told: %v", got)
		}
	})
}

// An informer without a first list has nothing to go on with.
func TestEndBeforeTheFirstList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPodServer()
		s.hold()
		w := standbyOf(t, s, nil, quiet)
		synctest.Wait()
		if stored := w.end(finished(100, 100), true); len(stored) > 0 {
			t.Errorf("%v", stored)
		}
	})
}

// What no listener needs is forgotten, also if none has published anything of it.
func TestAStandbyForgets(t *testing.T) {
	for _, published := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newPodServer()
			at := s.apply("a", "1", "")
			w := standbyOf(t, s, finished(at, at), quiet)
			synctest.Wait()
			kept := func() (n int) {
				h := &w.targets[0].history
				h.mu.Lock()
				defer h.mu.Unlock()
				for _, all := range h.changes {
					n += len(all)
				}
				return n
			}
			needed := func(version int) map[place]uint64 {
				if !published {
					return nil
				}
				return newest64(version)
			}
			most := 0
			for i := range 10 * keptLooks {
				name := fmt.Sprint(i)
				s.apply(name, name, "")
				version := s.remove(name)
				synctest.Wait()
				w.forget(needed(version - 4))
				most = max(most, kept())
			}
			if published && most != 4 || !published && most != 2*keptLooks {
				t.Errorf("published %v: %d changes were kept", published, most)
			}
			w.end(nil, true)
		})
	}
}
