package check

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/doubts"
	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// root visits the whole expression, and refuses a result of a wrong type.
func (c *schemaCheck) root(n ast.Node) {
	result := c.visit(n)
	kind, wrong := result.kind(), false
	switch {
	case kind == "" && result.special == "":
	case c.draft.Kind.Returns() == lang.ReturnsBool:
		wrong = kind != "boolean" && result.path+result.variable+result.special != ""
	case c.draft.Kind.Returns() == lang.ReturnsText:
		wrong = !isScalarKind(kind) && result.path != ""
	}
	if !wrong {
		return
	}
	name, hint := result.path+result.variable, ""
	if doubts.BeginsComment(c.draft.Text) {
		c.errorf(n.Location().From, "%s; // begins a comment: a default is written with ??",
			c.draft.Kind.Must())
		return
	}
	if name == "" {
		name = c.text(n, result)
	}
	if text := written(c.extents(), n); habits.SimpleOperand.MatchString(text) &&
		c.draft.Kind.Returns() == lang.ReturnsBool {
		hint = c.asCondition(n, text, result)
	}
	c.errorf(n.Location().From, "%s, %s is %s%s", c.draft.Kind.Must(), name, result.word(), hint)
}

// asCondition returns the hint that makes a condition of a value, "" if none would do.
func (c *schemaCheck) asCondition(n ast.Node, text string, value fact) string {
	example, hint, there := "", "; compare it, as in ", true
	switch reader, special := values.ReaderOf(value.special); {
	case special:
		first, _, _ := strings.Cut(values.Readers[reader].Example, " or ")
		first, _, _ = strings.Cut(first, ",")
		example, there = text+" == "+first, false
		if nodes.IsAdded(reader) || reader == values.Versions {
			example = text + " > " + first
		}
	case text == "op":
		example = text + ` == "add"`
	case conditionStatus.MatchString(value.path):
		example = text + ` == "True"`
	case value.is("string"):
		example = text + ` == "…"`
	case value.is("number"):
		example = text + " > 0"
	case value.is("array"):
		example, hint, there = "len("+text+") > 0", "; write ", false
	default:
		example, hint, there = text+" != nil", "; write ", false
	}
	call, _ := n.(*ast.CallNode)
	if key, ofLabel := habits.LabelIs(call); ofLabel {
		example, hint, there = key, "; write ", false
	}
	if call != nil && nodes.IsName(call.Callee, "condition") {
		example = text + `.status == "True"`
	}
	written := c.draft.Expression
	if written.Text = example; c.draft.Check(written) != nil {
		return ""
	}
	_, always := variableTypes[text]
	if there && !always && !slices.Contains(lang.MessageTexts, text) {
		return hint + example + ", or write " + text + " != nil"
	}
	return hint + example
}

// variableTypes are the types of variables. data may be anything.
var variableTypes = map[string]string{"op": "string", "cluster": "string", "listener": "string",
	"missed": "integer", "initial": "boolean", "resumed": "boolean", "rule": "string",
	"severity": "string", "message": "string", "violated": "boolean"}

// ofVariable returns what is known of a variable.
func (c *schemaCheck) ofVariable(name string) fact {
	switch {
	case !c.draft.Kind.Has(name):
		return fact{}
	case name == "since":
		return fact{special: dateType}
	case variableTypes[name] != "":
		return fact{schema: &lang.Schema{Type: variableTypes[name]}, path: name}
	case slices.Contains(lang.MessageTexts, name):
		return fact{schema: &lang.Schema{Type: "string"}, path: name}
	}
	return fact{}
}
