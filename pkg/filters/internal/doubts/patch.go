package doubts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// patch warns about what the API server would refuse or leave out of a patch, as far as the fields
// are written as constants.
func (f *finder) patch(n ast.Node) {
	switch f.Patch {
	case "":
	case "json":
		if list, ok := n.(*ast.ArrayNode); ok {
			for _, operation := range list.Nodes {
				f.operation(operation)
			}
		}
	default:
		f.fields(n)
	}
}

// fields warns about an apply or merge patch.
func (f *finder) fields(n ast.Node) {
	switch n := n.(type) {
	case *ast.ConditionalNode:
		f.fields(n.Exp1)
		f.fields(n.Exp2)
		return
	case *ast.VariableDeclaratorNode:
		f.fields(n.Expr)
		return
	}
	if nodes.IsName(n, "object") || nodes.IsName(n, "old") {
		f.doubt(n, n, "", "the patch is the whole object, so that informerd sets each of its fields; "+
			"write only those to change, as in {metadata: {labels: {seen: \"true\"}}}")
		return
	}
	schema := f.Schema
	for _, p := range pairs(n) {
		switch {
		case p.key == "status" && f.Objects != "" && f.Schema != nil && f.Schema.Fields["status"] != nil:
			f.doubt(p.node.Key, p.node, "",
				"the API server leaves status out of a patch: controllers write it, in another way")
			rest := *schema // what is in the status does not matter
			rest.Fields = maps.Clone(rest.Fields)
			rest.Fields["status"], schema = &lang.Schema{}, &rest
		case p.key == "metadata":
			for _, m := range pairs(p.node.Value) {
				if m.key == "name" || m.key == "namespace" || m.key == "uid" {
					f.fixedName(m.key, m.node.Value)
				}
			}
		}
	}
	f.value(n, schema, "")
}

// fixedName warns about a constant where the object's own name has to be.
func (f *finder) fixedName(key string, n ast.Node) {
	if text, ok := n.(*ast.StringNode); ok {
		f.doubt(n, n, "", "a patch cannot change metadata.%s: the API server refuses it for each object that is not %q; leave it out",
			key, text.Value)
	}
}

type pair struct {
	key  string
	node *ast.PairNode
}

// pairs returns those of an object whose keys are constants.
func pairs(n ast.Node) (all []pair) {
	m, ok := n.(*ast.MapNode)
	if !ok {
		return nil
	}
	for _, n := range m.Pairs {
		p, ok := n.(*ast.PairNode)
		if !ok {
			continue
		}
		if key, ok := p.Key.(*ast.StringNode); ok {
			all = append(all, pair{key.Value, p})
		}
	}
	return all
}

// value warns about a value of a patch that the field of that path cannot have.
func (f *finder) value(n ast.Node, s *lang.Schema, path string) {
	if s == nil {
		return
	}
	if c, ok := n.(*ast.ConditionalNode); ok {
		f.value(c.Exp1, s, path)
		f.value(c.Exp2, s, path)
		return
	}
	if is := kindOf(n); is != "" && s.Type != "" && !fits(is, s.Type) {
		f.doubt(n, n, f.instead(n, is, s.Type), "%s is %s, and this is %s: "+refuses, path,
			articles[s.Type], articles[is])
		return
	}
	if text, ok := n.(*ast.StringNode); ok && len(s.Enum) > 0 && text.Value != "" &&
		!slices.Contains(s.Enum, text.Value) {
		write := ""
		if near, ok := nearest.Name(text.Value, s.Enum); ok {
			write = strconv.Quote(near)
		}
		f.doubt(n, n, write, "%s is never %q: there are %s", path, text.Value,
			strings.Join(s.Enum, ", "))
	}
	if list, ok := n.(*ast.ArrayNode); ok && s.Items != nil {
		for _, item := range list.Nodes {
			f.value(item, s.Items, path+"[]")
		}
	}
	for _, p := range pairs(n) {
		below, known := member(s, p.key)
		if !known {
			f.unknownField(p, s, path)
			continue
		}
		f.value(p.node.Value, below, strings.TrimPrefix(path+"."+p.key, "."))
	}
}

// member returns the schema of a member of an object, nil if nothing is known of it, and reports
// whether there may be one of that name.
func member(s *lang.Schema, key string) (*lang.Schema, bool) {
	if field := s.Fields[key]; field != nil {
		return field, true
	}
	if s.Type != "object" || s.Values != nil || s.Open || len(s.Fields) == 0 {
		return s.Values, true
	}
	return nil, false
}

func (f *finder) unknownField(p pair, s *lang.Schema, path string) {
	known := slices.Sorted(maps.Keys(s.Fields))
	in, write := path, ""
	if in == "" {
		in = "the object"
	}
	if near, ok := nearest.Name(p.key, known); ok {
		write = near
	}
	then := leavesOut
	if f.Patch == "apply" {
		then = refuses
	}
	f.doubt(p.node.Key, p.node.Key, write, "there is no field %s in %s: %s", p.key, in, then)
}

// What the API server does about a field that it does not know.
const (
	refuses   = "the API server refuses it"
	leavesOut = "the API server leaves it out"
)

// articles are words for the types of OpenAPI.
var articles = map[string]string{"string": "a text", "integer": "an integer", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "an object"}

// kindOf returns the type of OpenAPI that a node's value has, "" if it may be any or nil.
func kindOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.MapNode:
		return "object"
	case *ast.ArrayNode:
		return "array"
	case *ast.StringNode:
		return "string"
	case *ast.BoolNode:
		return "boolean"
	case *ast.IntegerNode:
		return "integer"
	case *ast.FloatNode:
		return "number"
	case *ast.BuiltinNode:
		switch n.Name {
		case "len", "count":
			return "integer"
		case "any", "all", "none", "one":
			return "boolean"
		case "filter", "map", "keys", "values":
			return "array"
		case "string", "lower", "upper", "trim", "join":
			return "string"
		}
	}
	return ""
}

func fits(is, want string) bool {
	return is == want || is == "integer" && want == "number" || is == "number" && want == "integer"
}

// instead returns what to write for a value of another type, "" if that is not known.
func (f *finder) instead(n ast.Node, is, want string) string {
	text := f.text(n)
	switch {
	case want == "string" && (is == "boolean" || is == "integer" || is == "number"):
		if _, ok := n.(*ast.BuiltinNode); ok {
			return "string(" + text + ")"
		}
		return strconv.Quote(text)
	case is == "string" && (want == "boolean" || want == "integer" || want == "number"):
		constant, ok := n.(*ast.StringNode)
		if !ok {
			return ""
		}
		if _, err := strconv.ParseFloat(constant.Value, 64); err == nil ||
			constant.Value == "true" || constant.Value == "false" {
			return constant.Value
		}
	case want == "array" && is != "object":
		return "[" + text + "]"
	}
	return ""
}
