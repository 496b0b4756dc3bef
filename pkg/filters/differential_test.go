package filters

import (
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// fields are paths of the objects that drawObject makes, and some that are not there.
var fields = []string{
	"object.a", "object.b", "object.c", "object.s.a", "object.s.b", "object.s.t", "object.s.list",
	"object.s.items", "old.a", "old.s.list",
	"object.s.list[0]", "object.s.items[0].a", "object.s.items[1]", "object.s",
	"object.metadata.name", `object.s["a"]`, "op", "missed",
}

func drawScalar(t *rapid.T) string {
	return rapid.SampledFrom([]string{"0", "1", "2", "2.0", "0.5", "-1", "300", `""`, `"a"`, `"b"`,
		`"ab"`, `"ü"`, "true", "false", "null"}).Draw(t, "scalar")
}

func drawObject(t *rapid.T) string {
	list, objects := "", ""
	for i := range rapid.IntRange(0, 3).Draw(t, "items") {
		if i > 0 {
			list, objects = list+",", objects+","
		}
		list += drawScalar(t)
		objects += `{"a":` + drawScalar(t) + `,"b":` + drawScalar(t) + `}`
	}
	return `{"metadata":{"name":"ab"},"a":` + drawScalar(t) + `,"b":` + drawScalar(t) +
		`,"s":{"a":` + drawScalar(t) + `,"t":` + drawScalar(t) + `,"list":[` + list +
		`],"items":[` + objects + `]}}`
}

// drawExpression makes a text of the language; few operands have a type that the operation takes.
func drawExpression(t *rapid.T, depth int, items bool) string {
	operand := func() string { return drawExpression(t, depth-1, items) }
	choice := rapid.IntRange(0, 15).Draw(t, "choice")
	if depth == 0 || choice < 5 {
		pool := append([]string{"1", "2", "0.5", `"a"`, `"ab"`, "nil", "true", "[1, 2]",
			`["a", "ü"]`}, fields...)
		if items {
			pool = append(pool, "#", "#", ".a", "#.a", ".b", ".a", ".b")
		}
		return rapid.SampledFrom(pool).Draw(t, "operand")
	}
	switch choice {
	case 5:
		return "(not " + operand() + ")"
	case 6:
		return "(" + operand() + " ? " + operand() + " : " + operand() + ")"
	case 7:
		name := rapid.SampledFrom([]string{"any", "all", "none", "one", "count", "filter", "find",
			"findIndex", "map", "findLast"}).Draw(t, "predicate")
		list := rapid.SampledFrom([]string{"object.s.list", "object.s.items", "old.s.list",
			"[1, 2]", "object.b"}).Draw(t, "list")
		return name + "(" + list + ", " + drawExpression(t, depth-1, true) + ")"
	case 8:
		return "len(" + operand() + ")"
	case 9:
		return "(-" + operand() + ")"
	case 10:
		stack := rapid.SampledFrom([]string{"[1, 2]", `["a", "ü"]`, "object.s",
			"object.metadata"}).Draw(t, "stack")
		return "(" + operand() + " in " + stack + ")"
	default:
		operator := rapid.SampledFrom([]string{
			"==", "==", "!=", "<", "<=", ">", ">=", "contains", "startsWith", "endsWith", "matches",
			"&&", "||", "??", "+", "-", "*", "/", "%", "**",
		}).Draw(t, "operator")
		return "(" + operand() + " " + operator + " " + operand() + ")"
	}
}

// Where expr on a decoded map gives true or false, so does a filter, the same. Three differences
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
		ev := event.Event{Op: event.Update, Missed: 2, Object: parse(drawObject(t)),
			Old: parse(drawObject(t))}
		env := map[string]any{
			"op": "update", "object": ev.Object.Value().Any(), "old": ev.Old.Value().Any(),
			"initial": false, "missed": 2,
		}
		for range 10 {
			text := drawExpression(t, 3, false)
			program, err := expr.Compile(text, expr.Env(map[string]any{}),
				expr.AllowUndefinedVariables(), expr.Optimize(false), expr.AsBool())
			if err != nil {
				continue
			}
			want, err := expr.Run(program, env)
			if err != nil {
				continue
			}
			f, err := Compile(Expression{Text: text})
			if err != nil {
				continue // a bound, or a type that is known here and not there
			}
			got, err := f.Evaluator().Match(ev)
			if err != nil && (strings.HasSuffix(err.Error(), "this goes over a list, got string") ||
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
