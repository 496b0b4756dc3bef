package check

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// looseStep is a step of a path as other tools write it: a name, an index, or all items of a list.
type looseStep struct {
	key   string
	index int  // of an item, if it is one
	item  bool // it is an index
	all   bool // it is [*], [] or a condition about items
	plain bool // it was written without brackets and quotes
}

var (
	looseBracket = regexp.MustCompile(`^\[\s*(?:(\d+)|(\*|)|["']([^"']*)["']|` +
		`\?\(@\.type\s*==?\s*["'](\w+)["']\)|([A-Za-z][\w./-]*))\s*\]`)
	looseName = regexp.MustCompile(`^[A-Za-z_$][\w/-]*`)
	looseText = regexp.MustCompile(`^["']([^"']+)["']`)
)

// loosePath reads a path as jsonpath, JSON pointers and others write it, false if it is none.
func loosePath(text string) (steps []looseStep, ok bool) {
	if pointer, is := strings.CutPrefix(text, "/"); is {
		for _, key := range strings.Split(pointer, "/") {
			key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
			index, err := strconv.Atoi(key)
			steps = append(steps, looseStep{key: key, index: index, item: err == nil})
		}
		return steps, pointer != ""
	}
	for _, root := range []string{"$", ".", "object.", "old."} {
		text = strings.TrimPrefix(text, root)
	}
	for text != "" {
		text = strings.TrimPrefix(text, ".")
		if found := looseBracket.FindStringSubmatch(text); found != nil {
			index, err := strconv.Atoi(found[1])
			key := found[3] + found[4] + found[5]
			steps = append(steps, looseStep{key: key, index: index, item: err == nil,
				all: err != nil && key == ""})
			text = text[len(found[0]):]
			continue
		}
		if found := looseText.FindStringSubmatch(text); found != nil {
			steps = append(steps, looseStep{key: found[1]})
			text = text[len(found[0]):]
			continue
		}
		name := looseName.FindString(text)
		if name == "" {
			return nil, false
		}
		steps = append(steps, looseStep{key: name, plain: true})
		text = text[len(name):]
	}
	return steps, len(steps) > 0
}

// changedInstead returns what to write in place of changed("…") for a path that it does not take,
// "" if nothing is known that means the same.
func (s draft) changedInstead(text string) string {
	steps, ok := loosePath(text)
	if !ok || len(steps) > 20 {
		return ""
	}
	if first := steps[0]; s.Schema != nil && fieldOf(s.Schema, first.key) == nil {
		if parts := s.partsWith(first.key); len(parts) == 1 {
			steps = append([]looseStep{{key: parts[0]}}, steps...)
		} else if !s.Schema.Open {
			return ""
		}
	}
	w := pathWriter{schema: s.Schema}
	write := w.write(steps)
	x := s.Expression
	x.Text = write
	if write == "" || s.Check(x) != nil {
		return ""
	}
	return write
}

// partsWith returns those of spec, status and metadata that have a field.
func (s draft) partsWith(key string) (parts []string) {
	for _, name := range []string{"spec", "status", "metadata"} {
		if fieldOf(fieldOf(s.Schema, name), key) != nil {
			parts = append(parts, name)
		}
	}
	return parts
}

// pathWriter writes a question about a change.
type pathWriter struct{ schema *lang.Schema }

