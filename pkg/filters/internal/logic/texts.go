package logic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// partOf is what a part of a chain says of a text: that it begins with another, for example.
type partOf struct {
	value, at ast.Node
	operator  string
	text      string
	not       bool
}

// partOfText returns what a part of a chain says with startsWith, endsWith or contains.
func partOfText(part ast.Node) (p partOf, ok bool) {
	for {
		not, negated := part.(*ast.UnaryNode)
		if !negated || not.Operator != "!" && not.Operator != "not" {
			break
		}
		part, p.not = not.Node, !p.not
	}
	b, ok := part.(*ast.BinaryNode)
	if !ok || knownParts[b.Operator] == nil {
		return p, false
	}
	text, ok := b.Right.(*ast.StringNode)
	if !ok {
		return p, false
	}
	p.value, p.at, p.operator, p.text = b.Left, b.Right, b.Operator, text.Value
	return p, true
}

// excludes reports whether none of some constants is a text of which the part is true.
func (p partOf) excludes(constants []string) bool {
	return !slices.ContainsFunc(constants, func(constant string) bool {
		text, err := strconv.Unquote(constant)
		return err != nil || knownParts[p.operator](text, p.text) != p.not
	})
}

// contradicts reports whether no text begins, or ends, with both.
func (p partOf) contradicts(other partOf) bool {
	if p.operator != other.operator || p.operator == "contains" || p.not || other.not {
		return false
	}
	in := knownParts[p.operator]
	return !in(p.text, other.text) && !in(other.text, p.text)
}

// texts calls found for each part of a chain of && that no text fulfils together with another.
func texts(all []ast.Node, text Text, found func(at ast.Node, message string)) {
	is := map[string][]compared{}
	begins := map[string][]partOf{}
	for _, part := range all {
		if c, ok := comparedOf(part, true); ok {
			is[text(c.value)] = append(is[text(c.value)], c)
		}
	}
	for _, part := range all {
		p, ok := partOfText(part)
		of := ""
		if ok {
			of = text(p.value)
		}
		if of == "" {
			continue
		}
		differs := func(c compared) bool { return p.excludes(c.constants) }
		if i := slices.IndexFunc(is[of], differs); i >= 0 {
			found(p.at, "this is never true: "+of+" is compared with "+
				strings.Join(is[of][i].constants, ", ")+" as well")
			continue
		}
		if i := slices.IndexFunc(begins[of], p.contradicts); i >= 0 {
			other := begins[of][i]
			found(p.at, "this is never true: "+of+" "+p.operator+" "+strconv.Quote(other.text)+
				" as well; if one of them is enough, write ||")
			continue
		}
		begins[of] = append(begins[of], p)
	}
}

// firstList calls found for each part of a chain of && that is true of updates or deletes alone,
// where another part is initial: those of the first list are adds.
func firstList(all []ast.Node, found func(at ast.Node, message string)) {
	if !slices.ContainsFunc(all, func(n ast.Node) bool { return nodes.IsName(n, "initial") }) {
		return
	}
	const message = "this is never true: initial is true of adds alone"
	for _, part := range all {
		call, isCall := part.(*ast.CallNode)
		c, ok := comparedOf(part, true)
		switch {
		case ok && nodes.IsOp(c.value) && !slices.Contains(c.constants, `"add"`):
			found(c.at, message)
		case isCall && (nodes.IsName(call.Callee, "changed") || nodes.IsName(call.Callee, "became")):
			found(part, message+", and only an update changes an object")
		}
	}
}
