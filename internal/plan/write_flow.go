package plan

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// writeEvents writes which events a listener wants, where that is not the default.
func (p *Listener) writeEvents(out *Lines) {
	usual := event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete)
	resync := p.Config.Resync.Duration
	if resync > 0 {
		usual = usual.With(event.Resync)
	}
	if on := p.Config.Ops(); on != usual && !p.Quiet {
		out.Item(2, "on", strings.Join(words(on), ", "))
	}
	if resync > 0 {
		out.Item(2, "resync", document.Short(resync))
	}
}

// writeAgain writes which expressions are evaluated again without an event, since their values
// change with the time or with other objects.
func (p *Listener) writeAgain(out *Lines) {
	if p.Before.Never {
		return
	}
	moves := func(f *filters.Filter) bool { return f.UsesClock() || len(f.Informers()) > 0 }
	var all []string
	if p.Select != nil && moves(p.Select) {
		all = append(all, "select")
	}
	for _, r := range p.Rules {
		if moves(r.Deny()) {
			all = append(all, "rule "+r.Name())
		}
	}
	if len(all) > 0 {
		out.Item(2, "evaluated again", fmt.Sprintf("every %s: %s", document.Short(rules.ClockInterval),
			strings.Join(all, ", ")))
	}
}

// writeOutputs writes what a listener sends, and where.
func (p *Listener) writeOutputs(out *Lines) {
	var what []string
	switch {
	case p.Config.Handler != nil:
		what = append(what, "what the handler passes on or emits")
	case !p.Quiet && len(p.Config.Rules) > 0:
		what = append(what, "events")
	}
	if len(p.Config.Rules) > 0 {
		what = append(what, "what its rules report")
	}
	text := strings.Join(p.Config.Outputs, ", ")
	if len(what) > 0 {
		text += ": " + strings.Join(what, "; ")
	}
	out.Item(2, "sends to", text)
}
