package rules

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// flight is what a test does with the reports of one rule, which is violated by what is above 3.
type flight struct {
	t     *testing.T
	book  *Book
	e     *Evaluator
	now   time.Time
	begun map[string]Transition // by what they are called in the test
	last  Outcome
}

func newFlight(t *testing.T, repeat time.Duration) *flight {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, repeat)}, 2)
	return &flight{t: t, book: b, e: b.Evaluator(nil), now: begin, begun: map[string]Transition{}}
}

// do follows the words of a story: "see 5 u1", "delete u1", "later 10s", and of receiver 0 "begin
// V", "take V", "refuse V", "release V", "owes V" and "owes no V", where V is the name that the
// report has from its begin on. Begun is the first report that is offered.
func (f *flight) do(story string) {
	f.t.Helper()
	for _, words := range strings.Split(story, ";") {
		word := strings.Fields(words)
		name := word[len(word)-1]
		tr, known := f.begun[name]
		switch word[0] {
		case "see":
			f.last = f.e.Evaluate(event.Event{Op: event.Update,
				Object: pod(f.t, "web", word[2], `"n":`+word[1])}, f.now)
		case "delete":
			f.last = f.e.Evaluate(event.Event{Op: event.Delete,
				Object: pod(f.t, "web", word[1], "")}, f.now)
		case "later":
			d, err := time.ParseDuration(word[1])
			if err != nil {
				f.t.Fatal(err)
			}
			f.now = f.now.Add(d)
		case "begin":
			owed := owedOf(f.book, key("web"), 0)
			if known || len(owed) == 0 || !f.book.Begin(key("web"), owed[0], 0) {
				f.t.Fatalf("%s: %v", words, owed)
			}
			f.begun[name] = owed[0]
		case "take":
			f.book.Took(key("web"), tr, 0, f.now)
		case "refuse":
			f.book.Refused(key("web"), tr, 0, f.now)
		case "release":
			f.book.Release(key("web"), tr, 0)
		case "owes":
			if want := word[1] != "no"; f.book.owes(key("web"), tr, 0) != want {
				f.t.Errorf("%s: owes it: %t", words, !want)
			}
		case "owed": // "owed nothing", "owed violated u1 resolved u1"
			got := "nothing"
			for i, tr := range owedOf(f.book, key("web"), 0) {
				if i == 0 {
					got = ""
				}
				got += fmt.Sprintf(" %s %s", tr.State, tr.UID)
				if tr.Repeated {
					got += fmt.Sprintf(" repeat %d", tr.Repeats)
				}
			}
			if want := strings.Join(word[1:], " "); strings.TrimSpace(got) != want {
				f.t.Errorf("%s: owed %s", words, got)
			}
		default:
			f.t.Fatalf("%s?", words)
		}
	}
}

