package conditions

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/object"
)

// subject is what a node reads.
type subject struct {
	what condition.Condition // without a test
	// For owner and condition: the member that identifies the item, its value, and the field that is
	// read of the item; then what is the list. Else key is "".
	key, value, field string
}

// ask returns the conditions for a question about the subject.
func (s subject) ask(question condition.Condition, complete bool) condition.Set {
	if s.key == "" {
		question.Of, question.Old, question.Key = s.what.Of, s.what.Old, s.what.Key
		if question.Of < condition.OfLabel &&
			(question.Test == condition.Exists || question.Test == condition.NotExists) {
			return condition.Anything
		}
		return condition.Set{Ops: condition.EveryOp, List: []condition.Condition{question},
			Complete: complete}
	}
	is := condition.Condition{Of: condition.OfItem, Key: s.key, Values: []string{s.value}}
	isNot := is
	isNot.Test = condition.NotIn
	item, none := s.what, s.what
	item.Test, item.Items = condition.Any, []condition.Condition{is}
	none.Test, none.Items = condition.Every, []condition.Condition{isNot}
	var list []condition.Condition
	switch {
	case s.field != "":
		question.Of, question.Key = condition.OfItem, s.field
		item.Items = append(item.Items, question)
		// which is also true without such an item
		if list = []condition.Condition{item}; question.Test.IsOpposite() {
			list = []condition.Condition{{Of: condition.OfAlternatives,
				Either: [][]condition.Condition{list, {none}}}}
		}
	case question.Test == condition.Exists:
		list = []condition.Condition{item}
	case question.Test == condition.NotExists:
		list = []condition.Condition{none}
	}
	return condition.Set{Ops: condition.EveryOp, List: list}
}

// path returns the field that the subject is, false if it is none.
func (s subject) path() (string, bool) {
	switch s.what.Of {
	case condition.OfField:
		return s.what.Key, true
	case condition.OfName:
		return "metadata.name", true
	case condition.OfNamespace:
		return "metadata.namespace", true
	case condition.OfLabel:
		return pathText([]any{"metadata", "labels", s.what.Key})
	}
	return "", false
}

// subject returns what a node reads, if it is something that conditions can ask about.
func (t *translator) subject(n ast.Node) (subject, bool) {
	base, keys := t.steps(n)
	switch base := base.(type) {
	case *ast.CallNode:
		return t.called(base, keys)
	case *ast.IdentifierNode:
		if base.Value != "object" && base.Value != "old" || len(keys) == 0 {
			break
		}
		s, ok := fieldOf(keys)
		s.what.Old = base.Value == "old"
		return s, ok
	case *ast.PointerNode:
		if !t.inItem || base.Name != "" {
			break
		}
		path, ok := pathText(keys)
		return subject{what: condition.Condition{Of: condition.OfItem, Key: path}}, ok
	}
	return subject{}, false
}

// called returns the subject of a call, with the steps after it.
func (t *translator) called(n *ast.CallNode, keys []any) (subject, bool) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok || len(n.Arguments) != 1 {
		return subject{}, false
	}
	text, ok := lang.FirstText(n)
	if !ok {
		return subject{}, false
	}
	switch callee.Value {
	case "label", "annotation":
		return fieldOf(append([]any{"metadata", callee.Value + "s", text.Value}, keys...))
	case "owner", "condition":
		finder := lang.Finders[callee.Value]
		field, ok := pathText(keys)
		if t.inItem || !ok {
			return subject{}, false
		}
		list := condition.Condition{Of: condition.OfField, Key: finder.List.String()}
		return subject{list, finder.Key, text.Value, field}, true
	}
	return subject{}, false
}

// fieldOf returns the subject of a row of steps from the object on.
func fieldOf(keys []any) (subject, bool) {
	if keys[0] == "metadata" && len(keys) == 2 {
		switch keys[1] {
		case "namespace":
			return subject{what: condition.Condition{Of: condition.OfNamespace}}, true
		case "name":
			return subject{what: condition.Condition{Of: condition.OfName}}, true
		}
	}
	if keys[0] == "metadata" && len(keys) == 3 && keys[1] == "labels" {
		if key, ok := keys[2].(string); ok && key != "" {
			return subject{what: condition.Condition{Of: condition.OfLabel, Key: key}}, true
		}
	}
	path, ok := pathText(keys)
	return subject{what: condition.Condition{Of: condition.OfField, Key: path}}, ok
}

// pathText returns the text of a path, false if it cannot be compiled.
func pathText(keys []any) (string, bool) {
	if len(keys) == 0 {
		return "", true
	}
	text := lang.PathOf(keys).String()
	_, err := object.CompilePath(text)
	return text, err == nil
}
