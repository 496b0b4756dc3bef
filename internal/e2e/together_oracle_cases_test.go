package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestTogetherOracle has what the oracle is to find, and what it is to leave alone. Each step begins
// with its second: of the objects u and v of one name, what was done and what came,
//
//	put V U [bad] [late]; gone U
//	add V U, update A-B U, delete V U; violated S U, resolved S U    S: since
//
// with a ! behind it if the answer was lost, and of the attacks when they began and ended.
func TestTogetherOracle(t *testing.T) {
	for _, c := range []struct{ name, output, facts, heard, attacks, wrong string }{
		{"a life", "all", "1 put 1 u; 3 put 2 u; 5 gone u", "2 add 1 u; 4 update 1-2 u; 6 delete 3 u", "", ""},
		{"the next one of the name", "all", "1 put 1 u; 3 gone u; 5 put 3 v", "2 add 1 u; 4 delete 2 u; 6 add 3 v", "", ""},
		{"again after a kill", "all", "1 put 1 u; 3 put 2 u", "2 add 1 u; 4 update 1-2 u; 6 add 1 u; 7 update 1-2 u", "kill 5 5", ""},
		{"again since the answer was lost", "all", "1 put 1 u", "2 add 1 u !; 4 add 1 u", "", ""},
		{"all again when it has forgotten", "all", "1 put 1 u; 30 put 2 u", "2 add 1 u; 31 update 1-2 u; 45 add 2 u", "forget 40 44", ""},
		{"an end that was forgotten", "all", "1 put 1 u; 3 gone u", "2 add 1 u", "forget 2 9", ""},
		{"a violation", "judged", "1 put 1 u bad; 5 put 2 u", "2 violated 2 u; 6 resolved 2 u", "", ""},
		{"a violation for a time", "late", "1 put 1 u late; 20 put 2 u", "4 violated 2 u; 21 resolved 2 u", "", ""},

		{"what was not", "all", "1 put 1 u", "2 add 2 u", "", "no such state"},
		{"what was not yet", "all", "5 put 1 u", "2 add 1 u", "", "no such state"},
		{"another's", "all", "1 put 1 u", "2 add 1 v", "", "no such object"},
		{"again", "all", "1 put 1 u", "2 add 1 u; 4 add 1 u", "", "comes again"},
		{"again, long after it was safe", "all", "1 put 1 u", "2 add 1 u; 40 add 1 u", "kill 39 39", "comes again"},
		{"an older one", "all", "1 put 1 u; 2 put 2 u", "3 add 2 u; 4 update 2-1 u", "", "an older one"},
		{"an older one of before the kill", "all", "1 put 1 u; 2 put 2 u; 3 put 3 u", "4 add 3 u; 30 update 3-2 u", "kill 29 29", "an older one"},
		{"a step is left out", "all", "1 put 1 u; 2 put 2 u; 3 put 3 u", "2 add 1 u; 4 update 2-3 u", "", "does not begin"},
		{"added twice", "all", "1 put 1 u; 2 put 2 u", "3 add 1 u; 4 add 2 u", "", "the receiver has it"},
		{"updated before it was added", "all", "1 put 1 u; 2 put 2 u", "4 update 1-2 u", "", "does not have it"},
		{"an end too early", "all", "1 put 1 u; 9 gone u", "2 add 1 u; 4 delete 2 u", "", "it is not gone"},
		{"ended twice", "all", "1 put 1 u; 3 gone u", "2 add 1 u; 4 delete 2 u; 5 delete 1 u", "", "ends again"},
		{"no end of the one before", "all", "1 put 1 u; 3 gone u; 5 put 3 v", "2 add 1 u; 6 add 3 v", "", "has not ended"},
		{"no end", "all", "1 put 1 u; 3 gone u", "2 add 1 u", "", "its end has not come"},
		{"no end, and forgotten before", "all", "1 put 1 u; 30 gone u", "20 add 1 u", "forget 5 9", "its end has not come"},
		{"the last state is missing", "all", "1 put 1 u; 3 put 2 u", "2 add 1 u", "", "in the end"},
		{"it goes on after its end", "all", "1 put 1 u; 3 put 2 u; 4 gone u", "2 add 1 u; 5 delete 3 u; 6 add 2 u", "", "it has ended"},
		{"violated twice", "judged", "1 put 1 u bad", "2 violated 2 u; 4 violated 3 u", "", "violated already"},
		{"resolved without a violation", "judged", "1 put 1 u", "2 resolved 1 u", "", "nothing was violated"},
		{"another since", "judged", "1 put 1 u bad; 3 put 2 u", "2 violated 2 u; 4 resolved 1 u", "", "at another time"},
		{"violated without a reason", "judged", "1 put 1 u; 9 put 2 u bad", "5 violated 5 u; 6 resolved 5 u; 10 violated 9 u", "", "it was not violated"},
		{"resolved without a reason", "judged", "1 put 1 u bad; 9 put 2 u", "2 violated 2 u; 6 resolved 2 u", "", "violated still"},
		{"resolved without a reason, and it was well before", "judged", "1 put 1 u; 3 put 2 u bad; 20 put 3 u",
			"4 violated 4 u; 8 resolved 4 u", "", "violated still"},
		{"no end, though it was forgotten long before it went", "all", "1 put 1 u; 30 gone u", "2 add 1 u", "forget 5 9", "its end has not come"},
		{"no report in the end", "judged", "1 put 1 u bad", "", "", "and not reported"},
		{"no end of a violation", "judged", "1 put 1 u bad; 3 gone u", "2 violated 2 u", "", "its end has not come"},
		{"no report in the middle", "judged", "1 put 1 u bad; 20 put 2 u", "", "", "and not reported"},
		{"no report in the middle, and it was away", "judged", "1 put 1 u bad; 20 put 2 u", "", "kill 2 4", ""},
		{"early", "late", "1 put 1 u late", "2 violated 1 u", "", "early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &ledger{output: c.output}
			for _, f := range togetherSteps(c.facts) {
				is := fact{asked: f.at, answered: f.at.Add(100 * time.Millisecond), uid: f.words[len(f.words)-1]}
				if f.words[0] == "put" {
					if _, err := fmt.Sscan(f.words[1], &is.version); err != nil {
						t.Fatal(err)
					}
					is.uid, is.n = f.words[2], f.words[1]
					is.bad = strings.Contains(strings.Join(f.words, " "), "bad")
					is.late = strings.Contains(strings.Join(f.words, " "), "late")
				}
				l.facts = append(l.facts, is)
			}
			for _, f := range togetherSteps(c.heard) {
				h := heard{at: f.at, taken: f.words[len(f.words)-1] != "!",
					Type: "object", Op: f.words[0], UID: f.words[2]}
				switch old, version, both := strings.Cut(f.words[1], "-"); {
				case h.Op == "violated" || h.Op == "resolved":
					var since int
					_, _ = fmt.Sscan(f.words[1], &since)
					h.Type, h.since = "rule."+h.Op, time.Unix(int64(since), 0)
				case both:
					_, _ = fmt.Sscan(old+" "+version, &h.old, &h.version)
					h.n = version
				default:
					_, _ = fmt.Sscan(f.words[1], &h.version)
					h.n = f.words[1]
				}
				h.ID = fmt.Sprint(h.Type, h.Op == "delete", h.version, h.since, h.UID)
				l.heard = append(l.heard, h)
			}
			for attacked := range strings.SplitSeq(c.attacks, "; ") {
				var how string
				var at, until int64
				if n, _ := fmt.Sscan(attacked, &how, &at, &until); n == 3 {
					l.attacks = append(l.attacks, attack{how: how, at: time.Unix(at, 0), until: time.Unix(until+1, 0),
						settled: time.Unix(until+1, 0), again: 6 * time.Second, killed: true, forgot: how == "forget"})
				}
			}
			wrong := l.judge(nil)
			if c.wrong == "" && len(wrong) > 0 || !strings.Contains(strings.Join(wrong, "\n"), c.wrong) {
				t.Errorf("got %q, want %q", wrong, c.wrong)
			}
		})
	}
}

// togetherStep is a step of a history.
type togetherStep struct {
	at    time.Time
	words []string
}

func togetherSteps(text string) (all []togetherStep) {
	for step := range strings.SplitSeq(text, "; ") {
		if words := strings.Fields(step); len(words) > 0 {
			var at int64
			_, _ = fmt.Sscan(words[0], &at)
			all = append(all, togetherStep{time.Unix(at, 0), words[1:]})
		}
	}
	return all
}