func TestReportsInFlight(t *testing.T) {
	for name, story := range map[string]string{
		"what is on its way is not offered again": "see 5 u1; owed violated u1; begin V; owed nothing; see 5 u1; owed nothing; owes V; take V; owes no V; see 5 u1; owed nothing",
		"the end is owed behind it":               "see 5 u1; begin V; see 1 u1; owed resolved u1; begin R; owes V; owes no R; take V; owes no V; owes R; take R; owes no R; owed nothing",
		"a refused violation has no end":          "see 5 u1; begin V; see 1 u1; begin R; refuse V; owes no R; owed nothing",
		"nor if the end has not begun":            "see 5 u1; begin V; see 1 u1; refuse V; owed nothing",
		"a refused violation that lasts":          "see 5 u1; begin V; refuse V; see 5 u1; owed nothing; see 1 u1; owed nothing; see 5 u1; owed violated u1",
		"an end that is refused before its turn":  "see 5 u1; begin V; see 1 u1; begin R; refuse R; owes V; take V; owed nothing; see 5 u1; owed violated u1",
		"a violation refused before its turn":     "see 5 u1; begin V; take V; see 1 u1; begin R; see 5 u1; begin W; refuse W; owes R; see 1 u1; owed nothing; take R; owed nothing",
		"a refused end is over":                   "see 5 u1; begin V; take V; see 1 u1; begin R; refuse R; owed nothing; see 5 u1; owed violated u1",
		"released while it is true":               "see 5 u1; begin V; release V; owes no V; owed violated u1; begin W; owes W; take W; owed nothing",
		"released when it has ended":              "see 5 u1; begin V; see 1 u1; owed resolved u1; release V; owed nothing",
		"released when its end is on its way":     "see 5 u1; begin V; see 1 u1; begin R; release V; owes no R; owed nothing; release R; owed nothing",
		"a released end is owed again":            "see 5 u1; begin V; take V; see 1 u1; begin R; release R; owed resolved u1; begin S; take S; owed nothing",
		"another violation behind a released end": "see 5 u1; begin V; take V; see 1 u1; begin R; see 5 u1; begin W; release R; owes no W; release W; owed resolved u1 violated u1; begin S; begin X; owes S; owes no X; take S; owes X",
		"ends and begins while two are in flight": "see 5 u1; begin V; see 1 u1; begin R; see 5 u1; begin W; see 1 u1; begin S; owes V; owes no R; owes no W; owes no S; take V; owes R; take R; owes W; refuse W; owes no S; owed nothing",
		"the first of two is refused":             "see 5 u1; begin V; see 1 u1; begin R; see 5 u1; begin W; refuse V; owes no R; owes W; take W; see 1 u1; owed resolved u1",
		"replaced by another object":              "see 5 u1; begin V; see 5 u2; owed resolved u1 violated u2; begin R; begin W; see 5 u3; owed resolved u2 violated u3; take V; take R; owes W; refuse W; owed violated u3",
		"deleted":                                 "see 5 u1; begin V; delete u1; owed resolved u1; begin R; take V; take R; owed nothing",
		"deleted and forgotten":                   "see 5 u1; begin V; delete u1; release V; owed nothing",
		"settled twice":                           "see 5 u1; begin V; take V; take V; refuse V; release V; see 1 u1; owed resolved u1; begin R; take R; release R; refuse R; owed nothing",
		"settled without a beginning":             "see 5 u1; take V; owed violated u1",
	} {
		t.Run(name, func(t *testing.T) { newFlight(t, 0).do(story) })
	}
}

func TestRepeatsInFlight(t *testing.T) {
	for name, story := range map[string]string{
		"not offered again":                             "see 5 u1; begin V; take V; later 10s; see 5 u1; owed violated u1 repeat 1; begin A; owed nothing; later 10s; see 5 u1; owed nothing; later 7s; take A; later 9s; see 5 u1; owed nothing; later 1s; see 5 u1; owed violated u1 repeat 2",
		"none while the violation itself is on its way": "see 5 u1; begin V; later 10s; see 5 u1; later 10s; see 5 u1; owed nothing; take V; later 9s; see 5 u1; owed nothing; later 1s; see 5 u1; owed violated u1 repeat 1",
		"the end behind it":                             "see 5 u1; begin V; take V; later 10s; see 5 u1; begin A; see 1 u1; owed resolved u1; begin R; owes A; owes no R; take A; owes R; take R; owed nothing",
		"refused, and ended":                            "see 5 u1; begin V; take V; later 10s; see 5 u1; begin A; see 1 u1; begin R; refuse A; owes R",
		"released, and ended":                           "see 5 u1; begin V; take V; later 10s; see 5 u1; begin A; see 1 u1; release A; owed resolved u1; begin R; owes R; take R; owed nothing",
		"released while it lasts":                       "see 5 u1; begin V; take V; later 10s; see 5 u1; begin A; release A; owed violated u1 repeat 1",
		"refused while it lasts":                        "see 5 u1; begin V; take V; later 10s; see 5 u1; begin A; refuse A; owed nothing; later 10s; see 5 u1; owed violated u1 repeat 2",
		"ended before it began":                         "see 5 u1; begin V; take V; later 10s; see 5 u1; see 1 u1; owed resolved u1",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlight(t, 10*s)
			f.book.Use(f.book.set.Load().rules, Receivers(0).With(0)) // nobody else
			f.do(story)
		})
	}
}

func TestARefusedViolationCanBeOwedAgain(t *testing.T) {
	f := newFlight(t, 0)
	owe := func(rule, uid string, since time.Duration, receiver int, want bool) {
		t.Helper()
		if f.book.Owe(key("web"), rule, uid, begin.Add(since), receiver) != want {
			t.Errorf("%s of %s since %s to %d: %t", rule, uid, since, receiver, !want)
		}
	}
	owe("a", "u1", 0, 0, false) // nothing is known
	f.do("see 5 u1")
	owe("a", "u1", 0, 0, true) // it is owed anyway
	f.do("begin V")
	owe("a", "u1", 0, 0, false) // it is on its way
	f.do("refuse V; owed nothing")
	owe("b", "u1", 0, 0, false)
	owe("a", "u2", 0, 0, false)
	owe("a", "u1", s, 0, false)
	owe("a", "u1", 0, 7, false)
	f.do("owed nothing")
	owe("a", "u1", 0, 0, true)
	f.do("owed violated u1; see 5 u1; begin W; owes W; take W")
	owe("a", "u1", 0, 0, false) // it knows
	f.do("see 1 u1; owed resolved u1; begin R; take R; owed nothing")
	owe("a", "u1", 0, 0, false) // it has ended
	f.do("later 5s; see 5 u1; begin X; refuse X")
	owe("a", "u1", 0, 0, false) // that was another
	owe("a", "u1", 5*s, 0, true)
	f.do("see 1 u1; owed nothing")
}

