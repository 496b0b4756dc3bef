package filtertest

import "pgregory.net/rapid"

func DrawScalar(t *rapid.T) string {
	return rapid.SampledFrom([]string{"0", "1", "2", "2.0", "0.5", "-1", "300", `""`, `"a"`, `"b"`,
		`"ab"`, `"ü"`, "true", "false", "null"}).Draw(t, "scalar")
}

func DrawObject(t *rapid.T) string {
	list, objects := "", ""
	for i := range rapid.IntRange(0, 3).Draw(t, "items") {
		if i > 0 {
			list, objects = list+",", objects+","
		}
		list += DrawScalar(t)
		objects += `{"a":` + DrawScalar(t) + `,"b":` + DrawScalar(t) + `}`
	}
	return `{"metadata":{"name":"ab"},"a":` + DrawScalar(t) + `,"b":` + DrawScalar(t) +
		`,"s":{"a":` + DrawScalar(t) + `,"t":` + DrawScalar(t) + `,"list":[` + list +
		`],"items":[` + objects + `]}}`
}

// DrawExpression makes a text of the language; few operands have a type that the operation takes.
func DrawExpression(t *rapid.T, depth int, items bool) string {
	operand := func() string { return DrawExpression(t, depth-1, items) }
	choice := rapid.IntRange(0, 15).Draw(t, "choice")
	if depth == 0 || choice < 5 {
		pool := append([]string{"1", "2", "0.5", `"a"`, `"ab"`, "nil", "true", "[1, 2]",
			`["a", "ü"]`}, Fields...)
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
		return name + "(" + list + ", " + DrawExpression(t, depth-1, true) + ")"
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

// Fields are paths of the objects that drawObject makes, and some that are not there.
var Fields = []string{
	"object.a", "object.b", "object.c", "object.s.a", "object.s.b", "object.s.t", "object.s.list",
	"object.s.items", "old.a", "old.s.list",
	"object.s.list[0]", "object.s.items[0].a", "object.s.items[1]", "object.s",
	"object.metadata.name", `object.s["a"]`, "op", "missed", "resumed",
}
