package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/informer/event"
)

// asked is one time that a rule was asked about an object.
type asked struct {
	at      time.Time
	answer  string // as in the object's JSON: true, false, or something that deny fails on
	message string // that there was to tell
}

// history is all that a rule was asked about one object. Nothing else is remembered: what follows
// is derived from it each time.
type history []asked

// verdict is what follows from a history.
type verdict struct {
	pending, violated bool
	since             time.Time
	tellings          []asked
}

func (h history) verdict(r *Rule) verdict {
	lastFalse := -1
	for i, a := range h {
		if a.answer == "false" {
			lastFalse = i
		}
	}
	var v verdict
	for _, a := range h[lastFalse+1:] {
		if a.answer != "true" {
			continue
		}
		if !v.pending && !v.violated {
			v.pending, v.since = true, a.at
		}
		if a.at.Before(v.since.Add(r.For())) {
			continue
		}
		v.pending, v.violated = false, true
		if n := len(v.tellings); n == 0 || r.Repeat() > 0 &&
			!a.at.Before(v.tellings[n-1].at.Add(r.Repeat())) {
			v.tellings = append(v.tellings, a)
		}
	}
	return v
}

func (v verdict) message() string { return v.tellings[len(v.tellings)-1].message }

// due returns when something happens by itself to a rule that was just asked, and whether anything
// does.
func (h history) due(r *Rule) (time.Time, bool) {
	now, v := h[len(h)-1], h.verdict(r)
	var at time.Time
	switch {
	case v.pending:
		at = v.since.Add(r.For())
	case v.violated && r.Repeat() > 0:
		at = v.tellings[len(v.tellings)-1].at.Add(r.Repeat())
	}
	least := now.at.Add(time.Millisecond)
	if now.answer != "true" && now.answer != "false" {
		least = now.at.Add(time.Second)
	}
	if !at.IsZero() && at.Before(least) {
		at = least
	}
	if minute := now.at.Add(time.Minute); r.clock && (at.IsZero() || minute.Before(at)) {
		at = minute
	}
	return at, !at.IsZero()
}

// life is one object of a name; deleted and created again it is another one.
type life struct {
	uid       string   // "" until it is seen
	seen      string   // the uid the book saw last
	answers   []string // of each rule, as of now
	message   string
	histories []history
	again     time.Duration
	told      [][]State // all that was ever told of the name, by rule, without repetitions
}

// world is a book, and all that ever happened to the objects in it.
type world struct {
	book       *Book
	evaluators []*Evaluator
	rules      []*Rule
	now        time.Time
	lives      map[event.Key]*life
	uids       int
	cuts       []recordtest.Cut // since the first one, or the last whole one
}

