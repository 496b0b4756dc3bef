package informer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
)

func ev(op event.Op, o *event.Object, old ...*event.Object) entry {
	e := entry{Event: event.Event{Op: op, Object: o}, from: &registration{}}
	if len(old) > 0 {
		e.Old = old[0]
	}
	return e
}

// drain takes and finishes everything, and tells it.
func drain(b *buffer) (all []string) {
	for e, ok := b.take(); ok; e, ok = b.take() {
		all = append(all, story(e.Event))
		b.done(e.Object.Key())
	}
	return all
}

func TestBufferCoalescesBehindAFullRing(t *testing.T) {
	x := func(v int) *event.Object { return obj("x", "1", v) }
	for name, c := range map[string]struct {
		offer []entry
		want  []string
	}{
		"updates become one, old is the first":   {[]entry{ev(event.Update, x(2), x(1)), ev(event.Update, x(3), x(2)), ev(event.Update, x(4), x(3))}, []string{"update x/1 4~2 was 1"}},
		"an add that changes is still an add":    {[]entry{ev(event.Add, x(1)), ev(event.Update, x(2), x(1))}, []string{"add x/1 2~1"}},
		"a delete wins":                          {[]entry{ev(event.Update, x(2), x(1)), ev(event.Delete, x(3))}, []string{"delete x/1 3~1"}},
		"an add and its delete leave the delete": {[]entry{ev(event.Add, x(1)), ev(event.Delete, x(2))}, []string{"delete x/1 2~1"}},
		"a resync after a change adds nothing":   {[]entry{ev(event.Update, x(2), x(1)), ev(event.Resync, x(2))}, []string{"update x/1 2~1 was 1"}},
		"a change after a resync is a change":    {[]entry{ev(event.Resync, x(1)), ev(event.Update, x(2), x(1))}, []string{"update x/1 2~1 was 1"}},
		"a successor follows its predecessor's delete": {
			[]entry{ev(event.Delete, x(2)), ev(event.Add, obj("x", "2", 3)), ev(event.Update, obj("x", "2", 4), obj("x", "2", 3))},
			[]string{"delete x/1 2", "add x/2 4~1"},
		},
		"a successor's successor": {
			[]entry{ev(event.Delete, x(2)), ev(event.Add, obj("x", "2", 3)), ev(event.Delete, obj("x", "2", 4)), ev(event.Add, obj("x", "3", 5))},
			[]string{"delete x/1 2", "add x/3 5~2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := &buffer{capacity: 1}
			b.offer(ev(event.Add, obj("first", "9", 1)))
			for _, e := range c.offer {
				b.offer(e)
			}
			expect(t, drain(b), append([]string{"add first/9 1"}, c.want...)...)
			if !b.empty() {
				t.Errorf("something is left: %+v", b)
			}
		})
	}
}

func TestBufferMarksAreNotOvertaken(t *testing.T) {
	b := &buffer{capacity: 2}
	for i := range 6 {
		b.offer(ev(event.Add, obj(fmt.Sprint("o", i), "1", i)))
	}
	e, _ := b.take()
	b.done(e.Object.Key()) // room for one, which o2 gets, not the next offer
	b.offer(ev(event.Add, obj("late", "1", 9)))
	expect(t, drain(b), "add o1/1 1", "add o2/1 2", "add o3/1 3", "add o4/1 4", "add o5/1 5", "add late/1 9")
}

func TestBufferKeepsAnObjectsEventsApart(t *testing.T) {
	b := &buffer{capacity: 10}
	b.offer(ev(event.Add, obj("x", "1", 1)))
	b.offer(ev(event.Update, obj("x", "1", 2), obj("x", "1", 1)))
	b.offer(ev(event.Add, obj("y", "2", 3)))
	first, _ := b.take()
	second, _ := b.take()
	if first.Object.Name() != "x" || second.Object.Name() != "y" {
		t.Fatal(story(first.Event), story(second.Event))
	}
	if e, ok := b.take(); ok {
		t.Fatal("two events of one object are out:", story(e.Event))
	}
	b.park(first) // the first has failed: the object waits
	if e, ok := b.take(); ok {
		t.Fatal("an event overtook the retry of its object:", story(e.Event))
	}
	b.unpark(first.Object.Key())
	again, _ := b.take()
	if again.Object.ResourceVersion() != "1" {
		t.Fatal(story(again.Event))
	}
	b.done(again.Object.Key())
	b.done(second.Object.Key())
	expect(t, drain(b), "update x/1 2 was 1")
}

func TestBufferDropsOneRegistration(t *testing.T) {
	b := &buffer{capacity: 3}
	gone, stays := &registration{}, &registration{}
	for i := range 8 {
		e := ev(event.Add, obj(fmt.Sprint("o", i), "1", i))
		e.from = gone
		if i%2 == 1 {
			e.from = stays
		}
		b.offer(e)
	}
	working, _ := b.take()
	if n := b.drop(gone); n != 3 {
		t.Errorf("dropped %d, want 3 (o0 is with a worker)", n)
	}
	b.done(working.Object.Key())
	expect(t, drain(b), "add o1/1 1", "add o3/1 3", "add o5/1 5", "add o7/1 7")
	if !b.empty() {
		t.Errorf("something is left: %+v", b)
	}
}

