package eval_test

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// generator makes objects and expressions in which what people and API servers write is mixed with
// what they do not.
type generator struct{ r *rand.Rand }

func (g *generator) pick(of ...string) string { return of[g.r.Intn(len(of))] }

var (
	someNumbers = []string{
		"0", "1", "2", "3", "-1", "-0", "-0.0", "1e3", "1000", "1.0", "0.1", "0.5", "1e400",
		"-1e400", "9007199254740993", "9007199254740992", "9007199254740992.0",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"123456789012345678901234567890", "1E2", "100", "-1e-3", "1e-400", "1e31", "1e300",
	}
	someTexts = []string{
		`""`, `"a"`, `"b"`, `"ab"`, `"A"`, `"\u0061"`, `"é"`, `"e\u0301"`, `"\u00e9"`,
		`"\ud83d\ude00"`, `"😀"`, `"\ud800"`, `"a\nb"`, `"a\/b"`, `"\\"`, `"\""`, `"1"`, `"1.0"`,
		`"1e3"`, `"true"`, `"null"`, `"5 "`,
		`"1Gi"`, `"1024Mi"`, `"500m"`, `"0.5"`, `"10m"`, `"7d"`, `"90s"`, `"1h30m"`, `"nginx"`,
		`"nginx:latest"`, `"v1.2.3"`, `"1.2"`, `"2026-01-01T00:00:00Z"`, `"2026-01-02"`,
		`"10.0.0.1"`, `"10.0.0.0/8"`, `"fd00::1"`, `"a b"`, `"inf"`,
		`"x/y:v1.2.3"`, `"1e31"`, `"18446744073709551616"`, `"-5"`, `"five"`, `"12:00:00"`,
	}
	someKeys = []string{`"a"`, `"b"`, `"\u0061"`, `"a.b/c"`, `"x y"`, `"é"`, `"\u00e9"`, `""`,
		`"0"`, `"a\"b"`, `"list"`, `"items"`, `"[0]"`, `"😀"`, `"name"`}
	stepKeys = []string{"a", "b", "a.b/c", "x y", "é", "", "0", `a"b`, "list", "items", "[0]", "😀",
		"name"}
)

func (g *generator) scalar() string {
	switch g.r.Intn(10) {
	case 0, 1, 2:
		return g.pick(someNumbers...)
	case 3, 4, 5, 6:
		return g.pick(someTexts...)
	case 7:
		return "null"
	default:
		return g.pick("true", "false")
	}
}

