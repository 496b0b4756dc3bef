package plan

import (
	"strings"

	"github.com/informerd/informerd/internal/plan/shown"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Parts are the lines of a plan, by what they are about. None of them needs another one.
type Parts struct {
	Watches   []string // of which informers there are, with their scopes
	Listeners map[string][]string
	Outputs   map[string][]string
}

// Parts returns the parts of the plan, with whole expressions.
func (p *Plan) Parts() (Parts, error) {
	parts := Parts{Listeners: map[string][]string{}, Outputs: map[string][]string{}}
	known, err := openapi.Builtin()
	if err != nil {
		return parts, err
	}
	for _, g := range p.groups(known) {
		scope := g.informer.Scope()
		watch := g.informer.Resource + ", " + strings.Join(g.where(), ", ")
		for _, s := range []shown.Setting{{Name: "label selector", Text: scope.LabelSelector},
			{Name: "field selector", Text: scope.FieldSelector},
			{Name: "drops", Text: strings.ReplaceAll(scope.Drop, "\n", ", ")}} {
			if s.Text != "" {
				watch += ", " + s.Name + " " + s.Text
			}
		}
		again := ""
		if len(g.twice) > 0 {
			again = ", watched again by another informer"
		}
		parts.Watches = append(parts.Watches, watch+again)
		for _, l := range g.listeners {
			var text strings.Builder
			out := &shown.Lines{Writer: &text, Whole: true, Alone: true}
			out.Item(0, "informer", watch)
			g.writeWhatItDoes(out, l)
			parts.Listeners[l.Config.Name] = linesOf(&text)
		}
	}
	for name, o := range p.Outputs {
		var text strings.Builder
		out := &shown.Lines{Writer: &text, Whole: true, Alone: true}
		out.Item(0, "to", shown.Destination(o.Config))
		p.writeOutput(out, o, nil)
		parts.Outputs[name] = linesOf(&text)
	}
	return parts, nil
}

func linesOf(text *strings.Builder) []string {
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}
