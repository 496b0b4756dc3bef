package check

import (
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// calculation refuses arithmetic on types that never fit. Joining a text and a number, for
// example, always fails.
func (c *schemaCheck) calculation(n *ast.BinaryNode, left, right fact) fact {
	a, b := left.kind(), right.kind()
	text := a == "string" && b == "string" && n.Operator == "+"
	switch {
	case a == "" || b == "" || n.Operator == "..":
		return fact{}
	case text || a == "number" && b == "number":
		return fact{schema: &lang.Schema{Type: a}}
	}
	if n.Operator == "+" && (a == "string" || b == "string") {
		other, at := right, n.Right
		if b == "string" {
			other, at = left, n.Left
		}
		if isScalarKind(other.kind()) {
			c.joined(n, at, other)
		} else {
			c.errorf(n.Location().From, `"+" cannot join a string and %s; %s`, other.typed(),
				c.partOf(at, other))
		}
		return fact{}
	}
	if n.Operator == "%" && mismatch.LiteralKind(n.Left) == "string" {
		c.errorf(n.Location().From, "%q puts no values into a text; join texts with +, as in \"pod \" + object.metadata.name", n.Operator)
		return fact{}
	}
	hint := ""
	if n.Operator == "+" && left.is("array") && right.is("array") {
		hint = "; ask each of them, as in any(list, …) || any(other, …)"
	}
	c.errorf(n.Location().From, "%q cannot take %s and %s%s", n.Operator, left.typed(), right.typed(), hint)
	return fact{}
}

// partOf returns the hint that says what of a list or an object can be joined with a text.
func (c *schemaCheck) partOf(at ast.Node, value fact) string {
	text := c.text(at, value)
	item := itemOf(value, "")
	switch {
	case !value.is("array"):
		return "name a field of it"
	case fact{schema: fieldOf(item.schema, "name")}.is("string"):
		return "name a field of an item, as in first(" + text + ").name, or write string(len(" +
			text + "))"
	case isScalarKind(item.kind()):
		return "join one item, as in string(first(" + text + ")), or write string(len(" + text + "))"
	}
	return "join a part of it, or how many there are: string(len(" + text + "))"
}

// called returns the field's name, or the given words if it is not a field.
func (f fact) called(otherwise string) string {
	if f.path == "" {
		return otherwise
	}
	return f.path
}

// typed returns the type of a value, with the field that has it.
func (f fact) typed() string {
	word := typeWord(f.schema.Type)
	if f.path != "" {
		return word + " (" + f.path + ")"
	}
	return word
}

// inScalar refuses a text or a number where in needs a list. A text that is a network may be
// searched for an address.
func (c *schemaCheck) inScalar(n *ast.BinaryNode, left, right fact) {
	if _, meant := nodes.SpecialOf(n.Left); meant || right.path == "" ||
		!isScalarKind(right.kind()) ||
		left.kind() == "" {
		return
	}
	hint := ""
	if right.is("string") {
		hint = "; a part of a text is found with contains"
	}
	c.errorf(n.Right.Location().From, `"in" needs a list or an object on its right, and %s is %s%s`,
		right.path, typeWord(right.schema.Type), hint)
}

// inText refuses a constant text where in needs a list. A text that is a network may be
// searched for an address.
func (in *inspector) inText(n *ast.BinaryNode) error {
	text, ok := n.Right.(*ast.StringNode)
	if !ok {
		return nil
	}
	if values.ParseNetwork(text.Value) != nil {
		return in.inNetwork(n, text)
	}
	if p, ok := nodes.SpecialOf(n.Left); ok && (p == values.Addresses || p == values.Networks) {
		return nil // that is reported elsewhere
	}
	var items []string
	for _, item := range strings.Split(text.Value, ",") {
		items = append(items, strconv.Quote(strings.TrimSpace(item)))
	}
	list := "[" + strings.Join(items, ", ") + "]"
	return in.propose(text, list, `"in" needs a list on its right; write %s`, list)
}

// dropped refuses a field that the informer drops, and the fields in it: they are always
// nil.
func (c *schemaCheck) dropped(drops []object.Path, keys []any, offset int) {
	path := nodes.PathOf(keys).String()
	for _, drop := range drops {
		if text := drop.String(); text == path || isBelow(path, text) {
			hint := "take it out of the informer's drop"
			if text == "metadata.managedFields" {
				hint = "set keepManagedFields: true in the informer"
			}
			c.errorf(offset, "the informer drops %s, so it is always nil; %s", text, hint)
		}
	}
}

// isBelow reports whether a path leads into the field of another path.
func isBelow(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// droppedMember refuses object.a.b if the informer drops it.
func (c *schemaCheck) droppedMember(n *ast.MemberNode) {
	drops, keys := c.droppedOf(n)
	if len(keys) == 0 {
		return
	}
	for _, drop := range drops {
		if nodes.PathOf(keys).String() == drop.String() {
			c.dropped(drops, keys, n.Property.Location().From)
		}
	}
}

// implied are the fields that informerd's own functions read.
var implied = map[string][]any{
	"label": {"metadata", "labels"}, "annotation": {"metadata", "annotations"}, "owner": {
		"metadata", "ownerReferences"}, "condition": {"status", "conditions"}, "age": {"metadata",
		"creationTimestamp"},
}

func (c *schemaCheck) droppedCall(n *ast.CallNode, name string) {
	keys := implied[name]
	if keys == nil || name == "age" && len(n.Arguments) > 0 {
		return
	}
	if text, ok := nodes.FirstText(n); ok && (name == "label" || name == "annotation") {
		keys = append(keys[:len(keys):len(keys)], text.Value)
	}
	c.dropped(c.draft.Dropped, keys, n.Location().From)
}
