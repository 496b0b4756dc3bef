package route

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// A state on which the select fails changes nothing: what was selected stays so, and what was not
// does not enter.
func TestASelectThatFailsKeepsWhatWasSelected(t *testing.T) {
	fine, broken, mended, other := pod(1, `"Pending"`), pod(2, `["Pending"]`), pod(3, `"Pending"`),
		pod(4, `"Running"`)
	for name, tt := range map[string]struct {
		events []event.Event
		want   string
		fails  uint64
	}{
		"a member stays one, also in the end": {
			[]event.Event{{Op: event.Add, Object: fine}, {
				Op: event.Update, Object: broken, Old: fine}, {Op: event.Delete, Object: broken}},
			"added 1, updated 2 was 1, deleted 2", 1,
		},
		"a member that is mended": {
			[]event.Event{{Op: event.Add, Object: fine}, {
				Op: event.Update, Object: broken, Old: fine}, {Op: event.Update, Object: mended,
				Old: broken}},
			"added 1, updated 2 was 1, updated 3 was 2", 1,
		},
		"a member that leaves after it": {
			[]event.Event{{Op: event.Add, Object: fine}, {
				Op: event.Update, Object: broken, Old: fine}, {Op: event.Update, Object: other,
				Old: broken}, {Op: event.Delete, Object: other}},
			"added 1, updated 2 was 1, deleted 2", 1,
		},
		"what is not known does not enter": {
			[]event.Event{{Op: event.Add, Object: broken}, {Op: event.Resync, Object: broken}, {
				Op: event.Delete, Object: broken}}, "", 2,
		},
		"what was not known enters": {
			[]event.Event{{Op: event.Add, Object: broken}, {
				Op: event.Update, Object: mended, Old: broken}, {Op: event.Delete, Object: mended}},
			"added 3, deleted 3", 1,
		},
		"what is outside stays there": {
			[]event.Event{{Op: event.Add, Object: other}, {
				Op: event.Update, Object: broken, Old: other}, {Op: event.Delete, Object: broken}},
			"", 1,
		},
	} {
		source, to := newScript(tt.events...), &output{}
		var log bytes.Buffer
		r := source.route(t, &log, to)
		r.Select = expression(t, `object.status.phase startsWith "P"`, filters.KindSelect)
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(states(to), ", "); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
		if s := r.Stats(); s.FilterErrors != tt.fails || s.DeadLetters != 0 || s.Members != 0 &&
			tt.events[len(tt.events)-1].Op == event.Delete ||
			!strings.Contains(log.String(),
				`msg="the select failed, so the object stays selected or not as it was"`) {
			t.Errorf("%s: %+v\n%s", name, s, log.String())
		}
	}
}

