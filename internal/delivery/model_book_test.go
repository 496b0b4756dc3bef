package delivery

import (
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// book is what rules have to report of objects to the receiver, in the simplest words. It begins
// reports, is the settler of each, and knows what the receiver knows.
type book struct {
	*world
	rules [2]map[string]*rule // by object
	// refused counts the reports that are dead letters.
	refused int
}

// rule is one rule of an object.
type rule struct {
	name     string
	episodes []*episode // those that may still have to be reported; the last one may go on
	violated bool       // what is true
	known    bool       // what the receiver knows: by a message, or a letter of the end
	refused  bool       // the present violation is a dead letter
}

// episode is the time from a violation to its end.
type episode struct {
	over       bool
	begin, end state
}

// state is how far a report is.
type state uint8

const (
	none state = iota
	flying
	done
	never // it is a dead letter
)

func newBook(w *world) *book {
	b := &book{world: w}
	for i := range b.rules {
		b.rules[i] = map[string]*rule{}
	}
	return b
}

func (b *book) rule(object string, i int) *rule {
	r := b.rules[i][object]
	if r == nil {
		r = &rule{name: fmt.Sprint("rule", i)}
		b.rules[i][object] = r
	}
	return r
}

// judge notes which rules an object violates from now on.
func (b *book) judge(object string, violated [2]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range violated {
		r := b.rule(object, i)
		switch {
		case violated[i] == r.violated:
			continue
		case violated[i]:
			r.episodes = append(r.episodes, &episode{})
			r.refused = false
		default:
			r.last().over = true
		}
		r.violated = violated[i]
		r.tidy()
	}
}

func (r *rule) last() *episode { return r.episodes[len(r.episodes)-1] }

// tidy forgets the episodes of which nothing is to be reported.
func (r *rule) tidy() {
	var left []*episode
	for _, e := range r.episodes {
		switch {
		case !e.over, e.begin == flying, e.end == flying, e.begin == done && e.end == none:
			left = append(left, e)
		}
	}
	r.episodes = left
}

// again makes the violations owed again that are dead letters, and reports whether there are any.
func (b *book) again(object string) (any bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.rules {
		if r := b.rule(object, i); r.violated && r.refused {
			r.last().begin, r.refused, any = none, false, true
		}
	}
	return any
}

// owes returns whether something is owed about an object that is not on its way.
func (b *book) owes(object string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.rules {
		for _, e := range b.rule(object, i).episodes {
			if e.begin == none || e.over && e.begin == done && e.end == none {
				return true
			}
		}
	}
	return false
}

// owed begins what is owed about an object.
func (b *book) owed(object string, message func() sink.Message) (all []Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.rules {
		r := b.rule(object, i)
		for _, e := range r.episodes {
			if !e.over && e.begin == none {
				e.begin = flying
				all = append(all, b.report(object, r, e, true, message()))
			}
			if e.over && e.end == none && (e.begin == flying || e.begin == done) {
				e.end = flying
				all = append(all, b.report(object, r, e, false, message()))
			}
		}
	}
	return all
}

func (b *book) report(object string, r *rule, e *episode, begin bool, m sink.Message) Report {
	m.Report = &sink.Report{Rule: r.name, Violated: begin}
	return Report{Message: m, Settler: &settled{book: b, object: object, rule: r, episode: e,
		begin: begin}}
}

// settled is a report that is on its way.
type settled struct {
	*book
	object  string
	rule    *rule
	episode *episode
	begin   bool
	ended   bool
}

// Confirm implements Settler. One that is released may be refused yet, by an outbox that is retired.
func (s *settled) Confirm() bool {
	due := s.isDue()
	if !due {
		s.settle(none)
		s.ended = false
	}
	return due
}

// isDue reports whether nothing earlier of the rule is open.
func (s *settled) isDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s.say("a report of %s that has ended may be sent", s.object)
	}
	for _, e := range s.rule.episodes {
		if e == s.episode {
			return s.begin || e.begin == done
		}
		if e.begin == flying || e.begin == done && e.end != done && e.end != never {
			return false
		}
	}
	return false
}

func (s *settled) settle(to state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s.say("a report of %s ended twice", s.object)
	}
	s.ended = true
	if to == never {
		s.refused++
	}
	switch e := s.episode; {
	case s.begin:
		e.begin = to
		if to == never {
			s.rule.refused = s.rule.refused || !e.over
		}
	default:
		if e.end = to; to == never {
			s.rule.known = false
		}
	}
	s.rule.tidy()
}

func (s *settled) Took(time.Time)    { s.settle(done) }
func (s *settled) Refused(time.Time) { s.settle(never) }
func (s *settled) Release()          { s.settle(none) }

// hears notes a report that the receiver takes. The caller holds mu.
func (b *book) hears(object string, m *sink.Report) {
	for i := range b.rules {
		r := b.rule(object, i)
		if r.name != m.Rule {
			continue
		}
		if r.known == m.Violated {
			b.say("%s, %s: violated is %t, and comes again", object, r.name, m.Violated)
		}
		r.known = m.Violated
	}
}

// restart releases what is on its way.
func (b *book) restart() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.rules {
		for _, r := range b.rules[i] {
			for _, e := range r.episodes {
				if e.begin == flying {
					e.begin = none
				}
				if e.end == flying {
					e.end = none
				}
			}
			r.tidy()
		}
	}
}

// check checks in the end what the receiver knows. All: everything was to be reported.
func (b *book) check(all bool, letters int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.rules {
		for object, r := range b.rules[i] {
			if want := r.violated && !r.refused; all && r.known != want {
				b.say("%s, %s: the receiver knows %t, want %t", object, r.name, r.known, want)
			}
			for _, e := range r.episodes {
				if e.begin == flying || e.end == flying {
					b.say("%s, %s: a report is on its way in the end", object, r.name)
				}
			}
		}
	}
	if b.refused != letters {
		b.say("%d reports are refused, with %d letters", b.refused, letters)
	}
}
