package conformance

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer/event"
)

// TestProfile holds each way in which pkg/informer differs from client-go on purpose, which the
// comparison translates: what the first listener sees of object a.
func TestProfile(t *testing.T) {
	a := func(v verb) change { return change{verb: v, name: "a"} }
	quietly := func(v verb) change { return change{verb: v, name: "a", quiet: true} }
	relist := play{end: endBroken}
	for name, c := range map[string]struct {
		steps          []step
		reference, own []string
	}{
		"an object that a new list has unchanged is no update": {
			[]step{{changes: []change{a(put)}}, {running: relist}},
			[]string{"add a uid-1/101 initial", "update a uid-1/101 was uid-1/101"},
			[]string{"add a uid-1/101 initial"},
		},
		"an event that comes twice is no second update": {
			[]step{{changes: []change{a(put)}}, {
				changes: []change{a(put)}, running: play{doubled: true}}},
			[]string{"add a uid-1/101 initial", "update a uid-1/102 was uid-1/101",
				"update a uid-1/102 was uid-1/102"},
			[]string{"add a uid-1/101 initial", "update a uid-1/102 was uid-1/101"},
		},
		"a recreation of which a list tells is two events": {
			[]step{{changes: []change{a(put)}}, {
				changes: []change{quietly(recreate)}, running: relist}},
			[]string{"add a uid-1/101 initial", "update a uid-2/103 was uid-1/101"},
			[]string{"add a uid-1/101 initial", "delete a uid-1/101 final state unknown",
				"add a uid-2/103"},
		},
		"a recreation of which a watch tells the half is two events": {
			[]step{{changes: []change{a(put)}}, {
				changes: []change{{verb: recreate, name: "a", half: true}}}},
			[]string{"add a uid-1/101 initial", "update a uid-2/103 was uid-1/101"},
			[]string{"add a uid-1/101 initial", "delete a uid-1/101 final state unknown",
				"add a uid-2/103"},
		},
		"a recreation that is announced is the same to both": {
			[]step{{changes: []change{a(put)}}, {changes: []change{a(recreate)}}},
			[]string{"add a uid-1/101 initial", "delete a uid-1/102", "add a uid-2/103"},
			[]string{"add a uid-1/101 initial", "delete a uid-1/102", "add a uid-2/103"},
		},
		"the delete of an unknown successor is that of the known object": {
			[]step{{changes: []change{a(put)}}, {changes: []change{quietly(recreate), a(remove)}}},
			[]string{"add a uid-1/101 initial", "delete a uid-2/104"},
			[]string{"add a uid-1/101 initial", "delete a uid-1/101 final state unknown"},
		},
		"the delete of an unknown object is nothing": {
			[]step{{}, {changes: []change{quietly(put), a(remove)}}},
			[]string{"delete a uid-1/102"},
			nil,
		},
		"two deletes are one": {
			[]step{{changes: []change{a(put)}}, {
				changes: []change{a(remove)}, running: play{doubled: true}}},
			[]string{"add a uid-1/101 initial", "delete a uid-1/102", "delete a uid-1/102"},
			[]string{"add a uid-1/101 initial", "delete a uid-1/102"},
		},
		"a missed delete has the last known state": {
			[]step{{changes: []change{a(put)}}, {changes: []change{a(put)}}, {
				changes: []change{quietly(remove)}, running: relist}},
			[]string{"add a uid-1/101 initial", "update a uid-1/102 was uid-1/101",
				"delete a uid-1/102 final state unknown"},
			[]string{"add a uid-1/101 initial", "update a uid-1/102 was uid-1/101",
				"delete a uid-1/102 final state unknown"},
		},
		"only the first list is initial": {
			[]step{{}, {changes: []change{quietly(put)}, running: relist}},
			[]string{"add a uid-1/101"},
			[]string{"add a uid-1/101"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := script{steps: c.steps}
			results, problem := runBoth(t, s)
			if problem != "" {
				t.Errorf("the translation is not right: %s", problem)
			}
			for i, want := range [][]string{c.reference, c.own} {
				var got []string
				for _, st := range results[i].steps {
					for _, s := range st.sights["first"]["a"] {
						got = append(got, s.String())
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s\n got %s\nwant %s", sides[i].name, strings.Join(got, "\n     "),
						strings.Join(want, "\n     "))
				}
			}
		})
	}
}

// TestResyncs: what is an update of an object by itself to client-go's handlers is a resync to
// pkg/informer's, at the same times, and for an unchanged list, too, if the listener has a period.
func TestResyncs(t *testing.T) {
	const period = 10 * time.Second
	want := map[string][]string{
		"client-go": {
			"0s add a uid-1/101 initial", "10s update a uid-1/101 was uid-1/101 (itself)",
			"20s update a uid-1/101 was uid-1/101 (itself)",
			"relist update a uid-1/101 was uid-1/101",
		},
		"informerd": {"0s add a uid-1/101 initial", "10s resync a uid-1/101",
			"20s resync a uid-1/101", "relist resync a uid-1/101"},
	}
	for _, sd := range sides {
		t.Run(sd.name, func(t *testing.T) {
			newSide := sd.make
			if sd.name == "client-go" {
				newSide = func(cfg *rest.Config) (side, error) {
					return referenceWithResync(cfg, period)
				}
			}
			synctest.Test(t, func(t *testing.T) {
				srv := newServer(script{})
				var serving sync.WaitGroup
				serving.Go(srv.run)
				informer, err := newSide(&rest.Config{Host: "http://api.test", QPS: -1,
					Transport: srv.net.transport()})
				if err != nil {
					t.Fatal(err)
				}
				var (
					mu    sync.Mutex
					got   []string
					begun = time.Now()
				)
				informer.join(period, func(s sight) {
					mu.Lock()
					defer mu.Unlock()
					when := time.Since(begun).String()
					if time.Since(begun) > 21*time.Second {
						when = "relist"
					}
					text := when + " " + s.String()
					if s.same {
						text += " (itself)"
					}
					got = append(got, text)
				})
				informer.join(0, func(s sight) {
					if s.op != event.Add {
						t.Errorf("a listener without a period saw %s", s)
					}
				})
				ctx, stop := context.WithCancel(t.Context())
				srv.begin(step{changes: []change{{verb: put, name: "a"}}})
				stopped := informer.start(ctx)
				time.Sleep(21 * time.Second)
				synctest.Wait()
				srv.begin(step{running: play{end: endBroken}})
				time.Sleep(3 * time.Second) // more than the backoff, less than the next resync
				synctest.Wait()
				stop()
				<-stopped
				srv.close()
				serving.Wait()
				mu.Lock()
				defer mu.Unlock()
				if !slices.Equal(got, want[sd.name]) {
					t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "),
						strings.Join(want[sd.name], "\n     "))
				}
			})
		})
	}
}
