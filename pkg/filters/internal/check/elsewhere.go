package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/places"
)

func (c *schemaCheck) asked(base fact, key string, offset int) places.Asked {
	return places.Asked{Text: c.draft.Text, Offset: offset, Key: key, Path: base.path,
		Parent: base.schema, Root: c.draft.Schema}
}

// elsewhere refuses a field that is known to be at another place, and reports whether it is.
func (c *schemaCheck) elsewhere(base fact, key string, offset int) bool {
	message := fmt.Sprintf("there is no field %s in %s", displayed(key), base.path)
	if base.root && len(c.items) > 0 && places.OfItem(c.items[len(c.items)-1].schema, key) {
		from := offset - len([]rune(base.path)) - 1
		if from >= 0 && strings.HasPrefix(string([]rune(c.draft.Text)[from:]), base.path+".") {
			c.found(c.draft.Proposed(offset, &lang.Fix{From: from, To: offset + len([]rune(key)),
				Text: "." + key}, "%s; a field of an item begins with a dot: write .%s", message, key))
			return true
		}
	}
	asked := c.asked(base, key, offset)
	hint, fix := asked.Known()
	if hint == "" && (c.statusInstead(base, key) != "" ||
		base.root && len(partsWith(base.schema, key)) > 0) {
		return false
	}
	if hint == "" {
		hint, fix = asked.Deeper()
	}
	switch {
	case hint == "":
		return false
	case fix == nil:
		c.errorf(offset, "%s; %s", message, hint)
	default:
		e := c.draft.Proposed(offset, fix, "%s; %s", message, hint)
		e.General = message + "; " + otherFields(base.schema, key)
		c.found(e)
	}
	return true
}

// ofItemByName refuses a field of an item without its dot, or warns about it if a variable has its
// name.
func (c *schemaCheck) ofItemByName(n *ast.IdentifierNode) {
	if len(c.items) == 0 || slices.Contains(c.draft.Kind.Functions(), n.Value) ||
		!places.OfItem(c.items[len(c.items)-1].schema, n.Value) {
		return
	}
	at := n.Location().From
	fix := &lang.Fix{From: at, To: at + len([]rune(n.Value)), Text: "." + n.Value}
	if !slices.Contains(c.draft.Kind.Variables(), n.Value) {
		c.found(c.draft.Proposed(at, fix,
			"unknown name %q; a field of an item begins with a dot: write .%[1]s", n.Value))
	}
}

// fromTo answers changed("status.phase", "Pending", "Running").
func (c *schemaCheck) fromTo(n *ast.CallNode, path string, text *ast.StringNode, before int) bool {
	x := c.draft.Expression
	from, ok1 := n.Arguments[1].(*ast.StringNode)
	to, ok2 := n.Arguments[2].(*ast.StringNode)
	if !ok1 || !ok2 {
		return false
	}
	x.Text = fmt.Sprintf("old.%s == %q && object.%[1]s == %[3]q", path, from.Value, to.Value)
	if c.draft.Check(x) != nil {
		return false
	}
	at, whole := c.extents().Span(n)
	if at.Text = x.Text; text == to || !whole { // the first of them is answered
		c.mistakes = c.mistakes[:before]
		return true
	}
	c.mistakes = append(c.mistakes[:before], c.draft.Proposed(c.mistakes[before].Offset, &at,
		"changed takes paths alone; write %s", x.Text))
	return true
}
