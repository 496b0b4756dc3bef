package habits

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

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
		if len(steps) > 0 && strings.Trim(text, "*.") == "" { // all that is below
			return steps, true
		}
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

// Changed returns changed("…") for the steps of a path of another tool, or a comparison with old
// if the path leads through all items of a list; "" if it is none. Parts returns the parts of an
// object, such as spec, that have a field which is named without them.
func Changed(path string, schema *lang.Schema, parts func(key string) []string) string {
	steps, ok := loosePath(path)
	if !ok || len(steps) > maxSteps {
		return ""
	}
	if first := steps[0]; schema != nil && schema.Fields[first.key] == nil {
		if parts := parts(first.key); len(parts) == 1 {
			steps = append([]looseStep{{key: parts[0]}}, steps...)
		} else if !schema.Open {
			return ""
		}
	}
	return pathWriter{schema: schema}.write(steps)
}

// maxSteps is how long a path may be that is looked at.
const maxSteps = 20

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
			return ChangedCall(keys)
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
	return ChangedCall(keys)
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
		of := w.schema.Values
		return of != nil && len(w.schema.Fields) == 0 && of.Type != "object" && of.Type != "array" &&
			of.Type != ""
	}
	return HasKeys(keys)
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
		name := Step(step.key)
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
			path += Step(key)
		case int:
			path += "[" + strconv.Itoa(key) + "]"
		}
	}
	return "op == \"update\" && map(object" + path + ", " + body + ") != map(old" + path + ", " +
		body + ")"
}

// ChangedCall returns the question whether a field has changed.
func ChangedCall(keys []any) string {
	path := nodes.PathOf(keys).String()
	if strings.Contains(path, `"`) && !strings.ContainsAny(path, `'\`) {
		return "changed('" + path + "')"
	}
	return "changed(" + strconv.Quote(path) + ")"
}

// Step returns a step to a field as an expression writes it.
func Step(key string) string {
	for i, r := range key {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') &&
			(i == 0 || r < '0' || r > '9') {
			return "[" + strconv.Quote(key) + "]"
		}
	}
	if key == "" {
		return `[""]`
	}
	return "." + key
}

// LabelIs returns what label("app=web") means, false for any other call.
func LabelIs(call *ast.CallNode) (write string, ok bool) {
	if call == nil || !nodes.IsName(call.Callee, "label") {
		return "", false
	}
	text, ok := nodes.FirstText(call)
	if !ok {
		return "", false
	}
	key, value, ok := strings.Cut(text.Value, "=")
	return "label(" + strconv.Quote(key) + ") == " +
		strconv.Quote(strings.TrimPrefix(value, "=")), ok
}