// write returns changed("…"), or a comparison with old if the path leads through all items of a
// list.
func (w pathWriter) write(steps []looseStep) string {
	var keys []any
	for i := 0; i < len(steps); i++ {
		step := steps[i]
		list := w.schema != nil && w.schema.Type == "array"
		rest := steps[i+1:]
		switch {
		case step.item && (list || w.schema == nil):
			keys = append(keys, step.index)
			w.schema = itemsOf(w.schema)
			continue
		case step.all && len(rest) == 0:
			return changedCall(keys)
		case step.all:
			return comparedWithOld(keys, w.ofItems(rest))
		case (list || w.schema == nil && !step.plain) && isConditions(keys):
			field := ".status"
			if len(rest) > 0 {
				field = w.ofItems(rest)
			}
			return "op == \"update\" && " + ofCondition("object", step.key) + field + " != " +
				ofCondition("old", step.key) + field
		case list:
			return comparedWithOld(keys, w.ofItems(steps[i:]))
		}
		key := step.key
		if w.hasKeys(keys) && step.plain { // the rest is one key
			for len(steps) > i+1 && steps[i+1].plain {
				i++
				key += "." + steps[i].key
			}
		}
		keys = append(keys, key)
		w.enter(key)
	}
	return changedCall(keys)
}

// enter goes to a field.
func (w *pathWriter) enter(key string) {
	if w.schema == nil {
		return
	}
	if field := w.schema.Fields[key]; field != nil {
		w.schema = field
		return
	}
	w.schema = w.schema.Values
}

// hasKeys reports whether the field's members have names with dots.
func (w *pathWriter) hasKeys(keys []any) bool {
	if w.schema != nil {
		return w.schema.Values != nil && len(w.schema.Fields) == 0 &&
			isScalarKind(fact{schema: w.schema.Values}.kind())
	}
	return habits.HasKeys(keys)
}

// ofItems returns the value of an item, as the body of map, for steps below the items of a list.
func (w pathWriter) ofItems(steps []looseStep) string {
	if w.schema != nil && w.schema.Type == "array" {
		w.schema = itemsOf(w.schema)
	}
	body := ""
	for i, step := range steps {
		switch {
		case step.item:
			body += "[" + strconv.Itoa(step.index) + "]"
			w.schema = itemsOf(w.schema)
			continue
		case step.all && i == len(steps)-1:
			return body
		case step.all:
			return "map(" + body + ", " + w.ofItems(steps[i+1:]) + ")"
		case w.schema != nil && w.schema.Type == "array":
			return "map(" + body + ", " + w.ofItems(steps[i:]) + ")"
		}
		name := named(step.key)
		if body == "" && name[0] == '[' {
			name = "#" + name
		}
		body += name
		w.enter(step.key)
	}
	return body
}

func itemsOf(s *lang.Schema) *lang.Schema {
	if s == nil {
		return nil
	}
	return s.Items
}

func isConditions(keys []any) bool {
	return len(keys) == 2 && keys[0] == "status" && keys[1] == "conditions"
}

func ofCondition(root, condition string) string {
	return "find(" + root + ".status.conditions, .type == " + strconv.Quote(condition) + ")"
}

func comparedWithOld(keys []any, body string) string {
	path := ""
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			path += named(key)
		case int:
			path += "[" + strconv.Itoa(key) + "]"
		}
	}
	return "op == \"update\" && map(object" + path + ", " + body + ") != map(old" + path + ", " +
		body + ")"
}

// changedCall returns the question whether a field has changed.
func changedCall(keys []any) string {
	path := nodes.PathOf(keys).String()
	if strings.Contains(path, `"`) && !strings.ContainsAny(path, `'\`) {
		return "changed('" + path + "')"
	}
	return "changed(" + strconv.Quote(path) + ")"
}

// inPlaceOfChanged adds to a mistake in an argument of changed what to write in place of the call.
func (s draft) inPlaceOfChanged(n *ast.CallNode, offset int, message, write string) *lang.CompileError {
	at, whole := nodes.NewExtents(s.Text).Span(n)
	if !whole || len(n.Arguments) > 1 {
		if len(n.Arguments) > 1 {
			write += ", with || between it and the others"
		}
		return s.CompileError(offset, "%s; write %s", message, write)
	}
	at.Text = write
	if strings.Contains(write, "&&") && strings.TrimSpace(s.Text) != written(nodes.NewExtents(s.Text), n) {
		at.Text = "(" + write + ")"
	}
	return s.Proposed(offset, &at, "%s; write %s", message, at.Text)
}