// life is what truly happened to the objects of one name.
type life struct {
	current *event.Object
	uid     int
	states  []string // every state in order, as uid@version or uid@gone
}

// TestBufferModel lets objects live, and workers take, fail and finish, at random, and holds the buffer to its promises.
func TestBufferModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &buffer{capacity: rapid.IntRange(1, 6).Draw(t, "capacity")}
		lives := map[string]*life{"a": {}, "b": {}, "c": {}, "d": {}}
		names := []string{"a", "b", "c", "d"}
		version := 0
		var out, parked []entry
		seen := map[string][]string{}
		deleted := map[string]bool{}
		offered, handed, missed := 0, 0, 0

		offer := func(name string, op event.Op) {
			l := lives[name]
			old := l.current
			if op != event.Resync {
				version++
			}
			switch op {
			case event.Add:
				l.uid++
				l.current = obj(name, fmt.Sprint(name, l.uid), version)
			case event.Update:
				l.current = obj(name, fmt.Sprint(name, l.uid), version)
			case event.Delete:
				old, l.current = obj(name, fmt.Sprint(name, l.uid), version), nil
			}
			e := entry{Event: event.Event{Op: op, Object: l.current}, from: &registration{}}
			state := fmt.Sprintf("%s%d@%d", name, l.uid, version)
			switch op {
			case event.Delete:
				e.Object = old
				state = fmt.Sprintf("%s%d@gone", name, l.uid)
			case event.Update:
				e.Old = old
			case event.Resync:
				state = ""
			}
			if state != "" {
				l.states = append(l.states, state)
			}
			offered++
			b.offer(e)
		}
		finish := func(e entry) {
			handed++
			missed += e.Missed
			name := e.Object.Name()
			state := e.Object.UID() + "@" + e.Object.ResourceVersion()
			if e.Op == event.Delete {
				state = e.Object.UID() + "@gone"
				deleted[e.Object.UID()] = true
			}
			if e.Op == event.Update && !slices.Contains(lives[name].states, e.Old.UID()+"@"+e.Old.ResourceVersion()) {
				t.Fatalf("%s: old was never a state", story(e.Event))
			}
			seen[name] = append(seen[name], state)
			b.done(e.Object.Key())
		}
		take := func() {
			e, ok := b.take()
			if !ok {
				return
			}
			for _, o := range append(slices.Clone(out), parked...) {
				if o.Object.Name() == e.Object.Name() {
					t.Fatalf("two events of %s are out", o.Object.Name())
				}
			}
			out = append(out, e)
		}
		pick := func(from *[]entry, label string) (e entry, ok bool) {
			if len(*from) == 0 {
				return e, false
			}
			i := rapid.IntRange(0, len(*from)-1).Draw(t, label)
			e = (*from)[i]
			*from = slices.Delete(*from, i, i+1)
			return e, true
		}
		t.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "name")
				ops := []event.Op{event.Add}
				if lives[name].current != nil {
					ops = []event.Op{event.Update, event.Delete, event.Resync}
				}
				offer(name, rapid.SampledFrom(ops).Draw(t, "op"))
			},
			"take": func(*rapid.T) { take() },
			"done": func(*rapid.T) {
				if e, ok := pick(&out, "done"); ok {
					finish(e)
				}
			},
			"fail": func(*rapid.T) {
				if e, ok := pick(&out, "fail"); ok {
					b.park(e)
					parked = append(parked, e)
				}
			},
			"retry": func(*rapid.T) {
				if e, ok := pick(&parked, "retry"); ok {
					b.unpark(e.Object.Key())
				}
			},
			"": func(t *rapid.T) {
				if b.held > b.capacity+1 {
					t.Fatalf("%d held with a capacity of %d", b.held, b.capacity)
				}
			},
		})
		for _, e := range parked {
			b.unpark(e.Object.Key())
		}
		parked = nil
		for len(out) > 0 || b.available() {
			take()
			if e, ok := pick(&out, "finish"); ok {
				finish(e)
			}
		}
		if !b.empty() {
			t.Fatalf("drained, but not empty: %+v", b)
		}
		if uint64(offered) != uint64(handed)+b.coalesced || uint64(missed) != b.coalesced {
			t.Fatalf("offered %d, handed out %d, coalesced %d, told of %d missed", offered, handed, b.coalesced, missed)
		}
		for name, l := range lives {
			if len(l.states) == 0 {
				continue
			}
			if last := l.states[len(l.states)-1]; seen[name][len(seen[name])-1] != last {
				t.Fatalf("%s ended on %v, the truth is %s", name, seen[name], last)
			}
			at := 0
			for i, state := range seen[name] {
				if i > 0 && state == seen[name][i-1] {
					continue // a resync repeats a state
				}
				next := slices.Index(l.states[at:], state)
				if next < 0 {
					t.Fatalf("%s was told %v, the truth is %v", name, seen[name], l.states)
				}
				at += next
			}
			for _, state := range seen[name] {
				uid, _, _ := strings.Cut(state, "@")
				if slices.Contains(l.states, uid+"@gone") && !deleted[uid] {
					t.Fatalf("%s was told of %s and never of its end: %v", name, uid, seen[name])
				}
			}
		}
	})
}
