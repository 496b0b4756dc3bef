package answer

import (
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// Remember notes what a running listener knows of an object by its rules.
func (a *Answer) Remember(memories []rules.Memory, now time.Time) {
	if len(memories) == 0 {
		a.Note("now the object violates no rule, as far as the listener has seen it.")
	}
	for _, m := range memories {
		a.Note(remembered(m, now))
	}
}

func remembered(m rules.Memory, now time.Time) string {
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
	case m.Waits:
		return text + "; a report of that is on its way, or waits for its output."
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