func TestARefusedEndCanBeOwedAgain(t *testing.T) {
	f := newFlight(t, 0)
	owe := func(rule, uid string, receiver int, want bool) {
		t.Helper()
		if f.book.OweEnd(key("web"), rule, uid, begin, "m", receiver) != want {
			t.Errorf("%s of %s to %d: %t", rule, uid, receiver, !want)
		}
	}
	f.do("see 5 u1; begin V; take V; see 1 u1; begin R; refuse R; owed nothing")
	owe("b", "u1", 0, false) // there is no such rule
	owe("a", "u1", 7, false) // nor such a receiver
	owe("a", "u1", 0, true)
	owe("a", "u1", 0, false) // it is owed
	f.do("owed resolved u1; begin S")
	owe("a", "u1", 0, false) // it is on its way
	f.do("refuse S; owed nothing; see 5 u1")
	owe("a", "u1", 0, true) // before the next violation
	f.do("owed resolved u1 violated u1; begin T; take T; begin W")
	owe("a", "u1", 0, false) // a later one is on its way
	f.do("take W")
	owe("a", "u1", 0, false) // it knows of a later one
	f.do("see 1 u1; begin X; take X; delete u1; owed nothing")
	owe("a", "u1", 0, true) // of an object that is gone
	f.do("owed resolved u1; begin Y; take Y; owed nothing")
	if len(f.book.objects) != 0 {
		t.Errorf("%+v is remembered", f.book.objects)
	}
}

// An object of which a report is on its way is looked at again when a repeat can be due, and not
// all the time.
func TestRecheckAfterWithARepeatInFlight(t *testing.T) {
	f := newFlight(t, 10*s)
	f.book.Use(f.book.set.Load().rules, Receivers(0).With(0))
	f.do("see 5 u1; begin V")
	for range 3 {
		if f.do("see 5 u1; later 11s"); f.last.RecheckAfter != 10*s {
			t.Errorf("again after %s", f.last.RecheckAfter)
		}
	}
	f.do("take V; later 10s; see 5 u1; begin A; later 11s")
	for range 3 {
		if f.do("see 5 u1; later 11s"); f.last.RecheckAfter != 10*s {
			t.Errorf("again after %s", f.last.RecheckAfter)
		}
	}
}

// The book is forgotten about when everything has been settled, and only then.
func TestReportsInFlightAreRemembered(t *testing.T) {
	f := newFlight(t, 0)
	f.do("see 5 u1; begin V; delete u1; begin R; take V")
	if len(f.book.objects) != 1 {
		t.Error("the end in flight is forgotten")
	}
	if f.do("take R"); len(f.book.objects) != 0 {
		t.Errorf("%+v is remembered", f.book.objects)
	}
}

