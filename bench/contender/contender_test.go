package contender

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/objects"
)

func post(t *testing.T, c *http.Client, url string, into any) {
	t.Helper()
	resp, err := c.Post(url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil ||
		resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
}

// matching counts what the filter of pods and widgets should match, from the generator's output.
func matching(kind *objects.Kind, state func(i int) (uint64, objects.Revision),
	n int) (matched int64) {
	for i := range n {
		seed, r := state(i)
		if strings.Contains(string(kind.At(seed, kind.Size, r)), `"phase":"Failed"`) {
			matched++
		}
	}
	return matched
}

// Every contender must see the same objects and changes, once each, and find the same matches in
// them.
func TestAllContendersDoTheSameWork(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	type collection struct {
		kind  *objects.Kind
		churn bool
	}
	all := []collection{{objects.JobPods, true}}
	for _, kind := range objects.Kinds {
		all = append(all, collection{kind: kind})
	}
	for _, c := range all {
		kind := c.kind
		l, control := server(t, kind, c.churn)
		wantListed, wantChanges := int64(-1), int64(-1)
		if Filters[kind.ID] == failedOnANode {
			wantListed = matching(kind, func(i int) (uint64, objects.Revision) {
				return uint64(i), objects.Revision{}
			}, stored)
		}
		for _, name := range Names {
			if !Supports(name, kind) || !InProcess(name) {
				continue
			}
			ways := []string{l.Plain}
			if kind == objects.Pods { // TLS, too
				ways = append(ways, l.TLS)
			}
			// an informer for each part, too
			if kind == objects.Pods && (name == Core || name == Drop) {
				ways = append(ways, l.Plain)
			}
			for i, kubeconfig := range ways {
				post(t, control, l.URL+"/bench/reset", &apiserver.State{})
				setup := Setup{Kubeconfig: kubeconfig, Kind: kind, Objects: stored,
					Filter: Filters[kind.ID]}
				if i == 2 {
					setup.Informers = 7
				}
				if name == Core {
					setup.Others, setup.OthersFilter = 3, NoMatchFields
				}
				c, err := New(name, setup)
				if err != nil {
					t.Fatal(err)
				}
				tally := NewTally(events)
				p, err := c.Start(ctx, tally)
				if err != nil {
					t.Fatal(err)
				}
				if !p.IsSelf() {
					t.Errorf("%s is not in this process", name)
				}
				if err := tally.Listed.Wait(ctx, stored); err != nil {
					t.Fatalf("%s: listing %s: %v", name, kind.ID, err)
				}
				tally.Record(true)
				var r apiserver.Release
				post(t, control, fmt.Sprintf("%s/bench/burst?n=%d&parts=%d", l.URL, events,
					setup.Informers), &r)
				if d, ok := c.(*dropper); ok {
					d.Expect(r)
				}
				if err := tally.Changes.Wait(ctx, events); err != nil {
					t.Fatalf("%s: watching %s: %v", name, kind.ID, err)
				}
				if err := c.Stop(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if tally.Listed.Count() != stored || tally.Changes.Count() != events {
					t.Errorf("%s: %d objects and %d changes of %s", name, tally.Listed.Count(),
						tally.Changes.Count(), kind.ID)
				}
				if name == Drop {
					continue
				}
				listed, changes := tally.MatchedListed.Load(), tally.MatchedChanges.Load()
				if wantListed < 0 {
					wantListed = listed // of the first contender; the others must agree
				}
				if wantChanges < 0 {
					wantChanges = changes
				}
				if listed != wantListed || changes != wantChanges || listed == 0 || changes == 0 ||
					listed == stored {
					t.Errorf("%s matched %d objects and %d changes of %s, want %d and %d", name,
						listed, changes, kind.ID, wantListed, wantChanges)
				}
				for i, at := range tally.Seen(0, events) {
					if at == 0 {
						t.Errorf("%s: no time was recorded for change %d of %s", name, i, kind.ID)
						break
					}
				}
			}
		}
	}
}

func TestContendersThatCannotBeMade(t *testing.T) {
	l, _ := server(t, objects.ConfigMaps, false)
	for _, c := range []struct {
		name  string
		setup Setup
		want  string
	}{
		{"nobody", Setup{Kind: objects.Pods},
			`contender "nobody": unknown, or not for this kind of object`},
		{TypedJSON, Setup{Kind: objects.Widgets},
			`contender "typed-json": unknown, or not for this kind of object`},
		{Core, Setup{Kind: objects.Pods, Kubeconfig: "none"},
			`contender "core": stat none: no such file or directory`},
		{Dynamic, Setup{Kind: objects.Pods, Kubeconfig: l.Plain, Filter: "object =="},
			`contender "dynamic": the filter: unexpected token EOF`},
		{Core, Setup{Kind: objects.Pods, Kubeconfig: l.Plain, Filter: "object =="},
			`contender "core": `},
	} {
		if _, err := New(c.name, c.setup); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestStoppingWhatHasNotBegun(t *testing.T) {
	l, _ := server(t, objects.Pods, false)
	for _, name := range Names {
		c, err := New(name, Setup{Kubeconfig: l.Plain, Kind: objects.Pods, Filter: Filters["pods"]})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Stop(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADropperTellsOfAServerThatFails(t *testing.T) {
	l, _ := server(t, objects.Pods, false)
	c, err := New(Drop, Setup{Kubeconfig: l.Plain, Kind: objects.ConfigMaps, Objects: stored})
	if err != nil {
		t.Fatal(err)
	}
	d := c.(*dropper)
	if _, err := d.Start(t.Context(), NewTally(0)); err != nil {
		t.Fatal(err)
	}
	err = <-d.done
	d.done <- err // Stop returns it again
	if got := d.Stop(); got == nil ||
		!strings.HasSuffix(got.Error(),
			"/api/v1/configmaps?limit=500&resourceVersion=0: 404 Not Found") {
		t.Error(got)
	}
}