func (g *generator) value(depth int) string {
	if depth == 0 {
		return g.scalar()
	}
	switch g.r.Intn(8) {
	case 0, 1:
		var items []string
		for range g.r.Intn(4) {
			items = append(items, g.value(depth-1))
		}
		return "[" + strings.Join(items, g.pick(",", " , ", ",\n\t")) + "]"
	case 2, 3:
		var members []string
		for range g.r.Intn(4) {
			members = append(members, g.pick(someKeys...)+g.pick(":", ": ", " :\t")+
				g.value(depth-1))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return g.scalar()
}

func (g *generator) object() string {
	item := func() string {
		if g.r.Intn(6) == 0 {
			return g.value(1)
		}
		return `{"a":` + g.scalar() + `,"b":` + g.value(1) + `,"name":` + g.scalar() + `}`
	}
	var items []string
	for range g.r.Intn(4) {
		items = append(items, item())
	}
	list := "[" + strings.Join(items, ",") + "]"
	if g.r.Intn(10) == 0 {
		list = g.value(1)
	}
	conditions := g.pick("null", `[]`, `[{"type":"Ready","status":"True"}]`,
		`[null,{"type":"a","status":"False"},{"type":"Ready"},{"type":"Ready","status":"True"}]`,
		`{}`)
	owners := g.pick("null", `[{"kind":"Job","name":"a"},{"kind":"Job","name":"b","controller":true}]`, `[{"kind":"ReplicaSet","name":"a"}]`)
	return `{"metadata":{"name":"x","namespace":"` + g.pick("shop", "pay") +
		`","uid":"u","creationTimestamp":` + g.pick(`"2026-01-01T00:00:00Z"`, "null",
		`"2026-01-02T03:14:30Z"`) + `,"ownerReferences":` + owners +
		`,"labels":{"app":` + g.pick(`"web"`, `"\u0061"`, `""`, `"é"`) +
		`,"a.b/c":"v"},"annotations":` + g.pick(`{"k":"v","é":"1Gi"}`, `null`, `{}`,
		`{"k":"five"}`) + `},"spec":{"a":` + g.value(2) + `,"b":` + g.value(1) +
		`,"list":` + g.value(2) + `,"items":` + list + `,"m":` + g.value(2) +
		`},"status":{"conditions":` + conditions + `,"a":` + g.value(2) + `},"x":` + g.value(2) +
		`}`
}

// expression is a text of the language that goes d operations deep, is in depth predicates and
// below vars variables.
func (g *generator) expression(d, depth, vars int) string {
	if d == 0 {
		return g.leaf(depth, vars)
	}
	a := func() string {
		text := g.expression(d-1, depth, vars)
		if g.r.Intn(8) > 0 { // what the checker knows the type of is refused in most places
			return "(object.nope ?? " + text + ")"
		}
		return text
	}
	switch g.r.Intn(24) {
	case 0, 1, 2, 3:
		return "(" + a() + " " + g.pick("==", "!=", "<", "<=", ">", ">=") + " " + a() + ")"
	case 4:
		return "(" + a() + " " + g.pick("in", "not in", "contains", "startsWith", "endsWith",
			"matches") + " " + a() + ")"
	case 5, 6:
		return "(" + a() + " " + g.pick("&&", "||", "??", "and", "or") + " " + a() + ")"
	case 7, 8:
		return "(" + a() + " " + g.pick("+", "-", "*", "/", "%", "**") + " " + a() + ")"
	case 9:
		return g.pick("(not ", "(!", "(-", "(+") + a() + ")"
	case 10:
		return "(" + a() + " ? " + a() + " : " + a() + ")"
	case 11, 12, 13:
		if depth >= lang.MaxNesting {
			return g.leaf(depth, vars)
		}
		return g.pick(lang.Predicates...) + "(" + g.list(a, depth) + ", " + "object.nope ?? (" +
			g.expression(d-1, depth+1, vars) + "))"
	case 14:
		v := fmt.Sprintf("v%d", vars)
		return "(let " + v + " = " + a() + "; " + g.expression(d-1, depth, vars+1) + ")"
	case 15, 16, 17, 18:
		return g.function(a)
	case 19:
		return "(" + a() + ")[" + g.pick("0", "1", "-1", `"a"`, `"tag"`, `"major"`, a()) + "]"
	case 20:
		return "(" + a() + ")[" + g.pick("0:1", "1:", ":-1", a()+":", ":"+a()) + "]"
	default:
		return g.pick("["+a()+", "+a()+"]", `{"a": `+a()+`}`,
			"("+a()+" | any(# == "+g.leaf(min(depth+1, lang.MaxNesting), vars)+"))", "("+a()+" < "+
				a()+
				" < "+a()+")", "("+a()+" ?: "+a()+")",
			g.pick("count", "sum")+"("+g.list(a, depth)+")", "(("+a()+")..("+a()+"))")
	}
}

func (g *generator) list(a func() string, depth int) string {
	if depth > 0 && g.r.Intn(2) == 0 {
		return g.pick("#", ".b", ".a")
	}
	return g.pick("object.spec.items", "object.spec.items", "object.spec.list", "object.x",
		"old.spec.list", "[1, 2]", "1..3", `["1Gi", nil, "2"]`, a())
}

// function is a call of any function of the table, but for those with a condition, and for what
// looks at other objects.
func (g *generator) function(a func() string) string {
	switch name := lang.Functions()[g.r.Intn(len(lang.Functions()))]; name {
	case "any", "all", "none", "one", "count", "sum", "filter", "map", "find", "findIndex",
		"findLast", "findLastIndex":
		return name + "(object.spec.items, " + g.pick(".a", ".b", ".name") + " " +
			g.pick("==", "!=", "<") + " " + g.leaf(0, 0) + ")"
	case "changed":
		return "changed(" + g.pick(`"spec.items"`, `"spec.a"`, `"spec.list[0]"`,
			`"metadata.labels[\"a.b/c\"]", "spec.b"`, `"x"`, `"status"`) + ")"
	case "became":
		return "became(" + g.pick(`object.spec.a == object.spec.b`, `object.x != nil`,
			`label("app") == "web"`, `any(object.spec.items, .a == 1)`,
			`findLast(object.spec.items, true).a == object.x`,
			`condition("Ready").status == "True"`) + ")"
	case "label", "annotation":
		return name + "(" + g.pick(`"app"`, `"a.b/c"`, `"k"`, `"é"`, a()) + ")"
	case "owner", "condition":
		return name + "(" + g.pick(`"Job"`, `"Ready"`, `"ReplicaSet"`, a()) + ")" +
			g.pick("", ".name", ".status")
	case "cached":
		return `cached("pods", ` + g.pick(`"shop"`, "object.metadata.namespace", a()) + ", " +
			g.pick(`"x"`, "object.metadata.name", a()) + ")" + g.pick("", ".spec.a", ".spec.list")
	case "clusters":
		return `clusters("pods", ` + g.pick(`"shop"`, "object.metadata.namespace", a()) + ", " +
			g.pick(`"x"`, "object.metadata.name", a()) + ")" +
			g.pick("", "[0]", "[0].object.spec.a", "[-1].cluster", "[1].object.spec.list")
	case "byIndex":
		return `byIndex("pods", "app", ` + g.pick(`"web"`, "object.metadata.labels.app", a()) +
			g.pick("", `, "shop"`, ", object.metadata.namespace", ", "+a()) + ")" +
			g.pick("", "[0].spec.a")
	case "age":
		return g.pick("age()", "age("+a()+")")
	case "glob":
		return "glob(" + g.pick(`"a*"`, `"*b"`, `"?"`, `"*"`, a()) + ", " + a() + ")"
	case "trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "indexOf", "lastIndexOf":
		return name + "(" + a() + ", " + a() + ")"
	case "trim":
		return g.pick("trim("+a()+")", "trim("+a()+", "+a()+")")
	case "min", "max":
		return name + "(" + a() + g.pick("", ", "+a(), ", "+a()+", "+a()) + ")"
	default:
		field := map[string]string{"image": ".tag", "semver": ".minor"}[name]
		return name + "(" + a() + ")" + g.pick("", field)
	}
}

func (g *generator) leaf(depth, vars int) string {
	n := g.r.Intn(16)
	switch {
	case n < 4 && depth > 0:
		return g.pick("#", ".a", ".b", ".name", "#.a", `#["é"]`, ".a.b")
	case n < 6 && vars > 0:
		return fmt.Sprintf("v%d", g.r.Intn(vars)) + g.pick("", ".a", "[0]", ".b")
	case n < 10:
		return g.Field(g.pick("object", "object", "old"), false)(0)
	case n < 11:
		return g.pick("object", "old", "op", "missed", "initial", "resumed", "object.spec.items",
			"object.spec.list", "object.x", "cluster", "cluster.name", "cluster.labels",
			"cluster.labels.a", `cluster?.labels["a.b/c"]`, "cluster.labels.nope",
			`cluster["labels"][object.x]`)
	case n < 13:
		return g.pick(`quantity(object.spec.a)`, `quantity("1Gi")`, `quantity("1500m")`,
			`duration("90s")`, `duration(object.x)`, `semver("1.2.3")`, `date("2026-01-02")`,
			`age()`, `ip("10.0.0.1")`, `cidr("10.0.0.0/8")`, `image("nginx")`, `quantity(missed)`)
	default:
		return "(object.nope ?? " + g.pick("0", "1", "2", "1000", "0.5", "-1", "nil", "true",
			"false", `"a"`, `"é"`, `""`, `"1Gi"`, `"10m"`, `"1.2"`, "[1, 2]", `["a", "é"]`, "[]",
			"[nil]", "(1..3)", `{"a": 1}`) + ")"
	}
}

func (g *generator) step(key any, optional bool) string {
	switch k := key.(type) {
	case int:
		return "[" + strconv.Itoa(k) + "]"
	case string:
		plain := k != ""
		for i, r := range k {
			if (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
				plain = false
			}
		}
		switch {
		case plain && optional:
			return "?." + k
		case plain:
			return "." + k
		case optional:
			return "?.[" + strconv.Quote(k) + "]"
		}
		return "[" + strconv.Quote(k) + "]"
	}
	panic(key)
}

func (g *generator) steps(keys []any, optional bool) string {
	s := ""
	for _, k := range keys {
		s += g.step(k, optional)
	}
	return s
}

// computed takes the same steps with keys that are not constants.
func computed(keys []any) string {
	s := ""
	for _, k := range keys {
		if text, ok := k.(string); ok {
			s += "[" + strconv.Quote(text) + `+""]`
		} else {
			s += fmt.Sprintf("[%d+0]", k)
		}
	}
	return s
}

func (g *generator) key() any {
	if g.r.Intn(4) == 0 {
		return g.r.Intn(3)
	}
	return stepKeys[g.r.Intn(len(stepKeys))]
}

// Field makes a read of one field, which can be written in many ways: 0 is the plain one.
func (g *generator) Field(root string, item bool) func(way int) string {
	var keys []any
	if item {
		for range g.r.Intn(2) + 1 {
			keys = append(keys, g.key())
		}
	} else {
		keys = append(keys, g.pick("spec", "spec", "spec", "status", "x", "metadata"))
		switch keys[0] {
		case "metadata":
			keys = append(keys, g.pick("name", "labels", "annotations", "nope"))
		case "spec":
			keys = append(keys, g.pick("a", "b", "list", "items", "m"))
		}
		for range g.r.Intn(3) {
			keys = append(keys, g.key())
		}
	}
	salt, cutAt := g.r.Intn(1000), g.r.Intn(len(keys)+1)
	head, tail := root+g.steps(keys[:cutAt], false), keys[cutAt:]
	ways := []string{
		"(let o9 = " + root + "; o9" + g.steps(keys, false) + ")",
		root + computed(keys),
		`{"v": ` + head + `}.v` + g.steps(tail, false),
		`[` + head + `][0]` + g.steps(tail, false),
		root + g.steps(keys, true),
		"(true ? " + head + " : nil)" + g.steps(tail, false),
		"(" + head + " ?? nil)" + g.steps(tail, false),
		"first([" + head + "])" + g.steps(tail, false),
		"last([1, " + head + "])" + g.steps(tail, true),
		`values({"v": ` + head + `})[0]` + g.steps(tail, false),
		`[1, ` + head + `][-1]` + computed(tail),
		`[1, ` + head + `, 2][1:2][0]` + g.steps(tail, false),
	}
	if root == "object" {
		for _, form := range []string{"find([%s], true)", "findLast([%s], true)", "map([%s], #)[0]",
			"filter([%s], true)[0]", "[%s][findLastIndex([%[1]s], true)]"} {
			ways = append(ways, fmt.Sprintf(form, head)+g.steps(tail, false))
		}
	}
	plain := root + g.steps(keys, false)
	if root == "#" && salt%2 == 0 && plain[1] == '.' {
		plain = plain[1:]
	}
	return func(way int) string {
		if way == 0 {
			return plain
		}
		return ways[(way*7+salt)%len(ways)]
	}
}
