package reach

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Sender is a listener with what it sends.
type Sender struct {
	*config.Listener
	Cluster  string
	Resource string      // as messages have it, "" if that is not known
	Events   event.OpSet // that it sends, 0 for none
	Handles  event.OpSet // of the events that its handler gets, 0 for none
	Never    bool        // nothing comes of any event
	Mute     bool        // no event passes the filter
	Kept     []string    // rules that are never violated
	Facts    Facts
}

// Missed is what an output never gets of a listener. Its fields are the JSON form.
type Missed struct {
	Listener string      `json:"listener"`
	All      bool        `json:"all,omitempty"`     // nothing at all arrives
	Ops      event.OpSet `json:"-"`                 // of the events that the listener sends
	Events   []string    `json:"events,omitempty"`  // the same as words
	Handled  bool        `json:"handled,omitempty"` // what the handler passes on or emits
	Rules    []string    `json:"rules,omitempty"`
	Ends     []string    `json:"ends,omitempty"` // rules whose violations arrive, and not their ends
	Partly   []Partly    `json:"partly,omitempty"`
	Arrive   event.OpSet `json:"-"` // of the events that the listener sends

	severities []string // of the rules
}

// WhatHandled is what a listener with a handler sends.
const WhatHandled = "what the handler passes on or emits"

// opsOfReports are the ops that reports may have, "" if time or another object causes them. Only
// the end of a violation has that of a delete.
var opsOfReports = []string{event.Add.String(), event.Update.String(), event.Resync.String(), ""}

var opsOfEnds = []string{event.Add.String(), event.Update.String(), event.Delete.String(),
	event.Resync.String(), ""}

// Partly is what an output never gets of the reports of a rule, by what causes them.
type Partly struct {
	Rule       string   `json:"rule"`
	Violations []string `json:"violations,omitempty"`
	Ends       []string `json:"ends,omitempty"`
}

// Of returns what an output with this when, nil for none, never gets of a listener.
func Of(s Sender, o *config.Output, when *filters.Filter) (m Missed) {
	if s.Never {
		return Missed{Listener: s.Name, All: true}
	}
	m.Listener = s.Name
	for _, r := range s.Rules {
		known := map[string]any{"rule": r.Name, "severity": r.Severity}
		known["type"], known["violated"] = cloudevent.Violated, true
		part := Partly{Rule: r.Name}
		always := slices.Concat(s.Facts.Always, s.Facts.Denies[r.Name])
		part.Violations = neverAt(when, s, known, opsOfReports,
			worldsOf(0, always, s.Facts.Scope, s.Facts.Select))
		if slices.Contains(s.Kept, r.Name) || len(part.Violations) == len(opsOfReports) {
			m.Rules, m.severities = append(m.Rules, r.Name), append(m.severities, r.Severity)
			continue // its end goes only to outputs that have got the violation
		}
		known["type"], known["violated"] = cloudevent.Resolved, false
		if part.Ends = neverAt(when, s, known, opsOfEnds,
			worldsOf(0, always, lasting(s.Facts.Scope))); len(part.Ends) == len(opsOfEnds) {
			m.Ends, part.Ends = append(m.Ends, r.Name), nil
		}
		if len(part.Violations)+len(part.Ends) > 0 {
			m.Partly = append(m.Partly, part)
		}
	}
	got := o.Alertmanager == nil && handled(when, s)
	m.Handled = s.Handler != nil && o.Alertmanager == nil && !got
	for _, op := range event.Ops {
		if !s.Events.Has(op) || o.Alertmanager != nil { // that it gets no events is said elsewhere
			continue
		}
		// There is nothing to patch, which is worth a word if nothing else is sent.
		gone := o.Patch != nil && s.Events == event.OpSet(0).With(event.Delete)
		if gone || never(when, s, noReport(at(op, map[string]any{
			"type": cloudevent.TypeOf(op), "data": nil})), s.Facts.worldsAt(op)) {
			m.Ops, m.Events = m.Ops.With(op), append(m.Events, op.String())
		} else {
			got, m.Arrive = true, m.Arrive.With(op)
		}
	}
	m.All = !got && len(m.Rules) == len(s.Rules) && (o.Alertmanager == nil || len(s.Rules) > 0)
	return m
}

