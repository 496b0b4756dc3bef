package eval_test

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// many is an expression that can be written in many ways, 0 the plain one. All of them mean the
// same.
type many func(way int) string

func always(text string) many { return func(int) string { return text } }

func (g *generator) waysOfLeaf(depth int) many {
	switch n := g.r.Intn(12); {
	case n < 6 && depth > 0:
		if g.r.Intn(4) == 0 {
			return always("#")
		}
		return g.Field("#", true)
	case n < 8:
		return g.Field(g.pick("object", "object", "old"), false)
	case n == 8:
		return always(g.pick("nil", "true", "false", "op", "missed", `label("app")`,
			`label("a.b/c")`, `annotation("k")`, `annotation("é")`))
	case n == 9:
		return always(g.pick("[1, 2]", `["a", "é"]`, "[nil]", "[]", "[[1]]", `{"a": 1}`, "{}",
			"(1..3)", "[1.0, nil]"))
	default:
		return always(g.pick("0", "1", "2", "1000", "100", "0.1", "0.5", "-1", "9007199254740993",
			`"a"`, `"é"`, `""`, `"1Gi"`, `"😀"`, `"10m"`, `"1"`))
	}
}

func (g *generator) waysOfList(depth int) many {
	base := g.Field("object", false)
	if depth > 0 && g.r.Intn(2) == 0 {
		base = g.Field("#", true)
	} else if g.r.Intn(2) == 0 {
		key := g.pick("items", "list")
		base = func(way int) string {
			if way%3 == 1 {
				return `object["spec"+""].` + key
			}
			return "object.spec." + key
		}
	}
	salt := g.r.Intn(100)
	return func(way int) string {
		text := base(way)
		if way == 0 {
			return text
		}
		return fmt.Sprintf([]string{"%s", "filter(%s, true)", "map(%s, #)", "(%s)[0:]",
			"(%s ?? [])"}[(way+salt)%5], text)
	}
}

func (g *generator) ways(d, depth int) many {
	if d == 0 {
		return g.waysOfLeaf(depth)
	}
	a, b := g.ways(d-1, depth), g.ways(d-1, depth)
	of := func(form string, parts ...many) many {
		return func(way int) string {
			texts := make([]any, len(parts))
			for i := range parts {
				texts[i] = parts[i](way)
			}
			return fmt.Sprintf(form, texts...)
		}
	}
	switch g.r.Intn(16) {
	case 0, 1, 2, 3:
		return of("(%s "+g.pick("==", "==", "!=", "<", "<=", ">", ">=")+" %s)", a, b)
	case 4:
		return of("(%s "+g.pick("in", "not in", "contains", "startsWith", "endsWith", "matches")+
			" %s)", a, b)
	case 5, 6:
		return of("(%s "+g.pick("&&", "||", "??")+" %s)", a, b)
	case 7:
		return of("(%s "+g.pick("+", "-", "*", "/", "%%", "**")+" %s)", a, b)
	case 8:
		return of("(not %s)", a)
	case 9:
		return of("(%s ? %s : %s)", a, b, g.ways(d-1, depth))
	case 10, 11, 12:
		if depth >= 1 {
			return g.waysOfLeaf(depth)
		}
		return of(g.pick(lang.Predicates...)+"(%s, %s)", g.waysOfList(depth), g.ways(d-1, depth+1))
	case 13:
		return of(g.pick("len", "string", "int", "float", "upper", "lower", "keys", "values",
			"first", "last", "min", "max", "abs", "round", "trim", "quantity", "duration", "semver",
			"ip", "cidr", "image", "date")+"(%s)", a)
	case 14:
		return of("(%s)["+g.pick("0", "1", "-1", "5", "object.x", "missed")+"]", a)
	default:
		return of("(%s)["+g.pick("0:1", "1:", ":-1", "-2:", "1:0", "object.x:")+"]", a)
	}
}

// However a field is read, the answer is the same; so it is for packed objects, and Explain answers
// as Match does.
func TestWaysToWriteTheSame(t *testing.T) {
	compared, trues := 0, 0
	generated(t, func(t *testing.T, g *generator) {
		ev := generatedEvent(t, g)
		packed := ev
		packed.Object = filtertest.NewObject(t, ev.Object.JSON()).Stored()
		if ev.Old != nil {
			packed.Old = filtertest.NewObject(t, ev.Old.JSON()).Stored()
		}
		for range 10 {
			written := g.ways(1+g.r.Intn(3), 0)
			plain := "(" + written(0) + ") == true"
			f, err := filters.Compile(lang.Expression{Text: plain})
			if err != nil {
				continue
			}
			want, why := answerOf(t, f, ev, nil)
			if want == "over budget" {
				continue // another way may cost less
			}
			if want == "true" {
				trues++
			}
			if got, _ := answerOf(t, f, packed, nil); got != want {
				t.Errorf("%s\n%s\nis %s %s, and %s when packed", plain, ev.Object.JSON(), want, why,
					got)
			}
			if got := explained(t, f, ev); got != want {
				t.Errorf("%s\n%s\nis %s %s, and %s by Explain", plain, ev.Object.JSON(), want, why,
					got)
			}
			for way := 1; way <= 4; way++ {
				other := "(" + written(way) + ") == true"
				f, err := filters.Compile(lang.Expression{Text: other})
				if err != nil {
					continue
				}
				compared++
				if got, reason := answerOf(t, f, ev, nil); got != want && got != "over budget" {
					t.Fatalf("%s is %s %s\n%s is %s %s\n%s\nold %s", plain, want, why,
						other, got, reason, ev.Object.JSON(), oldText(ev))
				}
			}
		}
	})
	t.Logf("%d compared, %d true", compared, trues)
	if !t.Failed() && compared < 100 {
		t.Error("too few")
	}
}

