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
	Cluster string
	Events  event.OpSet // that it sends, 0 for none
	Never   bool        // no event gets into its buffer
}

// Missed is what an output never gets of a listener.
type Missed struct {
	Rules  []string // with their severities
	Events bool     // none, although the listener sends some
	All    bool     // nothing at all
}

// Of returns what an output with this when, nil for none, never gets of a listener. What a handler
// emits may be anything.
func Of(s Sender, o *config.Output, when *filters.Filter) (m Missed) {
	if s.Never {
		return Missed{All: true}
	}
	for _, r := range s.Rules {
		// Its end goes only to outputs that have got the violation.
		if never(when, s, map[string]any{"rule": r.Name, "severity": r.Severity, "violated": true,
			"type": cloudevent.Violated}) {
			m.Rules = append(m.Rules, r.Name+" ("+r.Severity+")")
		}
	}
	handled := s.Handler != nil
	got := handled
	for _, op := range event.Ops {
		if s.Events.Has(op) && o.Alertmanager == nil && !never(when, s, map[string]any{
			"op": op.String(), "type": cloudevent.TypeOf(op), "rule": nil, "severity": nil,
			"message": nil, "violated": nil, "since": nil, "data": nil}) {
			got = true
		}
	}
	// That an Alertmanager gets no events is said elsewhere.
	m.Events = s.Events != 0 && !got && o.Alertmanager == nil
	m.All = !got && len(m.Rules) == len(s.Rules) && (o.Alertmanager == nil || len(s.Rules) > 0)
	return m
}

func never(when *filters.Filter, s Sender, known map[string]any) bool {
	if when == nil {
		return false
	}
	known["listener"], known["cluster"] = s.Name, s.Cluster
	value, decided := when.Known(known)
	return decided && !value
}

// Text returns what is missed, "" for nothing.
func (m Missed) Text(listener string) string {
	if m.All {
		return "anything of " + listener
	}
	var parts []string
	if m.Events {
		parts = append(parts, "events")
	}
	if len(m.Rules) > 0 {
		word := "rule "
		if len(m.Rules) > 1 {
			word = "rules "
		}
		parts = append(parts, word+strings.Join(m.Rules, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " of " + listener
}
