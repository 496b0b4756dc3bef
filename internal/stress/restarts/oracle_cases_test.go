package restarts

import (
	"fmt"
	"strings"
	"testing"
)

// story is what the oracle is shown of one object, p-1 in ns-a, step by step:
//
//	put N, delete            what the server does; each makes the next version, from 101 on
//	add V, update A-B,
//	delete V                 an acknowledged message, with the UID of the object at V
//	violated V, resolved V   of the rule third, which is about n
//	refused …                a message that was not acknowledged
//	commit                   what came before is safe
//	kill, stop               the end of a life
//	list                     the server sends a list to the next life
//	end                      the daemon runs undisturbed, and nothing more comes
type story struct {
	name, steps string
	wrong       string // what the last step finds, "" if all is right
}

var stories = []story{
	{"a life", "put 1; add 101; put 2; update 101-102; delete; delete 103; end", ""},
	{"a state that was not", "put 1; add 101; update 101-107", "there was no such state"},
	{"added twice", "put 1; add 101; add 101", "it does not follow"},
	{"an update from another state", "put 1; add 101; put 2; put 4; update 101-102; " +
		"update 101-103", "it does not follow"},
	{"an update that goes back", "put 1; put 2; add 102; update 102-101", "it does not follow"},
	{"the end of what is there", "put 1; add 101; delete 101", "it does not follow"},
	{"an end twice", "put 1; add 101; delete; delete 102; delete 102", "it does not follow"},
	{"the last state is missing", "put 1; add 101; put 2; end", "and not version 102"},
	{"the end is missing", "put 1; add 101; delete; end", "the end of {u101 101} has not come"},
	{"another object of the name", "put 1; add 101; delete; put 2; delete 102; add 103; end", ""},
	{"another object, without an end between", "put 1; add 101; delete; put 2; add 103",
		"it does not follow"},
	{"nothing again after a stop", "put 1; add 101; stop; end", ""},
	{"again after a stop", "put 1; add 101; stop; add 101", "it does not follow"},
	{"again after a kill", "put 1; add 101; kill; add 101; end", ""},
	{"twice again after a kill", "put 1; add 101; kill; add 101; add 101; end", ""},
	{"three times again after a kill", "put 1; add 101; kill; add 101; add 101; add 101",
		"it does not follow"},
	{"again after a kill and a stop", "put 1; add 101; kill; stop; add 101; stop; end", ""},
	{"again, after it was safe", "put 1; add 101; commit; kill; add 101", "it does not follow"},
	{"the difference from a safe state", "put 1; add 101; commit; put 2; update 101-102; put 4; " +
		"kill; update 101-103; end", ""},
	{"the difference from what a kill has forgotten", "put 1; add 101; put 2; update 101-102; " +
		"put 4; commit; kill; update 101-103", "it does not follow"},
	{"two kills, and nothing between", "put 1; add 101; kill; kill; add 101; end", ""},
	{"two kills, and a state between", "put 1; add 101; commit; put 2; update 101-102; kill; " +
		"update 101-102; kill; update 101-102; end", ""},
	{"its end after a kill, by the difference", "put 1; add 101; commit; put 2; " +
		"update 101-102; kill; delete; delete 103; end", ""},
	{"no end after a kill, by a list", "put 1; add 101; kill; list; delete; end", ""},
	{"no end after a kill, and no list", "put 1; add 101; kill; delete; end", "has not come"},
	{"no end of what is safe", "put 1; add 101; commit; kill; list; delete; end", "has not come"},
	{"another object after a kill, by a list", "put 1; add 101; kill; delete; put 2; list; " +
		"add 103; end", ""},
	{"another object after a kill, and no list", "put 1; add 101; kill; delete; put 2; add 103",
		"was lost"},
	{"filtered: another object after what came again, by a list", "put 1; add 101; delete; " +
		"put 2; kill; list; add 101; add 103; end", ""},
	{"filtered: another object after what came again, and no list", "put 1; add 101; delete; " +
		"put 2; kill; add 101; add 103", "was lost"},
	{"filtered: another object after what is safe, by a list", "put 1; add 101; commit; delete; " +
		"put 2; kill; list; add 103", "was lost"},
	{"refused, and again", "put 1; refused add 101; add 101; end", ""},
	{"refused, and something newer", "put 1; put 2; refused add 101; add 102", "it comes before"},
	{"refused before a kill", "put 1; put 2; refused add 101; kill; add 102; end", ""},
	{"a violation and its end", "put 3; violated 101; put 1; resolved 102; end", ""},
	{"a violation that is none", "put 1; violated 101", "does not violate"},
	{"violated twice", "put 3; violated 101; violated 101", "does not follow"},
	{"violated again after a stop", "put 3; violated 101; stop; violated 101", "does not follow"},
	{"violated again after a kill", "put 3; violated 101; kill; violated 101; end", ""},
	{"no report", "put 1; put 3; end", "is violated, and not reported"},
	{"no end of a violation", "put 3; violated 101; delete; end", "is not resolved"},
	{"an end without a violation", "put 1; resolved 101", "does not follow"},
}