// moving runs a route whose select looks at the clock, an hour after its objects were created.
func moving(t *testing.T, text string, do func(r *draft, source *script, out *output)) {
	synctest.Test(t, func(t *testing.T) {
		source, out := newScript(), &output{}
		source.open = true
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Select = expression(t, text, filters.KindSelect)
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		do(r, source, out)
		source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func expectStates(t *testing.T, out *output, want ...string) {
	t.Helper()
	synctest.Wait()
	out.mu.Lock()
	defer out.mu.Unlock()
	if got := states(out); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// An object that enters as the clock moves is an add, once; one that leaves is a delete.
func TestTheClockMovesObjectsInAndOut(t *testing.T) {
	moving(t, `age("2000-01-01T00:00:00Z") > "5m" && age("2000-01-01T00:00:00Z") < "1h"`,
		func(r *draft, source *script, out *output) {
			in := pod(1, `"Pending"`)
			source.push(event.Event{Op: event.Add, Object: in})
			time.Sleep(4 * time.Minute)
			expectStates(t, out)
			time.Sleep(2 * time.Minute)
			expectStates(t, out, "added 1")
			time.Sleep(30 * time.Minute)
			source.push(event.Event{Op: event.Update, Object: pod(2, `"Running"`), Old: in})
			time.Sleep(20 * time.Minute)
			expectStates(t, out, "added 1", "updated 2 was 1")
			time.Sleep(10 * time.Minute)
			expectStates(t, out, "added 1", "updated 2 was 1", "deleted 2")
			time.Sleep(24 * time.Hour)
			source.push(event.Event{Op: event.Update, Object: pod(3, `"Running"`),
				Old: pod(2, `"Running"`)})
			source.push(event.Event{Op: event.Delete, Object: pod(3, `"Running"`)})
			expectStates(t, out, "added 1", "updated 2 was 1", "deleted 2")
			if s := r.Stats(); s.Members != 0 || s.Events[event.Resync] != 0 {
				t.Errorf("%+v", s)
			}
		})
}

// A select that fails when an object is looked at again ends neither that nor the waiting of a
// rule.
func TestASelectThatFailsOnARecallIsAskedAgain(t *testing.T) {
	moving(t, `age("2000-01-01T00:00:00Z") < "9m" || age("2000-01-01T00:00:00Z") > "11m" || object.metadata.name > 5`, func(r *draft, source *script, out *output) {
		source.push(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)})
		time.Sleep(20 * time.Minute)
		expectStates(t, out, "added 1")
		// after 1, 2, 4, 8, 16 and 32 s, then once a minute
		if s := r.Stats(); s.FilterErrors < 7 || s.FilterErrors > 9 {
			t.Errorf("%+v", s)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		source, out := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}), &output{}
		source.open = true
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Rules, r.Quiet = book(t, pending(10*time.Minute)), true
		r.Select = expression(t,
			`age("2000-01-01T00:00:00Z") < "9m" || age("2000-01-01T00:00:00Z") > "11m" || object.metadata.name > 5`, filters.KindSelect)
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		time.Sleep(13 * time.Minute)
		synctest.Wait()
		expectTold(t, out, "violated stuck high@1")
		source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A filter that looks at the clock may have an answer later: its event is tried again, and given up
// in the end.
func TestAFilterThatLooksAroundIsAskedAgain(t *testing.T) {
	for text, want := range map[string]string{
		`age("2000-01-01T00:00:00Z") > "1s" || object.metadata.name > 5`: "added 1",
		`age("2000-01-01T00:00:00Z") > "9h" || object.metadata.name > 5`: "",
	} {
		synctest.Test(t, func(t *testing.T) {
			source, out := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}),
				&output{}
			var log bytes.Buffer
			r := source.route(t, &log, out)
			r.Filter = expression(t, text, filters.KindFilter)
			if err := r.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(states(out), ", "); got != want {
				t.Errorf("%s: told %s", text, got)
			}
			if s := r.Stats(); (s.DeadLetters == 1) != (want == "") || s.Retried == 0 ||
				s.Filtered != 0 {
				t.Errorf("%s: %+v\n%s", text, s, log.String())
			}
		})
	}
}

// A delete ends what the rules have of an object, whatever became of its membership.
func TestADeleteEndsWhatRulesHave(t *testing.T) {
	in := pod(1, `"Pending"`)
	source, out := newScript(event.Event{Op: event.Add, Object: in},
		event.Event{Op: event.Delete, Object: pod(2, `"Running"`)}), &output{}
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Select = expression(t, `object.status.phase == "Pending"`, filters.KindSelect)
	r.Rules, r.Quiet = book(t,
		rules.Definition{Name: "never", Deny: filters.Expression{Text: "true"}}),
		true
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated never medium@1", "resolved never medium@2")
	if open := r.Rules.Open(); len(open) != 0 {
		t.Errorf("open: %v", open)
	}
}

// An object that is remembered leaves with its last state in the set, if the one in which it was
// deleted is none: it has left with events that were missed.
func TestWhatIsRememberedLeavesWithItsLastStateInTheSet(t *testing.T) {
	fine, broken, other := pod(1, `"Pending"`), pod(2, `["Pending"]`), pod(3, `"Running"`)
	for name, tt := range map[string]struct {
		selects string
		events  []event.Event
		before  *object.Object
		want    string
	}{
		"the select has failed": {
			`object.status.phase startsWith "P"`,
			[]event.Event{{Op: event.Add, Object: fine}, {
				Op: event.Update, Object: broken, Old: fine}, {Op: event.Delete, Object: other}},
			broken,
			"added 1, updated 2 was 1, deleted 2",
		},
		"the select looks at the clock": {
			`object.status.phase == "Pending" && age("2026-01-01T00:00:00Z") != nil`,
			[]event.Event{{Op: event.Add, Object: fine}, {Op: event.Delete, Object: other}}, fine,
			"added 1, deleted 1",
		},
		"nothing was missed": {
			`object.status.phase startsWith "P"`,
			[]event.Event{{Op: event.Add, Object: fine}, {
				Op: event.Update, Object: broken, Old: fine}, {Op: event.Delete,
				Object: pod(4, `"Pending"`)}}, broken,
			"added 1, updated 2 was 1, deleted 4",
		},
	} {
		source, out := newScript(tt.events...), &output{}
		source.waiting[len(tt.events)-1].Before = tt.before
		source.deaf = true
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Select = expression(t, tt.selects, filters.KindSelect)
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(states(out), ", "); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
		if r.members.len() != 0 {
			t.Errorf("%s: %d objects are still remembered", name, r.members.len())
		}
	}
}

// What is remembered of objects is a few bytes each, and nothing once they are gone.
func TestMembersAreSmall(t *testing.T) {
	const objects, size = 2000, 100 << 10
	m := members{}
	ballast := strings.Repeat("x", size)
	key := func(i int) event.Key {
		text := fmt.Sprintf("shop-%06d/web-%06d%s", i, i, ballast) // as a part of an object's text
		return event.Key{Namespace: text[:11], Name: text[12:22]}
	}
	before := heapInUse()
	for i := range objects {
		m.put(key(i), member{in: true}, true)
	}
	grown := heapInUse() - before
	t.Logf("%d bytes an object", grown/objects)
	if grown > objects*256 {
		t.Errorf("%d objects take %d bytes", objects, grown)
	}
	for i := range objects {
		m.put(key(i), member{}, false)
	}
	if m.len() != 0 {
		t.Errorf("%d are left", m.len())
	}
}

func heapInUse() int {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
