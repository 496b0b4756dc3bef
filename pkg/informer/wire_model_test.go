package informer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
)

// maxRequestsAMinute is what an informer may ask of a server, whatever that does: 71 watches that
// end cleanly (see pace), and in each of at most seven attempts to list three streamed lists, two
// lists and a watch.
const maxRequestsAMinute = 71 + 7*6

// phase is a while in which the server behaves in one way.
type phase struct {
	moods   []mood // of one request after the other, again and again
	changes []wireChange
	churn   bool // something changes whenever a watch is opened
	lasts   time.Duration
}

type wireChange struct {
	name    string
	remove  bool
	after   time.Duration
	compact bool // what was before cannot be watched any more
}

func drawPhase(t *rapid.T) phase {
	change := rapid.Custom(func(t *rapid.T) wireChange {
		return wireChange{
			name:   rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name"),
			remove: rapid.IntRange(0, 3).Draw(t, "remove") == 0,
			after: time.Duration(rapid.SampledFrom([]int{0, 0, 10, 500, 3000, 20_000}).Draw(t,
				"after")) * time.Millisecond,
			compact: rapid.IntRange(0, 9).Draw(t, "compact") == 0,
		}
	})
	return phase{
		moods:   rapid.SliceOfN(rapid.Custom(drawMood), 1, 6).Draw(t, "moods"),
		changes: rapid.SliceOfN(change, 0, 12).Draw(t, "changes"),
		churn:   rapid.IntRange(0, 3).Draw(t, "churn") == 0,
		lasts: rapid.SampledFrom([]time.Duration{0, time.Second, 20 * time.Second,
			5 * time.Minute, 2 * time.Hour}).Draw(t, "lasts"),
	}
}

// TestWireModel: a server that cuts, refuses, delays, ignores, repeats and sends nonsense at any
// time is followed with a bounded number of requests, none of them a list without a reason, and
// once it is well the store is what it has. Subscriptions get a subsequence of each object's states
// that ends on the last.
func TestWireModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		phases := rapid.SliceOfN(rapid.Custom(drawPhase), 1, 4).Draw(rt, "phases")
		synctest.Test(t, func(t *testing.T) {
			server := &wireServer{current: map[string]wireState{}, changed: make(chan struct{}),
				truth: map[string][]string{}}
			inf, err := newInformer(server, pods, Scope{}, Shape{}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			sub, err := NewSubscription(SubscriptionConfig{})
			if err != nil {
				rt.Fatal(err)
			}
			inf.join(sub)
			ctx, cancel := context.WithCancel(t.Context())
			heard := &wireLedger{}
			var wg sync.WaitGroup
			wg.Go(func() { inf.run(ctx) })
			wg.Go(func() { _ = sub.Run(ctx, heard.HandleEvent) })
			for _, p := range phases {
				server.begin(p.moods, p.churn)
				for _, c := range p.changes {
					time.Sleep(c.after)
					server.change(c)
				}
				time.Sleep(p.lasts)
			}
			server.begin(nil, false)
			// The longest there may be to wait for: a delay the server asked for, a list of which
			// nothing comes, a watch that is dead, and the limits of a streamed list.
			time.Sleep(retryLimit + listSilence + 2*watchTimeout + watchGrace + syncBound)
			synctest.Wait()
			server.change(wireChange{name: "a"})
			synctest.Wait()
			s := inf.Status()
			cancel()
			wg.Wait()
			server.check(rt, inf, heard, s)
		})
	})
}

// check compares what came of it with what was so.
func (s *wireServer) check(t *rapid.T, inf *informer, heard *wireLedger, status Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := map[string]wireState{}
	for _, o := range inf.store.List() {
		stored[o.Name()] = wireState{uid: o.UID(), version: o.ResourceVersion()}
	}
	if !maps.Equal(stored, s.current) {
		t.Errorf("the store has %v, the server %v\n%s", stored, s.current, s)
	}
	if !status.Synced || status.Err != nil {
		t.Errorf("synced %t, error %v\n%s", status.Synced, status.Err, s)
	}
	if most := 1 + s.reasons + s.failures/maxFailedWatches; int(status.Lists) > most {
		t.Errorf("%d lists for %d reasons and %d failed watches\n%s", status.Lists, s.reasons,
			s.failures, s)
	}
	for i := range s.asked {
		n := 0
		for n < len(s.asked)-i && s.asked[i+n].at.Sub(s.asked[i].at) < time.Minute {
			n++
		}
		if n > maxRequestsAMinute {
			t.Fatalf("%d requests in a minute\n%s", n, s)
		}
	}
	for name, seen := range heard.seen {
		truth := s.truth[name]
		at := 0
		for i, state := range seen {
			next := slices.Index(truth[at:], state)
			if next < 0 || i > 0 && state == seen[i-1] {
				t.Fatalf("%s got %v, the truth is %v\n%s", name, seen, truth, s)
			}
			at += next
		}
	}
	for name, truth := range s.truth {
		seen := heard.seen[name]
		_, exists := s.current[name]
		switch last := truth[len(truth)-1]; {
		case exists && (len(seen) == 0 || seen[len(seen)-1] != last):
			t.Errorf("%s ended on %v, the truth is %v\n%s", name, seen, truth, s)
		case !exists && len(seen) > 0 && !strings.HasSuffix(seen[len(seen)-1], "gone"):
			t.Errorf("the end of %s was not reported: %v\n%s", name, seen, s)
		}
	}
}

// wireLedger is what a subscription got, by object.
type wireLedger struct{ seen map[string][]string }

func (l *wireLedger) HandleEvent(_ context.Context, e event.Event) error {
	if l.seen == nil {
		l.seen = map[string][]string{}
	}
	state := e.Object.UID() + "@" + e.Object.ResourceVersion()
	if e.Op == event.Delete {
		state = e.Object.UID() + "@gone"
	}
	l.seen[e.Object.Name()] = append(l.seen[e.Object.Name()], state)
	return nil
}

// String is the requests and how they were answered, for who has to understand a failure.
func (s *wireServer) String() string {
	var b strings.Builder
	for _, a := range s.asked {
		fmt.Fprintf(&b, "%s %s\n", a.at.Format("15:04:05.000"), a.what)
	}
	return b.String()
}
