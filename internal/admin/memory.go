package admin

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Memory is what a listener of a running daemon knows of an object.
type Memory struct {
	Listener bool   `json:"listener"`       // the daemon has the listener
	Idle     string `json:"idle,omitempty"` // why the listener gets no events
	Has      bool   `json:"has,omitempty"`  // its informer has the object
	UID      string `json:"uid,omitempty"`  // of the object that it has
	// Selected is whether the object is selected; nil if the informer does not have it.
	Selected *bool        `json:"selected,omitempty"`
	Rules    []RuleMemory `json:"rules,omitempty"`
}

// RuleMemory is a rule that the object violates, or will in time.
type RuleMemory struct {
	Rule     string    `json:"rule"`
	Violated bool      `json:"violated"` // false while deny holds for less than the rule's for
	Since    time.Time `json:"since"`    // deny holds
	// Message and Severity are those of the last report.
	Message  string `json:"message,omitempty"`
	Severity string `json:"severity,omitempty"`
	// To are the outputs that have the violation. Waiting are those that a report of it, or of its
	// repeat, is on its way to, or waits for.
	To      []string `json:"to,omitempty"`
	Waiting []string `json:"waiting,omitempty"`
	// Reported is when an output last took a report, Next when it is reported, or reported again.
	Reported time.Time `json:"reported,omitzero"`
	Next     time.Time `json:"next,omitzero"`
}

// Write writes it as lines.
func (m *Memory) Write(w io.Writer) error {
	var lines []string
	switch {
	case !m.Listener:
		lines = append(lines, "has no such listener")
	case m.Idle != "":
		lines = append(lines, m.Idle)
	case !m.Has:
		lines = append(lines, "does not have the object")
	case m.Selected != nil && !*m.Selected:
		lines = append(lines, "has not selected the object")
	}
	for _, r := range m.Rules {
		lines = append(lines, r.line())
	}
	if len(lines) == 0 {
		lines = append(lines, "has the object, and no open violation of it")
	}
	_, err := fmt.Fprintf(w, "informerd, which runs:\n  %s\n", strings.Join(lines, "\n  "))
	return err
}

func (r *RuleMemory) line() string {
	state := "violated"
	if !r.Violated {
		state = "pending"
	}
	line := fmt.Sprintf("rule %s: %s since %s", r.Rule, state, r.Since.Format(time.RFC3339))
	for _, part := range []struct{ word, value string }{
		{"reported to", strings.Join(r.To, ", ")}, {"waits for", strings.Join(r.Waiting, ", ")},
		{"next report at", shown(r.Next)},
	} {
		if part.value != "" {
			line += "; " + part.word + " " + part.value
		}
	}
	return line
}

func shown(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}