// handled reports whether an output may take what a handler passes on or emits. Its messages have
// the op and the object of the event that it got, and types and data of their own.
func handled(when *filters.Filter, s Sender) bool {
	return slices.ContainsFunc(event.Ops[:], func(op event.Op) bool {
		return s.Handles.Has(op) && !never(when, s, noReport(at(op, nil)), s.Facts.worldsAt(op))
	})
}

// at adds to what is known of a message what that of an event of an op has.
func at(op event.Op, known map[string]any) map[string]any {
	all := map[string]any{"op": op.String()}
	maps.Copy(all, known)
	if op != event.Update {
		all["old"] = nil
	}
	return all
}

// noReport adds to what is known of a message that no rule reports it.
func noReport(known map[string]any) map[string]any {
	all := map[string]any{"rule": nil, "severity": nil, "message": nil, "violated": nil,
		"since": nil}
	maps.Copy(all, known)
	return all
}

// neverAt returns the ops for which nothing arrives, "time" for none.
func neverAt(when *filters.Filter, s Sender, known map[string]any, ops []string,
	worlds []world) (missed []string) {
	for _, op := range ops {
		if known["op"] = op; op != event.Update.String() {
			known["old"] = nil
		} else {
			delete(known, "old")
		}
		if never(when, s, known, worlds) {
			missed = append(missed, cmp.Or(op, "time"))
		}
	}
	return missed
}

// never reports whether an output takes no message, whatever of the worlds its object is of.
func never(when *filters.Filter, s Sender, known map[string]any, worlds []world) bool {
	return taking(when, s, known, worlds) == None
}

// taking returns whether an output takes a message, whatever of the worlds its object is of.
func taking(when *filters.Filter, s Sender, known map[string]any, worlds []world) Taking {
	switch {
	case when == nil:
		return All
	case when.Never():
		return None
	}
	known["listener"], known["cluster"] = s.Name, s.Cluster
	if s.Resource != "" {
		known["resource"] = s.Resource
	}
	some, none := false, false
	for _, w := range worlds {
		all := maps.Clone(known)
		maps.Copy(all, w)
		value, decided := when.Known(all)
		if !decided {
			return Unsure
		}
		some, none = some || value, none || !value
	}
	switch {
	case none && !some:
		return None
	case some && !none:
		return All
	}
	return Unsure
}

// Text returns what is missed, "" for nothing.
func (m Missed) Text() string {
	if m.All {
		return m.Listener + ": anything"
	}
	var parts []string
	switch {
	case len(m.Events) > 0 && m.Arrive != 0:
		parts = append(parts, "events "+strings.Join(m.Events, ", "))
	case len(m.Events) > 0:
		parts = append(parts, "events")
	}
	if m.Handled {
		parts = append(parts, WhatHandled)
	}
	if len(m.Rules) > 0 {
		var names []string
		for i, name := range m.Rules {
			names = append(names, name+" ("+m.severities[i]+")")
		}
		parts = append(parts, RuleNames(names))
	}
	if len(m.Ends) > 0 {
		parts = append(parts, "the ends of violations of "+RuleNames(m.Ends))
	}
	for _, part := range m.Partly {
		if len(part.Violations) > 0 {
			parts = append(parts, "violations of rule "+part.Rule+" at "+orList(part.Violations))
		}
		if len(part.Ends) > 0 {
			parts = append(parts, "ends of violations of rule "+part.Rule+" at "+orList(part.Ends))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return m.Listener + ": " + strings.Join(parts, "; ")
}

// orList returns ops as a list. That of a resync is left out next to others: few have resyncs.
func orList(ops []string) string {
	if len(ops) > 1 {
		ops = slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return op == "resync" })
	}
	return strings.Join(ops, ", ")
}

// RuleNames returns names of rules, with what they are.
func RuleNames(names []string) string {
	word := "rule "
	if len(names) > 1 {
		word = "rules "
	}
	return word + strings.Join(names, ", ")
}
