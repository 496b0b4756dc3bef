package answer

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// Memories are what a running listener knows of an object by its rules.
type Memories struct {
	Rules   []rules.Memory
	Outputs []string // the names of the outputs that get reports, by their numbers as receivers
}

// Remember notes what a running listener knows of an object.
func (a *Answer) Remember(memories Memories, now time.Time) {
	if len(memories.Rules) == 0 {
		a.Note("now the object violates no rule, as far as the listener has seen it.")
	}
	for _, m := range memories.Rules {
		a.Note(memories.remembered(m, now))
	}
}

// named returns the names of receivers, but for those that are no outputs any more.
func (all Memories) named(these rules.Receivers) string {
	var names []string
	for i, name := range all.Outputs {
		if name != "" && these.Has(i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func (all Memories) remembered(m rules.Memory, now time.Time) string {
	ago := func(t time.Time) string {
		return document.Short(now.Sub(t).Truncate(time.Second))
	}
	since := fmt.Sprintf("since %s, for %s", m.Since.UTC().Format(time.RFC3339), ago(m.Since))
	if !m.Violated {
		return fmt.Sprintf("now rule %s waits: its deny holds %s, and is reported when that has lasted for %s.",
			m.Rule.Name(), since, document.Short(m.Rule.For()))
	}
	text := fmt.Sprintf("now rule %s is violated %s", m.Rule.Name(), since)
	switch {
	case m.Waits != 0:
		has, waits := all.named(m.Has), all.named(m.Waits)
		if has != "" {
			has = fmt.Sprintf("; it was reported to %s", has)
		}
		return fmt.Sprintf("%s%s; the report to %s is on its way, or waits.", text, has,
			cmp.Or(waits, "an output"))
	case m.Taken.IsZero():
		return text + "; no output has taken a report of that."
	}
	text += fmt.Sprintf(", and was last reported %s ago", ago(m.Taken))
	switch {
	case m.Rule.Repeat() > 0:
		next := max(0, m.Rule.Repeat()-now.Sub(m.Taken)).Truncate(time.Second)
		text += fmt.Sprintf("; it is reported again in %s", document.Short(next))
	default:
		text += "; it is not reported again"
	}
	return text + "."
}
