package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
)

// offered shows what a book offers: to whom, and what.
func offered(o Outcome) string {
	var parts []string
	for _, t := range o.Transitions {
		part := fmt.Sprintf("%s %s to", t.State, t.UID)
		for receiver := range MaxReceivers {
			if t.To.Has(receiver) {
				part += fmt.Sprint(" ", receiver)
			}
		}
		if t.Repeated {
			part += " repeated"
		}
		if t.New {
			part += ", new"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// A story of two receivers: who takes what is offered is noted by number behind the event; "!1"
// refuses it for good.
func TestWhatNobodyTookIsOfferedAgain(t *testing.T) {
	type happens struct{ what, offers, taken string }
	for name, story := range map[string][]happens{
		"the second is away for a while": {
			{"5 u1", "violated u1 to 0 1, new", "0"}, {"6 u1", "violated u1 to 1", ""}, {
				"6 u1", "violated u1 to 1", "1"}, {"6 u1", "", ""},
			{"1 u1", "resolved u1 to 0 1, new", "1"}, {"1 u1", "resolved u1 to 0", "0"}, {
				"1 u1", "", ""},
		},
		"mended before the second heard of it": {
			{"5 u1", "violated u1 to 0 1, new", "0"}, {"1 u1", "resolved u1 to 0, new", ""}, {
				"1 u1", "resolved u1 to 0", "0"}, {"1 u1", "", ""},
		},
		"mended before anybody heard of it": {
			{"5 u1", "violated u1 to 0 1, new", ""}, {"1 u1", "", ""}},
		"violated again before the first heard of the end": {
			{"5 u1", "violated u1 to 0 1, new", "0"}, {"1 u1", "resolved u1 to 0, new", ""},
			{"5 u1", "resolved u1 to 0; violated u1 to 0 1, new", "1"}, {
				"5 u1", "resolved u1 to 0; violated u1 to 0", "0"},
			{"5 u1", "", ""}, {"1 u1", "resolved u1 to 0 1, new", "01"},
		},
		"deleted while the output is away": {
			{"5 u1", "violated u1 to 0 1, new", "01"}, {
				"delete u1", "resolved u1 to 0 1, new", "0"}, {"delete u1", "resolved u1 to 1",
				"1"}, {"delete u1", "", ""},
		},
		"another object of the name while the output is away": {
			{"5 u1", "violated u1 to 0 1, new", "0"}, {
				"5 u2", "resolved u1 to 0, new; violated u2 to 0 1, new", ""},
			{"5 u3", "resolved u1 to 0; violated u3 to 0 1, new", "01"}, {
				"delete u3", "resolved u3 to 0 1, new", "01"},
		},
		"refused for good": {
			{"5 u1", "violated u1 to 0 1, new", "0!1"}, {"5 u1", "", ""}, {
				"1 u1", "resolved u1 to 0, new", "!0"}, {"1 u1", "", ""},
			{"5 u1", "violated u1 to 0 1, new", "01"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBook([]*Rule{rule(t, "a", deny, 0, 0)}, 2)
			e := b.Evaluator(nil)
			for i, h := range story {
				n, uid, _ := strings.Cut(h.what, " ")
				op := event.Update
				if n == "delete" {
					op, n = event.Delete, "0"
				}
				now := begin.Add(time.Duration(i) * s)
				outcome := e.Evaluate(event.Event{Op: op, Object: pod(t, "web", uid, `"n":`+n)},
					now)
				if got := offered(outcome); got != h.offers {
					t.Fatalf("%d, %s:\n got %s\nwant %s", i, h.what, got, h.offers)
				}
				for _, tr := range outcome.Transitions {
					answer(e, tr, h.taken, now)
				}
			}
		})
	}
}

// answer lets those take a transition whose numbers are given and who may: nobody hears of a
// violation whose end before it was not taken.
func answer(e *Evaluator, tr Transition, who string, now time.Time) {
	refuses := false
	for _, r := range who {
		receiver := int(r - '0')
		switch {
		case r == '!':
			refuses = true
			continue
		case !tr.To.Has(receiver):
		case refuses:
			e.Refused(tr, receiver, now)
		default:
			e.Took(tr, receiver, now)
		}
		refuses = false
	}
}

// A repeat waits until the violation has been reported at all, and counts from when somebody took
// it.
func TestARepeatCountsFromWhenItWasTaken(t *testing.T) {
	e := NewBook([]*Rule{rule(t, "a", deny, 0, 10*s)}, 2).Evaluator(nil)
	for _, l := range []struct {
		at            time.Duration
		offers, taken string
		again         time.Duration
	}{
		{0, "violated u1 to 0 1, new", "", 10 * s}, {30 * s, "violated u1 to 0 1", "", 10 * s}, {
			40 * s, "violated u1 to 0 1", "1", 10 * s},
		{49 * s, "violated u1 to 0", "", s}, {
			50 * s, "violated u1 to 0, new; violated u1 to 1 repeated", "01", 10 * s},
		{60 * s, "violated u1 to 0 1 repeated, new", "01", 10 * s},
	} {
		outcome := e.Evaluate(event.Event{Op: event.Resync, Object: pod(t, "web", "u1", `"n":5`)},
			begin.Add(l.at))
		if got := offered(outcome); got != l.offers || outcome.RecheckAfter != l.again {
			t.Errorf("%s: got %s, again in %s", l.at, got, outcome.RecheckAfter)
		}
		for _, tr := range outcome.Transitions {
			answer(e, tr, l.taken, begin.Add(l.at))
		}
	}
}

// A clock that is set back between two receivers' taking a violation does not bring the repeat
// forward for the first.
func TestARepeatIsNotBroughtForward(t *testing.T) {
	e := NewBook([]*Rule{rule(t, "a", deny, 0, 10*s)}, 2).Evaluator(nil)
	for _, l := range []struct {
		at            time.Duration
		offers, taken string
	}{
		{100 * s, "violated u1 to 0 1, new", "0"}, {50 * s, "violated u1 to 1", "1"}, {
			70 * s, "", ""},
		{110 * s, "violated u1 to 0 1 repeated, new", "01"},
	} {
		outcome := e.Evaluate(event.Event{Op: event.Resync, Object: pod(t, "web", "u1", `"n":5`)},
			begin.Add(l.at))
		if got := offered(outcome); got != l.offers {
			t.Errorf("%s: got %s", l.at, got)
		}
		for _, tr := range outcome.Transitions {
			answer(e, tr, l.taken, begin.Add(l.at))
		}
	}
}

// believed is what one receiver took of one object and rule.
type believed struct {
	violated bool
	uid      string
	last     time.Time
	backs    int // how often the clock had been set back by then
}

// TestModelOfReceivers: whatever receivers take, refuse to take for a while, and in whatever order,
// each gets beginnings and ends in turn, and once it takes everything it believes what is true.
func TestModelOfReceivers(t *testing.T) {
	const receivers, repeat = 3, 7 * s
	rules := []*Rule{rule(t, "a", "object.r0", 0, 0), rule(t, "b", "object.r1", 3*s, repeat),
		rule(t, "c", "object.r2", 0, repeat)}
	late := 0
	rapid.Check(t, func(rt *rapid.T) {
		b := NewBook(rules, receivers)
		e := b.Evaluator(nil)
		type subject struct {
			name     string
			rule     int
			receiver int
		}
		told := map[subject]believed{}
		now, uids, backs := begin, map[string]int{}, 0
		see := func(t *rapid.T, op event.Op, name string, fields string, away Receivers) {
			o := podIn(t, "shop", name, fmt.Sprint(name, uids[name]), fields)
			outcome := e.Evaluate(event.Event{Op: op, Object: o}, now)
			for _, tr := range slices.Clone(outcome.Transitions) {
				for receiver := range receivers {
					if !tr.To.Has(receiver) {
						continue
					}
					if away.Has(receiver) { // and hears nothing more in this turn
						late++
						continue
					}
					key := subject{name, slices.Index(rules, tr.Rule), receiver}
					was := told[key]
					switch {
					case tr.State == Resolved && (!was.violated || was.uid != tr.UID):
						t.Fatalf("%v gets the end of %s, but believes %+v", key, tr.UID, was)
					case tr.State == Violated && tr.Repeated != was.violated:
						t.Fatalf("%v gets %s, repeated %t, but believes %+v", key, tr.UID,
							tr.Repeated, was)
					case tr.Repeated &&
						(tr.UID != was.uid || was.backs == backs && now.Sub(was.last) < repeat ||
							tr.Rule.Repeat() == 0):
						t.Fatalf("%v gets %s again, but believes %+v", key, tr.UID, was)
					}
					told[key] = believed{tr.State == Violated, tr.UID, now, backs}
					e.Took(tr, receiver, now)
				}
			}
			if len(outcome.Errors) > 0 {
				t.Fatal(outcome.Errors)
			}
			open := map[string]string{}
			for _, v := range b.Open() {
				open[v.Rule+" "+v.Name] = v.UID
			}
			for i, r := range rules {
				uid, violated := open[r.Name()+" "+name]
				for receiver := range receivers {
					if key := (subject{name, i, receiver}); !away.Has(receiver) &&
						(told[key].violated != violated || violated && told[key].uid != uid) {
						t.Fatalf("%v believes %+v, but open is %v", key, told[key], open)
					}
				}
			}
		}
		name := rapid.SampledFrom([]string{"web", "db"})
		step := func(t *rapid.T, op event.Op, name string) {
			answers := make([]string, len(rules))
			for i := range answers {
				answers[i] = fmt.Sprintf(`"r%d":%t`, i, rapid.Bool().Draw(t, "denied"))
			}
			see(t, op, name, strings.Join(answers, ","),
				Receivers(rapid.Uint64Range(0, 1<<receivers-1).Draw(t, "away")))
		}
		rt.Repeat(map[string]func(*rapid.T){
			"update": func(t *rapid.T) { step(t, event.Update, name.Draw(t, "name")) },
			"another": func(t *rapid.T) {
				n := name.Draw(t, "name")
				uids[n]++
				step(t, event.Update, n)
			},
			"delete": func(t *rapid.T) { step(t, event.Delete, name.Draw(t, "name")) },
			"time": func(t *rapid.T) {
				now = now.Add(
					time.Duration(rapid.IntRange(1, 9000).Draw(t, "ms")) * time.Millisecond)
			},
			"the clock jumps": func(t *rapid.T) {
				jump := rapid.IntRange(-60, 600).Draw(t, "seconds")
				if now = now.Add(time.Duration(jump) * time.Second); jump < 0 {
					backs++ // by such a clock, what is far enough apart may look as if it was not
				}
			},
			"": func(t *rapid.T) {
				for _, o := range b.objects {
					owed := map[*Rule]Receivers{}
					for _, d := range o.debts {
						if d.owes == 0 || owed[d.told]&d.owes != 0 {
							t.Fatalf("the debts of %s: %+v", o.key, o.debts)
						}
						owed[d.told] |= d.owes
					}
				}
			},
		})
		for _, n := range []string{"web", "db"} {
			see(rt, event.Delete, n, "", 0)
		}
		for key, b := range maps.All(told) {
			if b.violated {
				rt.Fatalf("%v believes %+v at the end", key, b)
			}
		}
		if len(b.objects) != 0 || len(b.counts) != 0 || b.open != 0 {
			rt.Fatalf("%d objects, %d counts and %d violations are left", len(b.objects),
				len(b.counts), b.open)
		}
	})
	if late == 0 && !testing.Short() {
		t.Error("every receiver was there all the time: this test says nothing")
	}
}
