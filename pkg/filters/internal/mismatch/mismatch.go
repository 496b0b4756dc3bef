package mismatch

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/logic"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Signatures says how informerd's own functions are called, as the table in docs/filters.md does.
var Signatures = map[string]string{
	"changed": "changed(path, …)", "became": "became(condition)", "label": "label(key)",
	"annotation": "annotation(key)", "owner": "owner(kind)", "condition": "condition(type)",
	"cached":   "cached(informer, namespace, name)",
	"byIndex":  "byIndex(informer, index, value), byIndex(informer, index, value, namespace)",
	"quantity": "quantity(x)", "duration": "duration(x)", "age": "age(), age(time)",
	"semver": "semver(text)", "image": "image(reference)", "ip": "ip(text)", "cidr": "cidr(text)",
	"glob": "glob(pattern, text)",
}

var (
	argumentCount = regexp.MustCompile(`^(?:not enough|too many) arguments to call (\w+)$`)
	mismatched    = regexp.MustCompile(
		`^invalid operation: (\S+) \(mismatched types (\S+) and (\S+)\)$`)
)

// Hint returns a better answer to what expr's checker refuses, nil if there is none.
func Hint(source syntax.Source, where *file.Error, tree *parser.Tree) *lang.CompileError {
	return answers{source}.hint(where, tree)
}

type answers struct{ syntax.Source }

func (s answers) hint(where *file.Error, tree *parser.Tree) *lang.CompileError {
	refusal := strings.TrimSpace(where.Message)
	if found := argumentCount.FindStringSubmatch(refusal); found != nil &&
		Signatures[found[1]] != "" {
		if e := s.becameEquals(where, tree); e != nil && found[1] == "became" {
			return e
		}
		if e := s.labelIs(where, tree); e != nil {
			return e
		}
		return s.CompileError(where.From, "%s; it is called as %s", refusal,
			Signatures[found[1]])
	}
	if tree == nil {
		return nil
	}
	if strings.HasSuffix(refusal, "to call became") {
		return s.becameText(where, tree)
	}
	if e := s.argument(refusal, where, tree); e != nil {
		return e
	}
	found := mismatched.FindStringSubmatch(syntax.TypeWords.Replace(refusal))
	n, _ := nodeAt(&tree.Node, where.From, func(n ast.Node) bool {
		_, ok := n.(*ast.BinaryNode)
		return ok
	}).(*ast.BinaryNode)
	if found == nil || n == nil || n.Operator != found[1] {
		return nil
	}
	if e := s.severalTexts(n, tree); e != nil {
		return e
	}
	if kind := LiteralKind(n.Right); nodes.IsOr(n) && (kind == "number" || kind == "string") {
		if e := s.defaulted(n); e != nil {
			return e
		}
	}
	if _, list := n.Right.(*ast.ArrayNode); list && (n.Operator == "==" || n.Operator == "!=") {
		by := map[string]string{"==": "in", "!=": "not in"}[n.Operator]
		return s.Replacing(where.From, where.From+len(n.Operator), by,
			"%q cannot compare a %s and a list; write %s", n.Operator, typeNoun(found[2]), by)
	}
	if Comparisons[n.Operator] {
		if e := s.otherConstant(n, n.Right, found[2], found[3]); e != nil {
			return e
		}
		if e := s.otherConstant(n, n.Left, found[3], found[2]); e != nil {
			return e
		}
		return s.otherUnit(n, found[2], found[3])
	}
	if n.Operator == "in" {
		return s.CompileError(where.From, `"in" needs a list or an object on its right, not %s`,
			article(found[3]))
	}
	if e := s.withEach(n, where.From, both(found[2], found[3])); e != nil {
		return e
	}
	if nodes.IsAnd(n) || nodes.IsOr(n) {
		side, is, of := "right", found[3], n.Right
		if typeNoun(found[2]) != "true or false" {
			side, is, of = "left", found[2], n.Left
		}
		if _, none := of.(*ast.NilNode); none {
			is = "nil"
		}
		return s.CompileError(where.From, "%q needs true or false on both sides, and has %s on its %s",
			n.Operator, article(is), side)
	}
	return s.CompileError(where.From, "%q cannot take %s", n.Operator, both(found[2], found[3]))
}

// Comparisons are the operators that compare two values.
var Comparisons = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true,
	">=": true}

// severalTexts answers x == "a" || "b", which compares x with "a" alone.
func (s answers) severalTexts(n *ast.BinaryNode, tree *parser.Tree) *lang.CompileError {
	texts := nodes.NewExtents(s.Text)
	whole, write := logic.Several(tree.Node, n, func(n ast.Node) string {
		return written(texts, n)
	})
	if whole == nil {
		return nil
	}
	at, ok := texts.Span(whole)
	if !ok {
		return nil
	}
	at.Text = write
	return s.Proposed(n.Location().From, &at, "a value is compared with several by in: write %s",
		write)
}

