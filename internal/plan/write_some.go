package plan

import (
	"io"
	"slices"

	openapi "github.com/informerd/informerd/internal/schema"
)

// WriteListeners writes the parts of some listeners, with the informers in which their events begin
// or objects are looked up, and with their outputs. Expressions are not shortened.
func (p *Plan) WriteListeners(w io.Writer, names ...string) error {
	known, err := openapi.Builtin()
	if err != nil {
		return err
	}
	out := &Lines{Writer: w, Whole: true}
	first := true
	for _, g := range p.groups(known) {
		listeners := slices.DeleteFunc(slices.Clone(g.listeners), func(l *Listener) bool {
			return !slices.Contains(names, l.Config.Name)
		})
		if len(listeners) == 0 && !slices.ContainsFunc(g.lookups, func(name string) bool {
			return slices.Contains(names, name)
		}) {
			continue
		}
		if !first {
			out.Line(0, "")
		}
		first = false
		g.writeInformer(out)
		for _, l := range listeners {
			g.writeListener(out, l)
		}
	}
	var outputs []string
	for _, l := range p.Listeners {
		if slices.Contains(names, l.Config.Name) {
			outputs = append(outputs, l.Config.Outputs...)
		}
	}
	p.writeSome(out, slices.Compact(slices.Sorted(slices.Values(outputs))))
	return out.Err
}
