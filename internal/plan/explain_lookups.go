package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/lookedup"
	"github.com/informerd/informerd/internal/plan/scope"
)

// ExpressionLookups returns the names of the informers in which the expressions of a listener look
// objects up, sorted.
func ExpressionLookups(cfg *config.Config, l *config.Listener) []string {
	c := newCompiler(cfg, l, nil)
	c.listener()
	return lookups(filtersOf(c.expressions))
}

// newFound reads objects as their informers would, and leaves out those that these do not watch. It
// is an error if all objects are of another kind.
func newFound(l *config.Listener, files map[string][]ObjectFile) (*lookedup.Objects, error) {
	f := lookedup.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		inf := l.Informers()[name]
		parser, err := ParserOf(inf)
		if err != nil {
			return nil, err
		}
		shape, err := ShapeOf(inf)
		if err != nil {
			return nil, err
		}
		in, others := f.Add(name, scope.Limits(inf), shape.Indexes), 0
		for _, file := range files[name] {
			if kind, sure := file.isOf(inf.Resource); kind != "" && sure {
				if others++; others < len(files[name]) {
					continue
				}
				return nil, fmt.Errorf("%s: this is a %s, and the informer %q watches %s",
					file.Path, kind, name, inf.Resource)
			}
			o, err := file.parse(parser)
			if err != nil {
				return nil, err
			}
			if reasons := scope.Outside(inf, o); len(reasons) > 0 {
				in.Outside(o, reasons)
			} else {
				in.Add(o)
			}
		}
		if others > 0 {
			f.Notes = append(f.Notes, fmt.Sprintf("the objects for %s that are of other kinds are left out: %d",
				name, others))
		}
	}
	return f, nil
}
