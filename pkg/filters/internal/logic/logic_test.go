package logic

import (
	"testing"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// found returns the messages about an expression, in order.
func found(t *testing.T, text string) (all []string) {
	t.Helper()
	tree, err := parser.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var chains Chains
	ast.Walk(&tree.Node, visitor(func(n *ast.BinaryNode) {
		if message := Negated(n, ast.Node.String); message != "" {
			all = append(all, message)
		}
		if n.Operator == "&&" || n.Operator == "||" || n.Operator == "and" || n.Operator == "or" {
			chains.Look(n, ast.Node.String, func(_ ast.Node, message string) {
				all = append(all, message)
			})
		}
	}))
	return all
}

type visitor func(*ast.BinaryNode)

func (v visitor) Visit(n *ast.Node) {
	if b, ok := (*n).(*ast.BinaryNode); ok {
		v(b)
	}
}

func TestSlips(t *testing.T) {
	const alone = ` negates what follows it alone, not the whole comparison; write `
	for text, want := range map[string]string{
		`!a == "b"`:         `"!"` + alone + `a != "b"`,
		`not a != 3`:        `"not"` + alone + `a == 3`,
		`!a startsWith "b"`: `"!"` + alone + `not (a startsWith "b")`,
		`!a < 0.5`:          `"!"` + alone + `not (a < 0.5)`,
		`!a == true`:        "",
		`!a == b`:           "",
		`!(a == "b")`:       "",
		`a == "x" && a == "y"`: `this is never true: a is compared with "x" as well` +
			`; if one of them is enough, write a in ["x", "y"]`,
		`a != 1 || b || a != 2`: `this is always true: a is compared with 1 as well` +
			`; if none of them is allowed, write a not in [1, 2]`,
		`a.b == "x" and "y" == a.b`: `this is never true: a.b is compared with "x" as well` +
			`; if one of them is enough, write a.b in ["x", "y"]`,
		`a not in ["x"] or a not in ["y"]`: `this is always true: a is compared with "x" as well` +
			`; if none of them is allowed, write a not in ["x", "y"]`,
		`a not in ["x", "y"] || !(a == "z")`: `this is always true: a is compared with others as well` +
			`; if none of them is allowed, write a not in ["x", "y", "z"]`,
		`a in ["x"] && a == "y"`: `this is never true: a is compared with "x" as well` +
			`; if one of them is enough, write a in ["x", "y"]`,
		`a not in ["x"] or a not in ["x", "y"]`:                          "",
		`a in ["x", "y"] && a != "x"`:                                    "",
		`a in ["x", "y"] && a in ["y"]`:                                  "",
		`a in ["x"] || a in ["y"]`:                                       "",
		`a == "x" && a == "x"`:                                           "",
		`a == "x" || a == "y"`:                                           "",
		`a != "x" && a != "y"`:                                           "",
		`a == "x" && (a == "y" or b)`:                                    "",
		`a == "shop" && a startsWith "kube"`:                             `this is never true: a is compared with "shop" as well`,
		`a contains "x" and a in ["y", "z"]`:                             `this is never true: a is compared with "y", "z" as well`,
		`a == "ax" && a not endsWith "x"`:                                `this is never true: a is compared with "ax" as well`,
		`a startsWith "x" && a startsWith "ya"`:                          `this is never true: a startsWith "x" as well; if one of them is enough, write ||`,
		`a == "kube-system" && a startsWith "kube" && !(a endsWith "x")`: "",
		`a in ["x", "y"] && a contains "x"`:                              "",
		`a startsWith "x" && a startsWith "xy" && a endsWith "z"`:        "",
		`a != "shop" && a startsWith "kube"`:                             "",
		`a == "shop" && b startsWith "kube"`:                             "",
		`a == "shop" || a startsWith "kube"`:                             "",
		`a startsWith "x" && a not startsWith "xy"`:                      "",
		`initial && op == "update"`:                                      `this is never true: initial is true of adds alone`,
		`op in ["update", "delete"] && initial`:                          `this is never true: initial is true of adds alone`,
		`initial and a == 1 and changed("spec")`:                         `this is never true: initial is true of adds alone, and only an update changes an object`,
		`initial && op == "add"`:                                         "",
		`initial && op != "delete"`:                                      "",
		`initial || op == "update"`:                                      "",
		`!initial && op == "update"`:                                     "",
		`op == "add" && op == "x"`:                                       "", // of op more is known elsewhere
	} {
		all := found(t, text)
		switch {
		case want == "" && len(all) > 0:
			t.Errorf("%s: %q", text, all)
		case want != "" && (len(all) != 1 || all[0] != want):
			t.Errorf("%s: %q, want %q", text, all, want)
		}
	}
}