// TestModel: whatever happens in whatever order, the book says what follows from all that was ever
// answered, however often it is cut and restored.
func TestModel(t *testing.T) {
	rules := []*Rule{
		rule(t, "at-once", "object.r0", 0, 0),
		rule(t, "pending", "object.r1", 10*time.Second, 0),
		rule(t, "repeated", "object.r2", 0, 7*time.Second),
		rule(t, "pending-repeated", "object.r3", 5*time.Second, 3*time.Second),
		rule(t, "~clock", "object.r4", 90*time.Second, 100*time.Second),
	}
	keys := []event.Key{{Namespace: "shop", Name: "a"}, {Namespace: "shop", Name: "b"}, {
		Namespace: "pay", Name: "a"}}
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{book: NewBook(rules, 1), rules: rules, now: begin, lives: map[event.Key]*life{}}
		for range 2 {
			w.evaluators = append(w.evaluators, telling(t, w.book.Evaluator(nil)))
		}
		for _, key := range keys {
			w.lives[key] = &life{histories: make([]history, len(rules)),
				told: make([][]State, len(rules))}
		}
		key := rapid.SampledFrom(keys)
		rt.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				w.change(t, w.lives[key.Draw(t, "object")])
				w.evaluateAll(t, event.Update)
			},
			"change of one": func(t *rapid.T) {
				k := key.Draw(t, "object")
				w.change(t, w.lives[k])
				w.evaluate(t, k, rapid.SampledFrom([]event.Op{event.Add, event.Update}).Draw(t,
					"op"))
			},
			"resync": func(t *rapid.T) { w.evaluateAll(t, event.Resync) },
			"recall": func(t *rapid.T) {
				if k := key.Draw(t, "object"); w.lives[k].again > 0 {
					w.now = w.now.Add(w.lives[k].again)
					w.evaluate(t, k, event.Resync)
				}
			},
			"delete": func(t *rapid.T) {
				w.evaluate(t, key.Draw(t, "object"), event.Delete)
			},
			"cut":            func(*rapid.T) { w.cuts = appendCut(w.cuts, w.book, modelNames) },
			"whole":          func(*rapid.T) { w.cuts = []recordtest.Cut{wholeOf(w.book, modelNames)} },
			"restart":        func(rt *rapid.T) { w.restart(rt, t) },
			"another object": func(t *rapid.T) { w.lives[key.Draw(t, "object")].uid = "" },
			"time passes": func(t *rapid.T) {
				w.now = w.now.Add(
					time.Duration(rapid.IntRange(1, 12_000).Draw(t, "ms")) * time.Millisecond)
			},
			"": func(t *rapid.T) { w.check(t) },
		})
		for _, k := range keys {
			w.evaluate(rt, k, event.Delete)
		}
		if len(w.book.objects) != 0 || len(w.book.counts) != 0 || w.book.open != 0 {
			rt.Fatalf("%d objects, %d counts and %d violations are left", len(w.book.objects),
				len(w.book.counts), w.book.open)
		}
	})
}

// modelNames are the names of the model's receivers.
var modelNames = []string{"out"}

// restart goes on with a restored book.
func (w *world) restart(rt *rapid.T, t *testing.T) {
	w.cuts = appendCut(w.cuts, w.book, modelNames)
	w.book = Restore(w.rules, modelNames, savedIn(t, w.cuts), w.now)
	for i := range w.evaluators {
		w.evaluators[i] = telling(t, w.book.Evaluator(nil))
	}
}

func (w *world) change(t *rapid.T, l *life) {
	answer := rapid.SampledFrom([]string{"true", "true", "true", "false", `"x"`})
	l.answers = rapid.SliceOfN(answer, len(w.rules), len(w.rules)).Draw(t, "answers")
	l.message = rapid.SampledFrom([]string{"one", "two", ""}).Draw(t, "message")
}

func (w *world) evaluateAll(t *rapid.T, op event.Op) {
	for _, key := range slices.SortedFunc(maps.Keys(w.lives), func(a, b event.Key) int {
		return cmp.Compare(a.String(), b.String())
	}) {
		w.evaluate(t, key, op)
	}
}

