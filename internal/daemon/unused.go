package daemon

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// unused returns warnings about informers and outputs that no listener uses: nothing is watched for
// them, and nothing is sent to them.
func (p *plan) unused() (warnings config.Errors) {
	cfg := p.config
	informers, outputs := map[*config.Informer]bool{}, map[string]bool{}
	for _, l := range p.listeners {
		informers[l.cfg.Informer()] = true
		for _, name := range l.lookups() {
			informers[l.cfg.Informers()[name]] = true
		}
		for _, name := range l.cfg.Outputs {
			outputs[name] = true
		}
	}
	for _, inf := range informersOf(cfg) {
		if !informers[inf.Informer] {
			// the name that one of a policy has in its file
			shown := inf.field[strings.LastIndex(inf.field, "informers."):]
			warnings = append(warnings,
				cfg.ErrorAt(inf.field,
					shown+" is not used: no listener refers to it, and no expression or handler looks objects up in it",
					"remove it, or name it as the informer of a listener"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Outputs)) {
		if field := "outputs." + name; !outputs[name] {
			warnings = append(warnings,
				cfg.ErrorAt(field, field+" is not used: no listener sends anything to it",
					"remove it, or name it in the outputs of a listener"))
		}
	}
	return warnings
}
