package warnings

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/doubts"
	"github.com/informerd/informerd/internal/plan/kinds"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Doubtful returns warnings about informers that an API server would refuse, as far as that can be
// known without one: resources whose names look misspelt, unless unchecked has a warning of it
// already, namespaces of resources that are in none, and what package doubts finds.
func Doubtful(cfg *config.Config, unchecked config.Errors) (warnings config.Errors) {
	set, err := openapi.Builtin()
	if err != nil {
		return nil
	}
	named := map[string]bool{} // one place of each name is enough
	for _, w := range unchecked {
		named[w.Message] = true
	}
	for _, inf := range plan.InformersOf(cfg) {
		name, known := set.Find(inf.Resource)
		near := ""
		if !known {
			near = doubts.Near(inf.Resource)
		}
		switch field := inf.Field + ".resource"; {
		case inf.Resource == "all":
			warnings = append(warnings, cfg.ErrorAt(field,
				field+" is all, which is a word of kubectl for several resources",
				"name one, as in pods, with an informer for each"))
		case near != "" && !named[uncheckedMessage(inf.Resource)]:
			named[uncheckedMessage(inf.Resource)] = true
			warnings = append(warnings, cfg.ErrorAt(field,
				fmt.Sprintf("informerd knows no resource %s", inf.Resource), nearHint(near)))
		case known && len(inf.Namespaces) > 0 && kinds.OfCluster(name):
			field = inf.Field + ".namespaces"
			warnings = append(warnings, cfg.ErrorAt(field,
				fmt.Sprintf("%s: %s belong to the whole cluster and cannot be limited to namespaces",
					field, name.Resource), "remove namespaces"))
		}
		for _, d := range doubts.Of(set, inf.Informer) {
			field := inf.Field + "." + d.Field
			warnings = append(warnings,
				cfg.ErrorAt(field, field+d.Message, d.Hint))
		}
	}
	return warnings
}

// nearHint proposes a resource in place of one that is not known.
func nearHint(near string) string {
	return fmt.Sprintf("did you mean %q? If not, %s", near, askCluster)
}