// evaluate lets the book see an object, and holds what it says against the histories.
func (w *world) evaluate(t *rapid.T, key event.Key, op event.Op) {
	l := w.lives[key]
	if l.answers == nil {
		return
	}
	var want []string
	expect := func(i int, s State, v verdict, repeated bool) {
		want = append(want, fmt.Sprint(w.rules[i].Name(), s, v.since.Sub(begin), v.message(),
			repeated))
	}
	before := make([]verdict, len(w.rules))
	for i, r := range w.rules {
		before[i] = l.histories[i].verdict(r)
	}
	if l.uid == "" || op == event.Delete {
		if l.uid == "" {
			w.uids++
			l.uid = fmt.Sprint("u", w.uids)
		}
		for i := range w.rules {
			if before[i].violated {
				expect(i, Resolved, before[i], false)
			}
			before[i], l.histories[i] = verdict{}, nil
		}
	}
	var due time.Time
	fails := 0
	for i, r := range w.rules {
		if op == event.Delete {
			break
		}
		message := l.message
		if message == "" {
			message = r.Name()
		}
		l.histories[i] = append(l.histories[i], asked{w.now, l.answers[i], message})
		after := l.histories[i].verdict(r)
		switch {
		case before[i].violated && !after.violated:
			expect(i, Resolved, before[i], false)
		case len(after.tellings) > len(before[i].tellings):
			expect(i, Violated, after, before[i].violated)
			if l.message == "" {
				fails++ // the message, too, is an error
			}
		}
		if l.answers[i] == `"x"` {
			fails++
		}
		if at, ok := l.histories[i].due(r); ok && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}

	message := ""
	if l.message != "" {
		message = fmt.Sprintf(`,"message":%q`, l.message)
	}
	fields := ""
	for i, a := range l.answers {
		fields += fmt.Sprintf(`"r%d":%s,`, i, a)
	}
	o := podIn(t, key.Namespace, key.Name, l.uid, strings.TrimSuffix(fields, ",")+message)
	outcome := evaluate(w.evaluators[rapid.IntRange(0, 1).Draw(t, "worker")],
		event.Event{Op: op, Object: o}, w.now)

	var got []string
	for _, tr := range outcome.Transitions {
		got = append(got, fmt.Sprint(tr.Rule.Name(), tr.State, tr.Since.Sub(begin), tr.Message,
			tr.Repeated))
		i := slices.Index(w.rules, tr.Rule)
		if !tr.Repeated {
			l.told[i] = append(l.told[i], tr.State)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s of %s %s with %s:\n got %s\nwant %s", op, key, l.uid, l.answers, got, want)
	}
	again := time.Duration(0)
	if !due.IsZero() {
		again = due.Sub(w.now)
	}
	if outcome.RecheckAfter != again || len(outcome.Errors) != fails {
		t.Fatalf("%s of %s with %s: to be looked at after %s, want %s; %d errors, want %d", op, key,
			l.answers, outcome.RecheckAfter, again, len(outcome.Errors), fails)
	}
	l.again, l.seen = outcome.RecheckAfter, l.uid
	if op == event.Delete {
		l.uid = ""
	}
}

// check holds the lists and counts against the histories, and the memory the book takes.
func (w *world) check(t *rapid.T) {
	var open []Violation
	counts := map[Count]int{}
	remembered := 0
	for key, l := range w.lives {
		kept := false
		for i, r := range w.rules {
			for n, s := range l.told[i] {
				if want := []State{Violated, Resolved}[n%2]; s != want {
					t.Fatalf("%s of %s: told %v", r.Name(), key, l.told[i])
				}
			}
			v := l.histories[i].verdict(r)
			kept = kept || v.pending || v.violated
			if v.violated != (len(l.told[i])%2 == 1) {
				t.Fatalf("%s of %s: violated is %t, but told was %v", r.Name(), key, v.violated,
					l.told[i])
			}
			if v.violated {
				counts[Count{r.Name(), r.Severity(), key.Namespace}]++
				open = append(open, Violation{
					Rule: r.Name(), Severity: r.Severity(), Namespace: key.Namespace,
					Name: key.Name, UID: l.seen, Message: v.message(), Since: v.since,
				})
			}
		}
		if kept {
			remembered++
		}
	}
	slices.SortFunc(open, func(a, b Violation) int {
		return cmp.Compare(a.Rule+" "+a.Namespace+" "+a.Name, b.Rule+" "+b.Namespace+" "+b.Name)
	})
	if got := w.book.Open(); !slices.Equal(got, open) {
		t.Fatalf("open:\n got %v\nwant %v", got, open)
	}
	if got := w.book.Counts(); !maps.Equal(got, counts) {
		t.Fatalf("counts:\n got %v\nwant %v", got, counts)
	}
	if len(w.book.objects) != remembered || w.book.open != len(open) {
		t.Fatalf("%d objects are remembered, want %d; %d violations, want %d", len(w.book.objects),
			remembered, w.book.open, len(open))
	}
}
