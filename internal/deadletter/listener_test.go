package deadletter

import (
	"fmt"
	"strings"
	"testing"
)

// superseded returns NAME@VERSION of the letters that are superseded.
func superseded(t testing.TB, s *Store) string {
	t.Helper()
	text := ""
	for _, l := range list(t, s, Query{Heads: true}) {
		if l.Superseded != s.Superseded(l.ID) {
			t.Errorf("%s is superseded in one way only", l.ID)
		}
		if l.Superseded {
			text += fmt.Sprintf("%s@%s%s ", l.Name, l.ResourceVersion, l.Output)
		}
	}
	return strings.TrimSpace(text)
}

func TestSuperseded(t *testing.T) {
	base := func(d Delivery) Delivery {
		d.Resource, d.Namespace = "pods", "default"
		if d.Name == "" {
			d.Name = "a"
		}
		return d
	}
	without := func(l Letter) Letter { l.Output = ""; return l }
	deleted := func(l Letter) Letter { l.Op = "delete"; return l }
	report := func(l Letter) Letter { l.Rule = "r"; return l }
	odd := letter("a", 5)
	odd.ResourceVersion = "x5"
	other := letter("a", 5)
	other.Listener = "nodes"
	for _, test := range []struct {
		name     string
		letter   Letter
		delivery Delivery
		want     bool
	}{
		{"newer", letter("a", 9), Delivery{Output: "hook", ResourceVersion: "10"}, true},
		{"older, of a server that was restored", letter("a", 10),
			Delivery{Output: "hook", ResourceVersion: "9"}, true},
		{"older, a report", letter("a", 10),
			Delivery{Output: "hook", ResourceVersion: "9", Rule: "r"}, false},
		{"older, replayed", letter("a", 10),
			Delivery{Output: "hook", ResourceVersion: "9", Letter: "0d234ccf52430000"}, false},
		{"the same state", letter("a", 9), Delivery{Output: "hook", ResourceVersion: "9"}, false},
		{"another output", letter("a", 9), Delivery{Output: "x", ResourceVersion: "10"}, false},
		{"another object", letter("a", 9),
			Delivery{Output: "hook", Name: "b", ResourceVersion: "10"},
			false},
		{"no output", without(letter("a", 9)), Delivery{Output: "x", ResourceVersion: "10"}, true},
		{"no output, older, delayed elsewhere", without(letter("a", 9)),
			Delivery{Output: "x", ResourceVersion: "8"}, false},
		{"deleted unseen", letter("a", 9), Delivery{Output: "hook", ResourceVersion: "9",
			Delete: true}, true},
		{"deleted twice", deleted(letter("a", 9)), Delivery{Output: "hook", ResourceVersion: "9",
			Delete: true}, false},
		{"resolved as time passed", report(letter("a", 9)), Delivery{Output: "hook",
			ResourceVersion: "9", Rule: "r"}, true},
		{"another rule", report(letter("a", 9)), Delivery{Output: "hook", ResourceVersion: "9",
			Rule: "q"}, false},
		{"a newer event", report(letter("a", 9)), Delivery{Output: "hook",
			ResourceVersion: "10"}, false},
		{"a newer report", report(letter("a", 9)), Delivery{Output: "hook",
			ResourceVersion: "10", Rule: "r"}, true},
		{"an event before a report", letter("a", 9), Delivery{Output: "hook",
			ResourceVersion: "10", Rule: "r"}, true},
		{"odd versions", odd, Delivery{Output: "hook", ResourceVersion: "4"}, true},
		{"odd and the same", odd, Delivery{Output: "hook", ResourceVersion: "x5"}, false},
		{"another listener", other, Delivery{Output: "hook", ResourceVersion: "10"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, Config{})
			put(t, s, test.letter)
			s.Listener("pods").Delivered(base(test.delivery))
			if got := superseded(t, s) != ""; got != test.want {
				t.Errorf("superseded: %v", got)
			}
		})
	}
}

// A letter that is replayed out of turn supersedes those before it, and not those behind it, though
// these are no newer in the eyes of the API server.
func TestReplayedOutOfTurn(t *testing.T) {
	s := open(t, Config{})
	violated, resolved := letter("a", 5), letter("a", 5)
	violated.Rule, resolved.Rule = "r", "r"
	put(t, s, letter("a", 3), violated, resolved, letter("a", 6))
	all := list(t, s, Query{})
	d := Delivery{Output: "hook", Resource: "pods", Namespace: "default", Name: "a",
		ResourceVersion: "5", Rule: "r", Letter: all[1].ID}
	s.Listener("pods").Delivered(d)
	if got := superseded(t, s); got != "a@3hook" {
		t.Errorf("got %s", got)
	}
	d.Letter = all[2].ID
	s.Listener("pods").Delivered(d)
	if got := superseded(t, s); got != "a@3hook a@5hook" {
		t.Errorf("got %s", got)
	}
}

// An event may become a letter before an earlier one of its object does, which waited for an
// output: once it is replayed, that one is superseded all the same.
func TestReplayedBeforeWhatIsOlder(t *testing.T) {
	s := open(t, Config{})
	refused := letter("a", 9)
	refused.Output = ""
	put(t, s, refused, letter("a", 5), letter("a", 12))
	s.Listener("pods").Delivered(Delivery{Output: "hook", Resource: "pods", Namespace: "default",
		Name: "a", ResourceVersion: "9", Letter: list(t, s, Query{})[0].ID})
	if got := superseded(t, s); got != "a@5hook" {
		t.Errorf("got %s", got)
	}
}

// What is superseded stays so after a restart, and leaves nothing behind when the letter goes.
func TestSupersededIsKept(t *testing.T) {
	cfg := Config{Path: file(t)}
	s := open(t, cfg)
	put(t, s, letter("a", 1), letter("b", 1))
	d := Delivery{Output: "hook", Resource: "pods", Namespace: "default", Name: "a",
		ResourceVersion: "2"}
	s.Listener("pods").Delivered(d)
	s = restart(t, s, cfg)
	if got := superseded(t, s); got != "a@1hook" {
		t.Errorf("got %s", got)
	}
	id := list(t, s, Query{})[0].ID
	s.Listener("pods").Delivered(d)
	if !s.Has(id) {
		t.Error("a letter that is superseded is not there")
	}
	if _, err := s.Delete(id); err != nil {
		t.Fatal(err)
	}
	d.ResourceVersion = "3"
	s.Listener("pods").Delivered(d)
	if s.Superseded(id) || s.Superseded("none") || s.Has(id) || s.Has("none") {
		t.Error("a letter that is gone is superseded")
	}
	again := letter("a", 9)
	again.ID = id // the same place in the file
	put(t, s, again)
	s = restart(t, s, cfg)
	if got := superseded(t, s); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestDeliveredWithoutLettersIsCheap(t *testing.T) {
	s := open(t, Config{})
	put(t, s, letter("a", 1))
	l := s.Listener("nodes")
	d := Delivery{Output: "hook", Resource: "nodes", Name: "n", ResourceVersion: "2"}
	s.mu.Lock() // it asks for no lock
	defer s.mu.Unlock()
	if n := testing.AllocsPerRun(100, func() { l.Delivered(d) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
