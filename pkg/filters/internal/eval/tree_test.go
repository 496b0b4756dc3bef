package eval_test

import (
	"reflect"
	"testing"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Compiling leaves the tree that was read as it was, node by node.
func TestTheTreeStaysAsItWas(t *testing.T) {
	for _, text := range append([]string{
		`1 < object.a < 9 && object.b ?: true`, `age("2026-01-02T15:04:05Z") > "10m"`,
		`quantity(object.a) in ["1Gi", object.b, 5] && ip(object.c) in "10.0.0.0/8"`,
		`became(any(object.l, .a == listener && quantity(.b) > "1Gi") || semver("1.2") < object.v)`,
		`byIndex("services", "app", object.a, "b") == [] && {"a": object.b, c: [1, 2]} != nil`,
		`count(object.l) == sum(object.l) && findLast(object.l, # == nil)?.x == cluster`,
		`cluster.name == "a" ?: 1 < cluster.labels.a < cluster.name && "a" in cluster?.labels`,
		`let x = label(object.a); x; not (x matches "^a" or (object.l[1:][0] ?? "b") == -object.n)`,
		`if initial || resumed { changed("a", "b[0]") } else { owner(op) == nil && owner("Job") != nil }`,
	}, filtertest.TrueExpressions...) {
		source := filtertest.SampleSource(text)
		tree, err := check.Parse(source)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		before := map[ast.Node]any{}
		noteNodes(tree.Node, before)
		for _, traced := range []eval.Trace{nil, tracedParts(tree)} {
			if _, err := eval.Compile(source, tree, traced); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		after := map[ast.Node]any{}
		noteNodes(tree.Node, after)
		if len(before) != len(after) {
			t.Fatalf("%s: %d nodes, before %d", text, len(after), len(before))
		}
		for n, was := range before {
			if is := after[n]; !reflect.DeepEqual(is, was) {
				t.Errorf("%s: %T %s\nis  %+v\nwas %+v", text, n, n, is, was)
			}
		}
	}
}

// everyPart records all nodes.
type everyPart map[ast.Node]int

func tracedParts(tree *parser.Tree) eval.Trace {
	parts := everyPart{}
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		if _, twice := parts[n]; !twice { // one node is in two places of 1 < a < 9
			parts[n] = len(parts)
		}
		for _, child := range lang.Children(n) {
			visit(child)
		}
	}
	visit(tree.Node)
	return parts
}

func (p everyPart) Part(n ast.Node) (number, depth int, ok bool) {
	number, ok = p[n]
	return number, 0, ok
}

func (everyPart) Begin(part, item int) bool { return true }

func (everyPart) End(value any) {}

// noteNodes copies what each node has, but not what is below it.
func noteNodes(n ast.Node, notes map[ast.Node]any) {
	if n == nil {
		return
	}
	copied := reflect.New(reflect.TypeOf(n).Elem()).Elem()
	copied.Set(reflect.ValueOf(n).Elem())
	for i := range copied.NumField() {
		if list := copied.Field(i); list.Kind() == reflect.Slice && list.CanSet() {
			list.Set(reflect.AppendSlice(reflect.MakeSlice(list.Type(), 0, list.Len()), list))
		}
	}
	notes[n] = copied.Interface()
	for _, child := range lang.Children(n) {
		noteNodes(child, notes)
	}
}