// Workers evaluate objects while senders settle what is said of the same objects, and somebody
// replaces the rules.
func TestSettledFromOtherGoroutines(t *testing.T) {
	all := []*Rule{rule(t, "a", deny, 0, 0), rule(t, "b", "object.n > 6", 0, 2*s),
		rule(t, "c", "object.n > 2", 0, 0)}
	b := NewBook(all, 1)
	sent := make(chan func(), 64)
	believes := map[string]bool{}
	var working, sending, reloading sync.WaitGroup
	sending.Go(func() {
		for settle := range sent {
			settle()
		}
	})
	stop := make(chan struct{})
	reloading.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				b.Use(all[i%2:], Receivers(1))
			}
		}
	})
	for w := range 2 {
		working.Go(func() {
			e := b.Evaluator(nil)
			name := fmt.Sprint("web-", w)
			see := func(op event.Op, i int) {
				o := pod(t, name, "u", fmt.Sprintf(`"n":%d`, (i*i+w)%11))
				for _, tr := range e.Evaluate(event.Event{Op: op, Object: o},
					begin.Add(time.Duration(i)*s)).Transitions {
					if !b.Begin(key(name), tr, 0) {
						continue // a rule is gone meanwhile
					}
					sent <- func() {
						id := name + tr.Rule.name
						switch {
						case !b.owes(key(name), tr, 0):
							b.Release(key(name), tr, 0)
						case i%5 == 0:
							b.Release(key(name), tr, 0)
						default:
							if !tr.Repeated && believes[id] == (tr.State == Violated) {
								t.Errorf("%s gets %s", id, tr.State)
							}
							believes[id] = tr.State == Violated
							b.Took(key(name), tr, 0, begin.Add(time.Duration(i)*s))
						}
					}
				}
			}
			for i := range 2000 {
				see(event.Update, i)
			}
		})
	}
	working.Wait()
	close(stop)
	reloading.Wait()
	close(sent)
	sending.Wait()
	b.Use(nil, Receivers(1))
	for _, k := range b.Unreported(0) {
		for _, tr := range owedOf(b, k, 0) {
			believes[k.Name+tr.Rule.name] = false
			if !b.Begin(k, tr, 0) || !b.owes(k, tr, 0) {
				t.Errorf("%s: %s of %s", k, tr.State, tr.Rule.name)
			}
			b.Took(k, tr, 0, begin)
		}
	}
	for id, violated := range believes {
		if violated {
			t.Errorf("%s is believed violated", id)
		}
	}
	if len(b.objects) != 0 || b.open != 0 {
		t.Errorf("%d objects, %d violations", len(b.objects), b.open)
	}
}

// What a receiver settles while an object is evaluated counts from the next evaluation on, and no
// report is without its message.
func TestSettledDuringAnEvaluation(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 10*s), rule(t, "b", "object.n > 9", h, 0)}, 1)
	e := telling(t, b.Evaluator(nil))
	evaluate := func(at time.Duration) string {
		return told(e.Evaluate(event.Event{Op: event.Update,
			Object: pod(t, "web", "u1", `"n":5,"message":"x"`)}, begin.Add(at)))
	}
	if got := evaluate(0); got != "violated a of u1 since 0s: x; look after 10s" {
		t.Fatal(got)
	}
	violated := owedOf(b, key("web"), 0)[0]
	b.Begin(key("web"), violated, 0)
	second := e.judges[1].deny
	e.judges[1].deny = func(ev event.Event) (bool, error) { // when the first has been asked
		b.Refused(key("web"), violated, 0, begin)
		return second(ev)
	}
	if got := evaluate(20 * s); got != "look after 1ms" {
		t.Error(got)
	}
	e.judges[1].deny = second
	if got := evaluate(20 * s); got != "violated a of u1 since 0s: x; look after 10s" {
		t.Error(got)
	}
}

func TestAPendingRuleIsNotOwed(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, h, 0)}, 1)
	see(t, b.Evaluator(nil), 5, 0)
	if b.Owe(key("web"), "a", "u1", begin, 0) || len(b.Unreported(0)) > 0 {
		t.Error("a rule that is pending is owed")
	}
}

// What is owed about the object that has the name now goes with its own events alone, and what is
// owed of those before it with those of any other one, whether or not there is more to note of it.
func TestOwedWithTheEventOfAnObject(t *testing.T) {
	const all, ended = "resolved u1 violated u2", "resolved u1"
	for story, want := range map[string]map[string]string{
		"delete u1; see 9 u2":           {"u1": ended, "u2": all, "u3": ended},
		"see 9 u2":                      {"u1": ended, "u2": all, "u3": ended},
		"see 1 u1":                      {"u1": ended, "u2": ""},
		"see 1 u2":                      {"u1": ended, "u2": ended},
		"see 1 u1; see 1 u2":            {"u1": ended, "u2": ended},
		"see 1 u1; delete u2":           {"u1": ended, "u2": ended},
		"see 1 u2; see 1 u3":            {"u1": ended, "u2": ended, "u3": ended},
		"delete u1; see 1 u2; see 9 u3": {"u1": ended, "u2": ended, "u3": ended + " violated u3"},
	} {
		f := newFlight(t, 0)
		f.do("see 9 u1; begin V; take V; " + story)
		for uid, want := range want {
			var got []string
			for _, tr := range f.book.DueReports(key("web"), uid, 0) {
				got = append(got, fmt.Sprint(tr.State, " ", tr.UID))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: with an event of %s: %v, want %s", story, uid, got, want)
			}
		}
	}
}
