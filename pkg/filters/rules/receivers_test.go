package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
