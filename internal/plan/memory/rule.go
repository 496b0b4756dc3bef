package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// Rules are what a running listener knows of an object, for each rule that the object violates, or
// will in time.
type Rules []Rule

// Rule is what a running listener knows of an object by one rule.
type Rule struct {
	Rule string `json:"rule,omitempty"`
	// Violated is false while the rule's deny holds for less than the rule's For.
	Violated bool      `json:"violated"`
	Since    time.Time `json:"since"` // deny holds
	For      string    `json:"for,omitempty"`
	// Message and Severity are those of the last report.
	Message  string `json:"message,omitempty"`
	Severity string `json:"severity,omitempty"`

	// To are the outputs that have the violation. Waiting are those that a report of it, or of its
	// repeat, is on its way to, or waits for.
	To      []string `json:"to,omitempty"`
	Waiting []string `json:"waiting,omitempty"`

	// Reported is when an output last took a report. It is zero if none did, and while some wait.
	Reported time.Time `json:"reported,omitzero"`
	// Next is when it is reported, or reported again; zero if it is not.
	Next time.Time `json:"next,omitzero"`
}

// RulesOf returns what a book remembers of an object. The outputs have the names of receivers, by
// their numbers; those that are no outputs any more have none.
func RulesOf(all []rules.Memory, outputs []string) (memories Rules) {
	named := func(these rules.Receivers) (names []string) {
		for i, name := range outputs {
			if name != "" && these.Has(i) {
				names = append(names, name)
			}
		}
		return names
	}
	for _, m := range all {
		one := Rule{Rule: m.Rule.Name(), Violated: m.Violated, Since: m.Since.UTC(),
			Message: m.Message, Severity: m.Severity, To: named(m.Has), Waiting: named(m.Waits)}
		if m.Rule.For() > 0 {
			one.For = document.Short(m.Rule.For())
		}
		switch {
		case !m.Violated:
			one.Next = one.Since.Add(m.Rule.For())
		case !m.Taken.IsZero():
			one.Reported = m.Taken.UTC()
			if m.Rule.Repeat() > 0 {
				one.Next = one.Reported.Add(m.Rule.Repeat())
			}
		}
		memories = append(memories, one)
	}
	return memories
}

// Of returns what is remembered by a rule, nil if that is nothing.
func (all Rules) Of(rule string) *Rule {
	for _, m := range all {
		if m.Rule == rule {
			m.Rule = "" // whoever asks has it
			return &m
		}
	}
	return nil
}

// Under returns it as it goes on under a rule that may be another one than that of the listener:
// what has happened stays, and the times of what comes follow from the rule. It is nil if m is.
func (m *Rule) Under(hold, repeat time.Duration) *Rule {
	if m == nil {
		return nil
	}
	as := *m
	as.For, as.Next = "", time.Time{}
	if hold > 0 {
		as.For = document.Short(hold)
	}
	switch {
	case !m.Violated:
		as.Next = m.Since.Add(hold)
	case !m.Reported.IsZero() && repeat > 0:
		as.Next = m.Reported.Add(repeat)
	}
	return &as
}

// Severe returns the severity with which the violation is reported to further outputs, and its end
// to all: that of the last report, or if none of the listener's outputs has heard of it, or is to,
// that of the rule now.
func (m *Rule) Severe(now string, outputs []string) string {
	heard := func(name string) bool { return slices.Contains(outputs, name) }
	if m.Severity == "" || !slices.ContainsFunc(m.To, heard) && !slices.ContainsFunc(m.Waiting, heard) {
		return now
	}
	return m.Severity
}

// Only returns what is remembered by rules of some names, all if there are none.
func (all Rules) Only(names []string) (some Rules) {
	for _, m := range all {
		if len(names) == 0 || slices.Contains(names, m.Rule) {
			some = append(some, m)
		}
	}
	return some
}

// Long returns how long ago it began, in few words.
func (m *Rule) Long(now time.Time) string { return between(m.Since, now) }

// Left returns in how long it is reported, or reported again: 0s if that may be at once.
func (m *Rule) Left(now time.Time) string { return between(now, m.Next) }

// Due reports whether a violation that is not reported yet has lasted long enough.
func (m *Rule) Due(now time.Time) bool { return !now.Before(m.Next) }

func between(from, to time.Time) string {
	return document.Short(max(0, to.Sub(from)).Truncate(time.Second))
}

// Began returns when it began: the time, or the day as well if that is not the last one.
func (m *Rule) Began(now time.Time) string {
	layout := "15:04:05Z"
	if now.Sub(m.Since) >= 24*time.Hour {
		layout = time.RFC3339
	}
	return fmt.Sprintf("since %s (%s ago)", m.Since.UTC().Format(layout), m.Long(now))
}

// Noted returns all of it, in a sentence.
func (m *Rule) Noted(now time.Time) string {
	since := fmt.Sprintf("since %s, for %s", m.Since.UTC().Format(time.RFC3339), m.Long(now))
	if !m.Violated {
		return fmt.Sprintf("now rule %s waits: its deny holds %s, and is reported when that has lasted for %s.",
			m.Rule, since, m.For)
	}
	text := fmt.Sprintf("now rule %s is violated %s", m.Rule, since)
	if len(m.Waiting) > 0 || m.Reported.IsZero() {
		return text + m.open("; it was reported to ") + "."
	}
	text += fmt.Sprintf(", and was last reported%s %s ago", m.to(), between(m.Reported, now))
	if m.Next.IsZero() {
		return text + "; it is not reported again."
	}
	return fmt.Sprintf("%s; it is reported again in %s.", text, m.Left(now))
}

// Told returns since when it is violated, to whom that was reported, and when it is again.
func (m *Rule) Told(now time.Time) string {
	text := "violated " + m.Began(now)
	if len(m.Waiting) > 0 || m.Reported.IsZero() {
		return text + m.open(", reported to ")
	}
	text += fmt.Sprintf(", reported%s %s ago", m.to(), between(m.Reported, now))
	if m.Next.IsZero() {
		return text + "; not reported again"
	}
	return fmt.Sprintf("%s; again in %s", text, m.Left(now))
}

// open says who has a report, and who has yet to take it.
func (m *Rule) open(to string) (text string) {
	if len(m.Waiting) == 0 {
		return "; no output has taken a report of that"
	}
	if len(m.To) > 0 {
		text = to + strings.Join(m.To, ", ")
	}
	return fmt.Sprintf("%s; the report to %s is on its way, or waits", text,
		strings.Join(m.Waiting, ", "))
}

func (m *Rule) to() string {
	if len(m.To) == 0 {
		return ""
	}
	return " to " + strings.Join(m.To, ", ")
}