// defaulted answers x || "none", which is a default in other languages.
func (s answers) defaulted(n *ast.BinaryNode) *lang.CompileError {
	from := n.Location().From
	if _, compared := n.Left.(*ast.BinaryNode); compared {
		return nil
	}
	return s.Replacing(from, from+len(n.Operator), "??",
		"%q needs true or false on both sides; a default is written with ??: write ??", n.Operator)
}

// otherConstant proposes the type that a constant is compared with.
func (s answers) otherConstant(n *ast.BinaryNode, constant ast.Node,
	want, got string) *lang.CompileError {
	kind := map[string]string{"int": "number", "float": "number", "string": "string",
		"bool": "boolean"}[want]
	texts := nodes.NewExtents(s.Text)
	text, ok := strings.CutPrefix(Meant(kind, want == "int", constant, written(texts, constant)),
		"; did you mean ")
	at, whole := texts.Span(constant)
	if !ok || !whole {
		return nil
	}
	at.Text = strings.TrimSuffix(text, "?")
	return s.Proposed(constant.Location().From, &at, "%q cannot compare a %s and a %s; write %s",
		n.Operator, typeNoun(want), typeNoun(got), at.Text)
}

func typeNoun(of string) string {
	switch of {
	case "int", "float":
		return "number"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	}
	return of
}

// becameEquals answers became(field, value), with one value or several.
func (s answers) becameEquals(where *file.Error, tree *parser.Tree) *lang.CompileError {
	if tree == nil {
		return nil
	}
	n, ok := nodeAt(&tree.Node, where.From, func(n ast.Node) bool {
		call, ok := n.(*ast.CallNode)
		return ok && nodes.IsName(call.Callee, "became")
	}).(*ast.CallNode)
	texts := nodes.NewExtents(s.Text)
	if !ok || len(n.Arguments) < 2 {
		return nil
	}
	field := written(texts, n.Arguments[0])
	if path, ok := n.Arguments[0].(*ast.StringNode); ok {
		field = "object." + strings.TrimPrefix(path.Value, "object.")
	}
	var values []string
	for _, value := range n.Arguments[1:] {
		if kind := LiteralKind(value); kind != "string" && kind != "number" && kind != "boolean" {
			return nil
		}
		values = append(values, written(texts, value))
	}
	at, whole := texts.Span(n)
	if !whole {
		return nil
	}
	at.Text = "became(" + field + " == " + values[0] + ")"
	if len(values) > 1 {
		at.Text = "became(" + field + " in [" + strings.Join(values, ", ") + "])"
	}
	return s.Proposed(where.From, &at, "became takes one condition; write %s", at.Text)
}

// becameText answers a text where became takes a condition: an expression or a path in quotes.
func (s answers) becameText(where *file.Error, tree *parser.Tree) *lang.CompileError {
	const message = `became takes a condition, as in became(object.status.phase == "Running")`
	text, ok := nodeAt(&tree.Node, where.From, func(n ast.Node) bool {
		_, ok := n.(*ast.StringNode)
		return ok
	}).(*ast.StringNode)
	if !ok {
		return s.CompileError(where.From, message)
	}
	inner := s.Expression
	inner.Text = "became(" + text.Value + ")"
	at := &lang.Fix{From: text.Location().From, To: text.Location().To, Text: text.Value}
	if s.Check(inner) == nil && at.To > at.From {
		return s.Proposed(where.From, at, "became takes a condition without quotes; write became(%s)",
			text.Value)
	}
	path := strings.TrimPrefix(text.Value, "object.")
	if _, err := object.CompilePath(path); err == nil && strings.Contains(path, ".") {
		return s.CompileError(where.From, "%s; whether a field has changed is asked with changed(%s)",
			message, strconv.Quote(path))
	}
	return s.CompileError(where.From, message)
}

// nodeAt returns the outermost node at a place that is of a kind, nil if there is none.
func nodeAt(n *ast.Node, offset int, is func(ast.Node) bool) ast.Node {
	finder := &kindFinder{offset: offset, is: is}
	ast.Walk(n, finder)
	return finder.found
}

type kindFinder struct {
	offset int
	is     func(ast.Node) bool
	found  ast.Node
}

// Visit is called for children before their parents.
func (f *kindFinder) Visit(n *ast.Node) {
	if (*n).Location().From == f.offset && f.is(*n) {
		f.found = *n
	}
}

func written(x *nodes.Extents, n ast.Node) string {
	text, _ := x.Text(n)
	return text
}
