package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// Unused returns warnings about informers and outputs that no listener uses: nothing is watched for
// them, and nothing is sent to them.
func (p *Plan) Unused() (warnings config.Errors) {
	cfg := p.Config
	informers, outputs := map[*config.Informer]bool{}, map[string]bool{}
	for _, l := range p.Listeners {
		informers[l.Config.Informer()] = true
		for _, name := range l.Lookups() {
			informers[l.Config.Informers()[name]] = true
		}
		for _, name := range l.Config.Outputs {
			outputs[name] = true
		}
	}
	for _, inf := range InformersOf(cfg) {
		if !informers[inf.Informer] {
			// the name that one of a policy has in its file
			shown := inf.Field[strings.LastIndex(inf.Field, "informers."):]
			warnings = append(warnings,
				cfg.ErrorAt(inf.Field,
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
