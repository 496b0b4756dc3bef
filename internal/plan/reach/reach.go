package reach

import (
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
	Never    bool        // no event gets into its buffer
}

// Missed is what an output never gets of a listener.
type Missed struct {
	Rules []string    // with their severities
	Ends  []string    // the rules of which it gets violations, and not their ends
	Ops   event.OpSet // of the events that the listener sends
	Some  bool        // it gets other events
	All   bool        // nothing at all
}

// opsOfReports are the ops that reports may have, "" if time or another object causes them. Only
// the end of a violation has that of a delete.
var opsOfReports = []string{"", event.Add.String(), event.Update.String(), event.Resync.String()}

// Of returns what an output with this when, nil for none, never gets of a listener. What a handler
// emits may be anything.
func Of(s Sender, o *config.Output, when *filters.Filter) (m Missed) {
	if s.Never {
		return Missed{All: true}
	}
	for _, r := range s.Rules {
		known := map[string]any{"rule": r.Name, "severity": r.Severity}
		known["type"], known["violated"] = cloudevent.Violated, true
		if neverAt(when, s, known, opsOfReports) {
			m.Rules = append(m.Rules, r.Name+" ("+r.Severity+")")
			continue // its end goes only to outputs that have got the violation
		}
		known["type"], known["violated"] = cloudevent.Resolved, false
		if neverAt(when, s, known, append(opsOfReports[:len(opsOfReports):len(opsOfReports)],
			event.Delete.String())) {
			m.Ends = append(m.Ends, r.Name)
		}
	}
	got := s.Handler != nil
	for _, op := range event.Ops {
		if !s.Events.Has(op) || o.Alertmanager != nil { // that it gets no events is said elsewhere
			continue
		}
		if never(when, s, map[string]any{
			"op": op.String(), "type": cloudevent.TypeOf(op), "rule": nil, "severity": nil,
			"message": nil, "violated": nil, "since": nil, "data": nil}) {
			m.Ops = m.Ops.With(op)
		} else {
			got, m.Some = true, true
		}
	}
	m.All = !got && len(m.Rules) == len(s.Rules) && (o.Alertmanager == nil || len(s.Rules) > 0)
	return m
}

func neverAt(when *filters.Filter, s Sender, known map[string]any, ops []string) bool {
	for _, op := range ops {
		if known["op"] = op; !never(when, s, known) {
			return false
		}
	}
	return true
}

func never(when *filters.Filter, s Sender, known map[string]any) bool {
	if when == nil {
		return false
	}
	known["listener"], known["cluster"] = s.Name, s.Cluster
	if s.Resource != "" {
		known["resource"] = s.Resource
	}
	value, decided := when.Known(known)
	return decided && !value
}

// Text returns what is missed, "" for nothing.
func (m Missed) Text(listener string) string {
	if m.All {
		return "anything of " + listener
	}
	var parts []string
	if m.Ops != 0 {
		var ops []string
		for _, op := range event.Ops {
			if m.Some && m.Ops.Has(op) {
				ops = append(ops, op.String())
			}
		}
		parts = append(parts, strings.TrimSpace("events "+strings.Join(ops, ", ")))
	}
	if len(m.Rules) > 0 {
		parts = append(parts, rules(m.Rules))
	}
	if len(m.Ends) > 0 {
		parts = append(parts, "the ends of violations of "+rules(m.Ends))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " of " + listener
}

func rules(names []string) string {
	word := "rule "
	if len(names) > 1 {
		word = "rules "
	}
	return word + strings.Join(names, ", ")
}
