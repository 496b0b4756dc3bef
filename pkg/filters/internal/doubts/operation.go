package doubts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// operations are those of a JSON patch: RFC 6902, section 4.
var operations = []string{"add", "remove", "replace", "move", "copy", "test"}

// otherOperations are words for them elsewhere.
var otherOperations = map[string]string{"set": "add", "update": "replace", "delete": "remove",
	"create": "add", "append": "add", "merge": "add", "put": "add", "unset": "remove"}

// operation warns about an operation of a JSON patch.
func (f *finder) operation(n ast.Node) {
	members := map[string]ast.Node{}
	all := pairs(n)
	for _, p := range all {
		members[p.key] = p.node.Value
	}
	if m, ok := n.(*ast.MapNode); !ok || len(all) != len(m.Pairs) {
		return // what it has is not known
	}
	op, constant := members["op"].(*ast.StringNode)
	switch {
	case members["op"] == nil:
		f.doubt(n, n, "", `an operation of a JSON patch needs op, as in {op: "add", path: "/metadata/labels/seen", value: "true"}`)
		return
	case !constant:
		return
	case !slices.Contains(operations, op.Value):
		write := otherOperations[op.Value]
		if near, ok := nearest.Name(op.Value, operations); ok {
			write = near
		}
		if write != "" {
			write = strconv.Quote(write)
		}
		f.doubt(op, op, write, "there is no op %q in a JSON patch: there are %s", op.Value,
			strings.Join(operations, ", "))
		return
	}
	needs := []string{"path"}
	switch op.Value {
	case "add", "replace", "test":
		needs = append(needs, "value")
	case "move", "copy":
		needs = append(needs, "from")
	}
	for _, name := range needs {
		if members[name] == nil {
			f.doubt(op, op, "", "the op %q of a JSON patch needs %s", op.Value, name)
		}
	}
	for _, name := range []string{"path", "from"} {
		if path, ok := members[name].(*ast.StringNode); ok {
			var value ast.Node
			if name == "path" && op.Value != "test" {
				value = members["value"]
			}
			f.pointer(path, value)
		}
	}
}

// pointer warns about a path of a JSON patch, which is a JSON pointer: RFC 6901.
func (f *finder) pointer(path *ast.StringNode, value ast.Node) {
	if !strings.HasPrefix(path.Value, "/") {
		write := ""
		if path.Value != "" && !strings.ContainsAny(path.Value, "[]\"'") {
			write = strconv.Quote("/" + strings.ReplaceAll(strings.TrimPrefix(path.Value, "."), ".", "/"))
		}
		f.doubt(path, path, write, "a path of a JSON patch begins with / and has / between its parts")
		return
	}
	s, parts := f.Schema, strings.Split(path.Value[1:], "/")
	if s != nil && f.Objects != "" && parts[0] == "status" && s.Fields["status"] != nil {
		f.doubt(path, path, "",
			"the API server leaves status out of a patch: controllers write it, in another way")
		return
	}
	for i, part := range parts {
		if s == nil {
			return
		}
		in := strings.Join(parts[:i], ".")
		if scalar(s) {
			key := strings.Join(parts[i-1:], "~1")
			f.doubt(path, path, strconv.Quote("/"+strings.Join(append(slices.Clone(parts[:i-1]), key), "/")),
				"%s is a text and has nothing below it: a / in a key is written ~1", in)
			return
		}
		if s.Type == "array" {
			s = s.Items
			continue
		}
		key := strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		below, known := member(s, key)
		if !known {
			f.unknownPart(path, parts, i, s)
			return
		}
		s = below
	}
	if value != nil {
		f.value(value, s, strings.Join(parts, "."))
	}
}

// scalar reports whether a value of the schema has nothing below it.
func scalar(s *lang.Schema) bool {
	return s.Type == "string" || s.Type == "integer" || s.Type == "number" || s.Type == "boolean"
}

func (f *finder) unknownPart(path *ast.StringNode, parts []string, i int, s *lang.Schema) {
	write := ""
	if near, ok := nearest.Name(parts[i], slices.Sorted(maps.Keys(s.Fields))); ok {
		mended := slices.Clone(parts)
		mended[i] = near
		write = strconv.Quote("/" + strings.Join(mended, "/"))
	}
	in := strings.Join(parts[:i], ".")
	if in == "" {
		in = "the object"
	}
	then := leavesOut
	if i < len(parts)-1 { // there is nothing to add to: RFC 6902, section 4.1
		then = refuses
	}
	f.doubt(path, path, write, "there is no field %s in %s: %s", parts[i], in, then)
}
