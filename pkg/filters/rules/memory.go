package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Memory is what a Book remembers of an object and a rule that it violates, or will in time.
type Memory struct {
	Rule     *Rule
	Violated bool      // false: deny holds for less than the rule's For
	Since    time.Time // deny holds
	// Waits are the receivers that have yet to take the violation, or its repeat. Has are those
	// that have taken it.
	Waits, Has Receivers
	// Taken is when a receiver last took the violation or its repeat. It is zero if none is known
	// to have, and if there are Waits.
	Taken time.Time
	// Message and Severity are those of the last report. They are empty unless the rule is
	// violated.
	Message, Severity string
}

// Remembers returns what is remembered of an object, in the order of the rules: one for each rule
// that is pending or violated.
func (b *Book) Remembers(key event.Key) []Memory {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.objects[key]
	if o == nil {
		return nil
	}
	memories, rules := make([]Memory, 0, len(o.records)), b.set.Load().rules
	records := slices.Clone(o.records)
	slices.SortFunc(records, func(r, s record) int { return r.rule - s.rule })
	for i := range records {
		rec := &records[i]
		m := Memory{Rule: rules[rec.rule], Violated: rec.violated, Since: rec.since}
		if rec.violated {
			m.Waits = rec.owes | rec.flying
			m.Has, m.Message = rec.knows&^m.Waits, strings.Clone(rec.message)
			m.Severity = rec.reportedAs.severity
		}
		if m.Waits == 0 && m.Has != 0 {
			m.Taken = rec.taken
		}
		memories = append(memories, m)
	}
	return memories
}