func explained(t *testing.T, f *filters.Filter, ev event.Event) string {
	x := filtertest.Explain(t, f, ev, nil)
	if x.Err != nil {
		return "fails"
	}
	return fmt.Sprint(x.Matched)
}

// What the page calls nil is nil, whatever the function and the value: a field that is missing, and
// a text that cannot be read.
func TestNilPromises(t *testing.T) {
	ev := event.Event{Op: event.Update,
		Object: filtertest.NewObject(t, `{"metadata":{"name":"x"},"n":null,"l":[],"o":{},"t":[`+
			join(someTexts)+
			`],"v":[`+join(someNumbers)+`]}`)}
	nils := []string{"object.nope", "object.n", "object.l[0]", `object.o["x"]`, "old",
		"first(object.l)", "find(object.l, true)", "findLast(object.l, true)", "(object.nope + 1)",
		"{\"a\": label(\"x\")}.a"}
	calls := map[string][]string{"trim": {"%s", "%s, \"x\"", "\"x\", %s"}, "date": {
		"%s", "%s, \"2006\"", "\"2006\", %s"}, "min": {"%s", "1, %s", "[1, %s]"}, "max": {"%s",
		"%s, 1"}}
	for _, name := range []string{"trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "indexOf",
		"lastIndexOf"} {
		calls[name] = []string{"%s, \"x\"", "\"x\", %s", "%[1]s, %[1]s"}
	}
	calls["cached"] = []string{"\"pods\", %s, \"x\"", "\"pods\", \"x\", %s"}
	calls["clusters"] = calls["cached"]
	calls["byIndex"] = []string{"\"pods\", \"app\", %s"}
	// these are not nil of nil
	without := map[string]bool{"len": true, "glob": true, "changed": true, "became": true}
	for _, name := range lang.Predicates {
		without[name] = true
	}
	check := func(text string) {
		t.Helper()
		f, err := filters.Compile(lang.Expression{Text: text,
			Informers: map[string][]string{"pods": {"app"}}})
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		if got, why := answerOf(t, f, ev, nil); got != "true" {
			t.Errorf("%s: %s %s", text, got, why)
		}
	}
	for _, name := range lang.Functions() {
		if without[name] {
			continue
		}
		forms := calls[name]
		if forms == nil {
			forms = []string{"%s"}
		}
		for _, form := range forms {
			for _, value := range nils {
				check(name + "(" + fmt.Sprintf(form, value) + ") == nil")
			}
		}
	}
	for _, value := range nils {
		for name, of := range map[string]string{
			"any": "false", "all": "true", "none": "true", "one": "false", "count": "0",
			"filter": "[]", "map": "[]", "find": "nil", "findIndex": "nil", "findLast": "nil",
			"findLastIndex": "nil",
		} {
			check(name + "(" + value + ", true) == " + of)
		}
		check("sum(" + value + ", 1) == 0")
		check(`len(` + value + `) == 0 && not glob(` + value + `, "x") && not glob("*", ` + value +
			`)`)
		for _, operator := range []string{"<", "<=", ">", ">=", "in", "contains", "startsWith",
			"endsWith", "matches"} {
			check("not (" + value + " " + operator +
				" object.metadata.name) && not (object.metadata.name " + operator + " " + value +
				")")
		}
		for _, operator := range []string{"+", "-", "*", "/", "%", "**", ".."} {
			check("(" + value + " " + operator +
				" object.metadata.name) == nil && (object.metadata.name " + operator + " " + value +
				") == nil")
		}
		check("(" + value + ")[0:] == nil && (" + value + ").a == nil && (" + value +
			")[0] == nil && (-(" + value + ")) == nil")
	}
	// A text that cannot be read is nil, and whatever is read can be used.
	for _, name := range []string{"quantity", "duration", "semver", "ip", "cidr", "image", "int",
		"float", "date", "age"} {
		check("all(object.t, let x = " + name + "(#); x == nil || x == x)")
	}
	check(`all(object.v, int(#) == nil || abs(int(#) - # * 1.0) < 1 || abs(# * 1.0) > 1000) && int(1e300) == nil && int(0.0/0.0) == nil && float("1e400") == nil && float("nan") == nil && int("five") == nil`)
	check(`all(object.v, ceil(#) >= # && floor(#) <= # && round(#) - # < 1 && abs(# * 1.0) >= # || abs(# * 1.0) > 1000)`)
	check(`(int("five") ?? 7) == 7 && date("yesterday") == nil && not (int(annotation("b")) > 3) && min([1, nil]) == nil`)
}

func join(texts []string) string {
	s := ""
	for i, text := range texts {
		if i > 0 {
			s += ","
		}
		s += text
	}
	return s
}
