package route

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Saved is what a route's records say. The zero value is empty.
type Saved struct {
	destinations map[uint64]*savedDestination
	rules        *rules.Saved
	members      map[event.Key]member
	rewound      bool
}

// savedDestination is a destination to an output, as records have it.
type savedDestination struct {
	output  string
	retired bool
	backlog *delivery.Backlog
	// restored has what outboxes before that were restored with.
	restored map[event.Key]*restoredVersion
}

// Read reads the records that a route has written.
func Read(records record.Set) (*Saved, error) {
	s := &Saved{destinations: map[uint64]*savedDestination{}, members: map[event.Key]member{}}
	s.rewound = len(records[rewoundPart]) > 0
	for key, r := range records[outputsPart] {
		if err := s.readOutput(key, r, records); err != nil {
			return nil, fmt.Errorf("output %q: %w", key.Name, err)
		}
	}
	for part, entries := range records {
		number := strings.TrimPrefix(strings.TrimPrefix(part, outboxPrefix), restoredPrefix)
		if _, has := records[outputsPart][event.Key{Name: number}]; number != part && !has && len(entries) > 0 {
			return nil, record.ErrDamaged
		}
	}
	for key, r := range records[objectsPart] {
		var code memberCode
		if err := r.Decode(&code); err != nil {
			return nil, err
		}
		m, remembered, ok := code.member()
		if !ok || !remembered {
			return nil, record.ErrDamaged
		}
		s.members[key] = m
	}
	var err error
	s.rules, err = rules.ReadSaved(records[rules.Part])
	return s, err
}

func (s *Saved) readOutput(key event.Key, r record.Record, records record.Set) error {
	number, err := strconv.ParseUint(key.Name, 10, 64)
	if err != nil || number == 0 { // they are counted from one
		return record.ErrDamaged
	}
	var output savedOutput
	if err := r.Decode(&output); err != nil {
		return err
	}
	restored := map[event.Key]*restoredVersion{}
	for key, r := range records[restoredPart(number)] {
		restored[key] = new(restoredVersion)
		if err := r.Decode(restored[key]); err != nil {
			return err
		}
	}
	backlog, err := delivery.ReadBacklog(records[outboxPart(number)])
	s.destinations[number] = &savedDestination{output.Output, output.Retired, backlog, restored}
	return err
}

// Moved notes that the listener has left informers of namespaces, of which "" stands for all: outputs
// may have other states of what is remembered of these than the informers that it has now.
func (s *Saved) Moved(namespaces []string) {
	for key, m := range s.members {
		m.stale = m.stale || slices.Contains(namespaces, "") || slices.Contains(namespaces, key.Namespace)
		s.members[key] = m
	}
}

// Unsent returns how many entries there are in outboxes.
func (s *Saved) Unsent() (n int) {
	for _, w := range s.destinations {
		n += w.backlog.Len()
	}
	return n
}

// UnsentTo returns how many entries there are for each output for which there are some.
func (s *Saved) UnsentTo() map[string]int {
	sums := map[string]int{}
	for _, w := range s.destinations {
		if n := w.backlog.Len(); n > 0 {
			sums[w.output] += n
		}
	}
	return sums
}

// Outputs returns the names of the outputs that have something to get, or reports of rules.
func (s *Saved) Outputs() []string {
	var all []string
	if s.rules != nil {
		all = s.rules.Receivers()
	}
	for _, w := range s.destinations {
		all = append(all, w.output)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Rules returns what the rules' book had, nil if there was no book. The book of the listener's
// first pipeline is to be made of it with [rules.Restore], whose receivers are the outputs in the
// order of that pipeline.
func (s *Saved) Rules() *rules.Saved { return s.rules }
