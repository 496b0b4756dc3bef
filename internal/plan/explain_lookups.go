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

// newFound reads the objects of a question as their informers would.
func newFound(l *config.Listener, q Question) (*lookedup.Objects, error) {
	f := lookedup.New()
	for _, name := range slices.Sorted(maps.Keys(q.Lookups)) {
		inf, files := l.Informers()[name], q.Lookups[name]
		in, err := q.Kept.Of(inf, func() (*lookedup.In, error) { return readAs(name, inf, files) })
		if err != nil {
			return nil, err
		}
		f.Add(name, in)
	}
	return f, nil
}

// readAs reads objects as an informer would, and leaves out those that it does not watch. It is an
// error if all objects are of another kind.
func readAs(name string, inf *config.Informer, files []ObjectFile) (*lookedup.In, error) {
	parser, err := ParserOf(inf)
	if err != nil {
		return nil, err
	}
	shape, err := ShapeOf(inf)
	if err != nil {
		return nil, err
	}
	in := lookedup.NewIn(scope.Limits(inf), shape.Indexes)
	for _, file := range files {
		if kind, sure := file.isOf(inf.Resource); kind != "" && sure {
			if in.Others++; in.Others < len(files) {
				continue
			}
			return nil, fmt.Errorf("%s: this is a %s, and the informer %q watches %s", file.Path, kind,
				name, inf.Resource)
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
	return in, nil
}
