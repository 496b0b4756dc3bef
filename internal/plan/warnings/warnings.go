package warnings

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// Of returns what informerd validate warns of without an API server, but for what a plan says
// in the places of expressions, in the order of the files. With names, it is what is about these
// listeners, their informers and outputs.
func Of(p *plan.Plan, schemas plan.Schemas, names ...string) config.Errors {
	suspicious, _ := Unchecked(p.Config, schemas)
	all := slices.Concat(p.Config.Warnings(), p.Unused(), suspicious,
		Doubtful(p.Config, suspicious))
	var about []string // the beginnings of fields
	for _, l := range p.Listeners {
		if len(names) > 0 && slices.Contains(names, l.Config.Name) {
			about = append(about, l.Field)
			for _, name := range append(l.Lookups(), l.Config.InformerRef.Name) {
				about = append(about, "informers."+name)
			}
			for _, name := range l.Config.Outputs {
				about = append(about, "outputs."+name)
			}
		}
	}
	said := map[config.Error]bool{}
	for _, w := range p.Conflicts() {
		said[w] = true
	}
	return plan.InOrder(p.Config, slices.DeleteFunc(all, func(w config.Error) bool {
		return said[w] || len(names) > 0 && !slices.ContainsFunc(about, func(field string) bool {
			rest, ok := strings.CutPrefix(w.Field, field)
			return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	}))
}
