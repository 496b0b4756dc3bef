package shown

import (
	"strings"

	"github.com/informerd/informerd/internal/plan/reach"
)

// Sends is what outputs get of a listener.
type Sends struct {
	Outputs    []string `json:"outputs"`
	Events     []string `json:"events,omitempty"`
	Handled    bool     `json:"handled,omitempty"`    // what the handler passes on or emits
	Reports    []string `json:"reports,omitempty"`    // of which rules
	Violations []string `json:"violations,omitempty"` // of which rules, without their ends
	Nothing    string   `json:"nothing,omitempty"`    // why nothing goes there

	AllEvents  bool `json:"-"` // that the listener sends
	AllReports bool `json:"-"`
	Partly     bool `json:"partly,omitempty"` // not all of what it reports of these rules
}

// Why nothing goes to an output.
const (
	NotWanted      = "the when is false of all that it has"
	NoViolation    = "no violation and no event meets the when, and an end goes only where the violation went"
	NoEvent        = "no event can match"
	NoReport       = "an Alertmanager gets only what rules report"
	NothingToPatch = "a deleted object cannot be patched"
)

// Text returns it in words.
func (s *Sends) Text() string {
	if s.Nothing != "" {
		return "nothing, since " + s.Nothing
	}
	var all []string
	if s.Handled {
		all = append(all, reach.WhatHandled)
	}
	switch {
	case len(s.Events) > 0 && s.AllEvents:
		all = append(all, "events")
	case len(s.Events) > 0:
		all = append(all, "events "+strings.Join(s.Events, ", "))
	}
	part := ""
	if s.Partly {
		part = "a part of "
	}
	switch {
	case len(s.Reports) > 0 && s.AllReports:
		all = append(all, part+"what its rules report")
	case len(s.Reports) > 0:
		all = append(all, part+"what it reports of "+reach.RuleNames(s.Reports))
	}
	if len(s.Violations) > 0 {
		all = append(all, "violations of "+reach.RuleNames(s.Violations)+", and not their ends")
	}
	return strings.Join(all, "; ")
}