func TestOracle(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			if wrong := s.tell(t); s.wrong == "" && wrong != "" || !strings.Contains(wrong,
				s.wrong) {
				t.Errorf("got %q, want %q", wrong, s.wrong)
			}
		})
	}
}

// tell shows the steps to the oracle, and returns the first thing that is wrong.
func (s story) tell(t *testing.T) (wrong string) {
	server := &server{version: 100, pods: map[string]*pod{}, objects: map[string][]change{},
		more: make(chan struct{})}
	f := &follower{listener: "l", server: server, selects: each, made: true, keepsUIDs: true,
		objects: map[string]*chain[known]{}, unsent: map[string]string{},
		reports: map[string]map[string]*chain[bool]{}}
	if strings.Contains(s.steps, "violated") || strings.Contains(s.steps, "resolved") ||
		strings.Contains(s.wrong, "violated") {
		f.rules = map[string]func(*pod) bool{"third": third}
	}
	if strings.HasPrefix(s.name, "filtered:") {
		f.passes = each
	}
	now, safe, life := 0, 0, 1
	for step := range strings.SplitSeq(s.steps, "; ") {
		now++
		verb, what, _ := strings.Cut(step, " ")
		switch verb {
		case "put":
			p := pod{namespace: "ns-a", name: "p-1"}
			if _, err := fmt.Sscan(what, &p.n); err != nil {
				t.Fatal(err)
			}
			server.put(p)
		case "commit":
			safe = now
		case "kill", "stop":
			if verb == "stop" {
				safe = now
			}
			f.end(life, verb == "kill", safe)
			life++
		case "list":
			server.lists = append(server.lists, life)
		case "end":
			for _, p := range f.disagree(server.now()) {
				wrong = p.what
			}
		case "delete":
			if what == "" {
				server.remove("ns-a/p-1")
				continue
			}
			fallthrough
		default:
			wrong = f.hear(s.entry(step, life, now, server))
		}
		if wrong != "" {
			return wrong
		}
	}
	return ""
}

// entry makes the entry of a ledger that a step describes.
func (s story) entry(step string, life int, at int, server *server) *entry {
	e := &entry{life: life, beat: &at, outcome: taken}
	if rest, is := strings.CutPrefix(step, "refused "); is {
		step, e.outcome = rest, refused
	}
	verb, what, _ := strings.Cut(step, " ")
	from, to, both := strings.Cut(what, "-")
	if !both {
		to = from
	} else {
		e.OldResourceVersion = from
	}
	e.Subject, e.Source, e.Op = "pods/ns-a/p-1", "/listeners/l", verb
	e.ResourceVersion, e.ID = to, step
	if verb == "violated" || verb == "resolved" {
		e.Rule, e.Type, e.Op = "third", "dev.informerd.rule."+verb, "update"
	}
	for _, c := range server.of("ns-a/p-1") {
		if c.version <= e.version() {
			if p := c.after; p != nil {
				e.UID, e.Data.N = p.uid, p.n
			} else {
				e.UID = c.before.uid
			}
		}
	}
	return e
}
