package doubts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// names are fields whose texts have no * in them.
var names = []string{"name", "namespace", "nodeName", "serviceAccountName", "image"}

// isName reports whether a node is a text that has no * in it: a name, an image or a label.
func (f *finder) isName(n ast.Node) bool {
	key, what := f.labelKey(n)
	_, call := n.(*ast.CallNode)
	id, variable := n.(*ast.IdentifierNode)
	switch {
	case key != "" && what == "label":
		return true
	case variable:
		return f.Kind.SeesMessages() && slices.Contains(names[:2], id.Value)
	}
	keys := ofObject(n)
	if len(keys) > 0 && (keys[0] == "data" || keys[0] == "stringData") {
		return false
	}
	if f.Objects == "" && (len(keys) != 2 || keys[0] != "metadata") {
		return false // of other kinds a name may be a pattern
	}
	return !call && slices.Contains(names, last(n))
}

// hasWildcard reports whether a node is a text with * that stands for something.
func hasWildcard(n ast.Node) bool {
	text, ok := n.(*ast.StringNode)
	return ok && strings.Contains(text.Value, "*") && wildcards.MatchString(text.Value)
}

var wildcards = regexp.MustCompile(`^[\w./:*-]*\w[\w./:*-]*$`)

// exact warns about a wildcard in a text that is compared as it is.
func (f *finder) exact(c comparison) {
	if c.operator != "==" && c.operator != "!=" || !hasWildcard(c.to) || !f.isName(c.value) {
		return
	}
	not := map[string]string{"!=": "!"}[c.operator]
	f.doubt(c.to, c.whole, not+"glob("+f.text(c.to)+", "+f.text(c.value)+")",
		"%s compares the text as it is, with its *", c.operator)
}

// inList warns about wildcards in a list.
func (f *finder) inList(n *ast.BinaryNode) {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok || n.Operator != "in" || !slices.ContainsFunc(list.Nodes, hasWildcard) ||
		!f.isName(n.Left) || len(list.Nodes) > maxTried {
		return
	}
	var parts []string
	value := f.text(n.Left)
	for _, item := range list.Nodes {
		if hasWildcard(item) {
			parts = append(parts, "glob("+f.text(item)+", "+value+")")
			continue
		}
		parts = append(parts, value+" == "+f.text(item))
	}
	write := strings.Join(parts, " || ")
	if len(parts) > 1 {
		write = "(" + write + ")"
	}
	if strings.Contains(f.text(n), " not in ") {
		write = ""
	}
	at := list.Nodes[slices.IndexFunc(list.Nodes, hasWildcard)]
	f.doubt(at, n, write, "in compares the text as it is, with its *")
}

// repeated is a pattern of a shell that is a regular expression, too, and means something else.
var repeated = regexp.MustCompile(`^[\w/:-]+\*[\w/:*-]*$`)

// pattern warns about a * in a text that is not a pattern, and about a pattern of a shell where a
// regular expression is needed.
func (f *finder) pattern(n *ast.BinaryNode) {
	text, ok := n.Right.(*ast.StringNode)
	if !ok || !strings.Contains(text.Value, "*") {
		return
	}
	value := f.text(n.Left)
	negated := strings.Contains(f.text(n), " not "+n.Operator)
	without, end := "", text.Value
	switch n.Operator {
	case "startsWith":
		without = strings.TrimRight(end, "*")
	case "endsWith":
		without = strings.TrimLeft(end, "*")
	case "contains":
		without = strings.Trim(end, "*")
	case "matches":
		if !repeated.MatchString(end) || negated {
			return
		}
		before, _, _ := strings.Cut(end, "*")
		f.doubt(text, n, "glob("+f.text(text)+", "+value+")",
			"in a regular expression * repeats the %s before it", before[len(before)-1:])
		return
	default:
		return
	}
	if !f.isName(n.Left) || !hasWildcard(text) || without == "" || strings.Contains(without, "*") {
		return
	}
	f.doubt(text, text, quoted(without), "%s compares the text as it is, with its *", n.Operator)
}

// glob warns about arguments in the wrong order, and about a regular expression.
func (f *finder) glob(n *ast.CallNode, first *ast.StringNode) {
	if first == nil {
		if pattern, ok := n.Arguments[1].(*ast.StringNode); ok &&
			strings.ContainsAny(pattern.Value, "*?") {
			f.doubt(n, n, "glob("+quoted(pattern.Value)+", "+f.text(n.Arguments[0])+")",
				"glob takes the pattern first")
		}
		return
	}
	if strings.HasPrefix(first.Value, "^") || strings.HasSuffix(first.Value, "$") {
		f.doubt(first, n, f.text(n.Arguments[1])+" matches "+f.text(first),
			"glob knows * and ? alone, and %q is a regular expression", first.Value)
	}
}

// isNamed reports whether a call is one of a function.
func isNamed(n ast.Node, names ...string) (*ast.CallNode, bool) {
	call, ok := n.(*ast.CallNode)
	return call, ok && slices.ContainsFunc(names, func(name string) bool {
		return nodes.IsName(call.Callee, name)
	})
}
