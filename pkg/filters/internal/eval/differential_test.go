package eval_test

import (
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Where expr on a decoded map returns true or false, a filter returns the same. Three differences
// are wanted and kept out: a nil that is looked for in a list that has one, a text taken for a
// list, and && or || of what is no bool, which expr passes on.
func TestSameAsExprOnADecodedMap(t *testing.T) {
	defined := 0
	rapid.Check(t, func(t *rapid.T) {
		parse := func(text string) *object.Object {
			p := object.Parser{APIVersion: "v1", Kind: "Pod"}
			o, err := p.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		ev := event.Event{Op: event.Update, Missed: 2, Resumed: true,
			Object: parse(filtertest.DrawObject(t)), Old: parse(filtertest.DrawObject(t))}
		env := map[string]any{
			"op": "update", "object": ev.Object.Value().Any(), "old": ev.Old.Value().Any(),
			"initial": false, "missed": 2, "resumed": true,
		}
		for range 10 {
			text := filtertest.DrawExpression(t, 3, false)
			program, err := expr.Compile(text, expr.Env(map[string]any{}),
				expr.Patch(corrections{}), expr.AllowUndefinedVariables(), expr.Optimize(false),
				expr.AsBool())
			if err != nil {
				continue
			}
			want, err := expr.Run(program, env)
			if err != nil {
				continue
			}
			f, err := filters.Compile(lang.Expression{Text: text})
			if err != nil {
				continue // a bound, or a type that is known here and not there
			}
			got, err := f.Evaluator().Match(ev)
			if err != nil && (strings.HasSuffix(err.Error(), "a list is needed here, got string") ||
				strings.Contains(err.Error(), "true or false is needed here")) {
				continue
			}
			defined++
			if err != nil || want != got {
				t.Fatalf("%s\n%s\n%s\nexpr: %v, filter: %v, %v", text, ev.Object.JSON(),
					ev.Old.JSON(), want, got, err)
			}
		}
	})
	if !t.Failed() && !testing.Short() && defined < 20 {
		t.Errorf("only %d expressions were defined in both", defined)
	}
	t.Logf("%d expressions compared", defined)
}

// corrections are what expr has to be given to mean the same. Its findLast leaves values on the
// stack where nothing is found, so that nil == findLast([], true) is false: it gets the last of
// all that match. Its && and || return a nil on their right as it is, which is false here.
type corrections struct{}

func (corrections) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BuiltinNode:
		if n.Name == "findLast" {
			n.Name = "filter"
			ast.Patch(node, &ast.BuiltinNode{Name: "last", Arguments: []ast.Node{n}})
		}
	case *ast.BinaryNode:
		if n.Operator == "&&" || n.Operator == "||" {
			n.Right = &ast.BinaryNode{Operator: "??", Left: n.Right,
				Right: &ast.BoolNode{Value: false}}
		}
	}
}
