package plan

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/clash"
)

// conflicts returns the expressions of the listener that nothing can fulfill.
func (p *Plan) conflicts(l *Listener) []clash.Conflict {
	return clash.Listener{Cluster: p.Config.Cluster.Name, Informer: l.Config.Informer(),
		Select: l.Select, Filter: l.Filter, Rules: l.Rules}.Conflicts()
}

// Conflicts returns warnings about expressions that nothing can fulfill, since another part of the
// listener, or the cluster's name, excludes that. Write has them in their places.
func (p *Plan) Conflicts() (warnings config.Errors) {
	for _, l := range p.Listeners {
		for _, c := range p.conflicts(l) {
			warnings = append(warnings, p.Config.ErrorAt(l.Field+"."+c.Field,
				fmt.Sprintf("listener %q: %s", l.Config.Name, c.Message), ""))
		}
	}
	return warnings
}
