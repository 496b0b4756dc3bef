package route

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// ErrVersion is the error of a cut that another version of informerd has made.
var ErrVersion = errors.New("this informerd cannot read the format of a listener's state")

// ErrDamaged is the error of bytes that are not a cut.
var ErrDamaged = errors.New("a listener's state is damaged")

// Saved is what a route's cuts make together. The zero value is empty.
type Saved struct {
	ways    map[uint64]*savedWay
	rules   *rules.Saved
	members map[event.Key]member
}

// savedWay is a way to an output, as cuts have it.
type savedWay struct {
	output  string
	retired bool
	backlog delivery.Backlog
}

// Apply adds a cut. Those of a route are added in their order, beginning with its first one or one
// that [Route.Whole] has made. The error is [ErrVersion] or [ErrDamaged]; then the state is of no
// use any more.
func (s *Saved) Apply(cut []byte, with delivery.ReadObject) error {
	r := codec.NewReader(cut)
	if version := r.Byte(); len(cut) > 0 && version != cutVersion {
		return fmt.Errorf("%w: it has version %d, and version %d is known", ErrVersion, version,
			cutVersion)
	}
	if whole := r.Bool(); whole {
		*s = Saved{}
	}
	a := applying{r, s, with}
	for a.next() {
	}
	err := r.End()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, delivery.ErrVersion) || errors.Is(err, rules.ErrVersion):
		return fmt.Errorf("%w: %w", ErrVersion, err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// applying adds the parts of a cut.
type applying struct {
	*codec.Reader
	to   *Saved
	with delivery.ReadObject
}

// next adds the next part, and returns false if there is none.
func (a applying) next() bool {
	switch kind := part(a.Byte()); kind {
	case partWay:
		a.way()
	case partGone:
		delete(a.to.ways, a.Uint())
	case partRules:
		a.rules()
	case partNoRules:
		a.to.rules = nil
	case partMembers:
		a.members()
	default:
		if kind != partEnd {
			a.Fail(codec.ErrDamaged)
		}
		return false
	}
	return a.Err() == nil
}

func (a applying) way() {
	number, output, retired, outbox := a.Uint(), a.Text(), a.Bool(), a.Bytes()
	if a.Err() != nil {
		return
	}
	w := a.to.ways[number]
	if w == nil {
		w = &savedWay{output: output}
		if a.to.ways == nil {
			a.to.ways = map[uint64]*savedWay{}
		}
		a.to.ways[number] = w
	}
	if number == 0 || w.output != output || w.retired && !retired { // they are counted from one
		a.Fail(codec.ErrDamaged)
	}
	if w.retired = retired; len(outbox) == 0 {
		return
	}
	if err := w.backlog.Apply(outbox, a.with); err != nil {
		a.Fail(fmt.Errorf("output %q: %w", output, err))
	}
}

func (a applying) rules() {
	book := a.Bytes()
	if a.Err() != nil {
		return
	}
	if a.to.rules == nil {
		a.to.rules = &rules.Saved{}
	}
	if err := a.to.rules.Apply(book); err != nil {
		a.Fail(err)
	}
}

func (a applying) members() {
	for range a.Count() {
		key := event.Key{Namespace: a.Text(), Name: a.Text()}
		m, remembered, ok := memberCode(a.Byte()).member()
		if !ok {
			a.Fail(codec.ErrDamaged)
		}
		switch {
		case a.Err() != nil:
			return
		case !remembered:
			delete(a.to.members, key)
			continue
		case a.to.members == nil:
			a.to.members = map[event.Key]member{}
		}
		a.to.members[key] = m
	}
}

// Append appends a cut that has everything, for a listener that has not begun yet.
func (s *Saved) Append(to []byte, with delivery.AppendObject) []byte {
	c := newCut(to, true)
	var part []byte
	for _, number := range slices.Sorted(maps.Keys(s.ways)) {
		w := s.ways[number]
		part = w.backlog.Append(part[:0], with)
		c.way(number, w.output, w.retired, part)
	}
	if s.rules != nil {
		c.rules(s.rules.Append(part[:0]))
	}
	c.members((&members{objects: s.members}).all())
	return c.end()
}

// Unsent returns how many entries there are in outboxes.
func (s *Saved) Unsent() (n int) {
	for _, w := range s.ways {
		n += w.backlog.Len()
	}
	return n
}

// UnsentTo returns how many entries there are for each output for which there are some.
func (s *Saved) UnsentTo() map[string]int {
	sums := map[string]int{}
	for _, w := range s.ways {
		if n := w.backlog.Len(); n > 0 {
			sums[w.output] += n
		}
	}
	return sums
}

// Rules returns what the rules' book had, nil if there was no book. The book of the listener's
// first pipeline is to be made of it with [rules.Restore], whose receivers are the outputs in the
// order of that pipeline.
func (s *Saved) Rules() *rules.Saved { return s.rules }

// Remembers is Route.Remembers, as of what is saved.
func (s *Saved) Remembers(key event.Key) (in, remembered bool) {
	is, remembered := s.members[key]
	return is.in, remembered
}
