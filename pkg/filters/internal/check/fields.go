package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/informer/object"
)

// namedFields is how many fields an error lists.
const namedFields = 10

func (c *schemaCheck) errorf(offset int, format string, args ...any) {
	c.found(c.draft.CompileError(offset, format, args...))
}

// field takes one step to a field whose name is at offset.
func (c *schemaCheck) field(base fact, key string, offset int) fact {
	path := within(base.path, named(key))
	switch kind, write := base.kind(), ofRule[key]; {
	case write != "" && (base.path == "rule" || base.variable == "rule"):
		c.found(c.draft.Proposed(offset, &lang.Fix{From: offset - len("rule."),
			To: offset + len(key), Text: write}, "rule is a text, the rule's name; write %s", write))
	case kind == "object":
		if field, ok := base.schema.Fields[key]; ok {
			return fact{schema: field, path: path}
		}
		if base.schema.Values != nil {
			return fact{schema: base.schema.Values, path: path}
		}
		// every object has these, but not every schema does
		if base.root && (key == "apiVersion" || key == "kind") {
			return fact{schema: &lang.Schema{Type: "string"}, path: path}
		}
		if near := nearestOf(key, slices.Sorted(maps.Keys(base.schema.Fields))); base.root &&
			base.schema.Open && near != "" {
			c.warnings = append(c.warnings,
				c.draft.CompileError(offset, "%s is not in the schema; did you mean %s?", path,
					displayed(near)))
		}
		if !base.schema.Open && len(base.schema.Fields) > 0 {
			if c.elsewhere(base, key, offset) {
				break
			}
			hint := otherFields(base.schema, key)
			if parts := partsWith(base.schema, key); base.root && len(parts) > 0 {
				hint = "did you mean " + strings.Join(parts, named(key)+" or ") + named(key) + "?"
			}
			if key == "template" && base.schema.Fields["containers"] != nil {
				c.found(c.draft.Untemplated(offset, base.path))
				break
			}
			if ask := c.statusInstead(base, key); ask != "" {
				hint = "ask its conditions, as in " + ask
			}
			c.errorf(offset, "there is no field %s in %s; %s", displayed(key), base.path, hint)
		}
	case base.path == "":
	case kind == "array":
		c.errorf(offset, "%s is a list, it has no field %s; %s", base.path, displayed(key),
			c.insteadOfList(base, key, offset))
	case isScalarKind(kind):
		if hint, fix := c.draft.KeyAt(offset); fix != nil {
			c.found(c.draft.Proposed(offset, fix, "%s is %s, it has no field %s; %s", base.path,
				typeWord(base.schema.Type), displayed(key), hint))
			break
		}
		message := fmt.Sprintf("%s is %s, it has no field %s", base.path, typeWord(base.schema.Type),
			displayed(key))
		if hint, fix := c.asked(base, key, offset).Known(); fix != nil {
			c.found(c.draft.Proposed(offset, fix, "%s; %s", message, hint))
			break
		}
		c.errorf(offset, "%s", message)
	}
	return fact{}
}

// ofRule are variables of outputs, by what they would be called as fields of the rule.
var ofRule = map[string]string{"name": "rule", "severity": "severity", "message": "message"}

// index takes one step to an item of a list.
func (c *schemaCheck) index(base fact, i, offset int) fact {
	if kind := base.kind(); base.path != "" && (kind == "object" || isScalarKind(kind)) {
		c.errorf(offset, "%s is %s, it has no item %d", base.path, typeWord(base.schema.Type), i)
	}
	return itemOf(base, "["+strconv.Itoa(i)+"]")
}

var plainWord = regexp.MustCompile(`^\w+$`)

// fieldPath takes the steps of an argument of changed.
func (c *schemaCheck) fieldPath(n *ast.CallNode, text *ast.StringNode) {
	before := len(c.mistakes)
	c.steps(text)
	if len(c.mistakes) == before {
		return
	}
	first, ok := n.Arguments[0].(*ast.StringNode)
	if ok && first != text && len(n.Arguments) == 2 && n.Arguments[1] == text {
		x := c.draft.Expression
		x.Text = "changed(" + strconv.Quote(first.Value+"."+text.Value) + ")"
		if c.draft.Check(x) == nil && plainWord.MatchString(text.Value) {
			c.mistakes = append(c.mistakes[:before], c.draft.inPlaceOfAll(n,
				c.mistakes[before].Offset, "each argument of changed is a whole path", x.Text))
			return
		}
	}
	if ok && first != text && len(n.Arguments) == 3 && plainWord.MatchString(text.Value) {
		if c.fromTo(n, first.Value, text, before) {
			return
		}
	}
	if ok && first != text && plainWord.MatchString(text.Value) {
		x := c.draft.Expression
		x.Text = "became(object." + first.Value + " == " + strconv.Quote(text.Value) + ")"
		if c.draft.Check(x) == nil && len(n.Arguments) == 2 {
			c.mistakes = append(c.mistakes[:before], c.draft.inPlaceOfAll(n,
				c.mistakes[before].Offset, "changed takes paths alone", x.Text))
			return
		}
	}
	if write := c.draft.changedInstead(text.Value); write != "" {
		e := c.mistakes[before]
		message, _, _ := strings.Cut(e.Message, "; ")
		c.mistakes[before] = c.draft.inPlaceOfChanged(n, e.Offset, message, write)
		c.mistakes = c.mistakes[:before+1]
	}
}

func (c *schemaCheck) steps(text *ast.StringNode) {
	steps, err := object.PathSteps(text.Value)
	if err != nil || rootedPath.MatchString(text.Value) {
		return // that is reported elsewhere
	}
	base := fact{schema: c.draft.Schema, path: "object", root: true}
	var keys []any
	for _, step := range steps {
		offset := c.draft.inLiteral(text, step.Offset)
		if step.IsIndex {
			keys = append(keys, step.Index)
		} else {
			keys = append(keys, step.Key)
		}
		for _, drop := range c.draft.Dropped {
			if nodes.PathOf(keys).String() == drop.String() {
				c.dropped(c.draft.Dropped, keys, offset)
			}
		}
		if step.IsIndex {
			base = c.index(base, step.Index, offset)
		} else {
			base = c.field(base, step.Key, offset)
		}
	}
}

// walksList refuses a value that is not a list where a predicate needs one.
func (c *schemaCheck) walksList(n *ast.BuiltinNode, list fact) {
	if !slices.Contains(lang.Predicates, n.Name) || list.path == "" {
		return
	}
	offset := n.Arguments[0].Location().From
	switch kind := list.kind(); {
	case kind == "object":
		c.errorf(offset, "%s needs a list, and %s is an object; use keys(…) or values(…)",
			n.Name, list.path)
	case isScalarKind(kind):
		c.errorf(offset, "%s needs a list, and %s is %s", n.Name, list.path,
			typeWord(list.schema.Type))
	}
}

// otherFields returns the hint that proposes a field, or lists the fields.
func otherFields(schema *lang.Schema, name string) string {
	names := slices.Sorted(maps.Keys(schema.Fields))
	for _, other := range names {
		if strings.EqualFold(name, other) {
			return "did you mean " + displayed(other) + "?"
		}
	}
	if near := nearestOf(name, names); near != "" {
		return "did you mean " + displayed(near) + "?"
	}
	if below := schema.Below(name); below != "" {
		return "did you mean " + below + "?"
	}
	if len(names) == 1 {
		return "there is only " + displayed(names[0])
	}
	more := ""
	if n := len(names) - namedFields; n > 0 {
		names, more = names[:namedFields], fmt.Sprintf(" and %d more", n)
	}
	for i := range names {
		names[i] = displayed(names[i])
	}
	return "there are " + strings.Join(names, ", ") + more
}

// displayed returns a field's name for a message, in quotes if it cannot follow a dot.
func displayed(key string) string {
	if strings.HasPrefix(named(key), ".") {
		return key
	}
	return strconv.Quote(key)
}

// ofItemBefore is a field of an item, with the dot behind it.
var ofItemBefore = regexp.MustCompile(`(?:^|[^\w.#)\]])#?((?:\.\w+)+)\.$`)

// typeIs is the type of a condition that a list of them is asked for.
var typeIs = regexp.MustCompile(`^type\s*==\s*("\w+"|'\w+')`)

// insteadOfList returns the hint that says how a field of a list's items is read.
func (c *schemaCheck) insteadOfList(list fact, key string, offset int) string {
	path, items := list.path, list.schema.Items
	behind := string([]rune(c.draft.Text)[min(offset, len([]rune(c.draft.Text))):])
	if found := typeIs.FindStringSubmatch(behind); found != nil &&
		path == "object.status.conditions" {
		return "write condition(" + found[1] + ") != nil"
	}
	if root, ok := strings.CutSuffix(path, ".status.conditions"); ok && fieldOf(items, key) == nil {
		return fmt.Sprintf("ask with any(%s.status.conditions, .type == %s && .status == \"True\")",
			root, strconv.Quote(key))
	}
	if strings.Contains(path, "[*]") { // no expression names it like that
		before := string([]rune(c.draft.Text)[:min(offset, len([]rune(c.draft.Text)))])
		if found := ofItemBefore.FindStringSubmatch(before); found != nil &&
			len(c.items) < lang.MaxNesting && key != "" {
			return fmt.Sprintf("ask with any(%s, %s …), or name an item of it, as in %[1]s[0]%[2]s",
				found[1], named(key))
		}
		return "use any(…), or name an item of it, as in [0]" + named(key)
	}
	if items != nil && len(items.Fields) > 0 && fieldOf(items, key) == nil {
		return fmt.Sprintf("ask with any(%s, …), or name an item of it, as in %[1]s[0]", path)
	}
	ofItem := named(key)
	if ofItem[0] == '[' {
		ofItem = "#" + ofItem
	}
	compared := " …"
	if found := simplyCompared.FindStringSubmatch(behind); found != nil && key != "" {
		compared = found[1]
	}
	return fmt.Sprintf("ask with any(%s, %s%s), or name an item of it, as in %[1]s[0]%s", path,
		ofItem, compared, named(key))
}

// simplyCompared begins with a field and what it is compared with.
var simplyCompared = regexp.MustCompile(
	`^\w+(\s*(?:[=!<>]=|[<>]|\b(?:contains|startsWith|endsWith|matches)\b)\s*(?:"[^"]*"|'[^']*'|[\d.]+\b|(?:true|false|nil)\b))`)

// typeWord returns a type of OpenAPI with its article.
func typeWord(schemaType string) string {
	switch schemaType {
	case "integer", "object":
		return "an " + schemaType
	case "array":
		return "a list"
	case "":
		return "an object" // it has fields, but no type
	}
	return "a " + schemaType
}

// inLiteral returns the place of a text's n-th byte in the expression, or the place of the
// whole text if that has escapes.
func (s draft) inLiteral(text *ast.StringNode, n int) int {
	at, runes := text.Location(), []rune(s.Text)
	if from, to := at.From+1, at.To-1; from <= to && to <= len(runes) &&
		string(runes[from:to]) == text.Value {
		return from + len([]rune(text.Value[:n]))
	}
	return at.From
}

// within returns the path of a part of a field.
func within(path, step string) string {
	if path == "" {
		return ""
	}
	return path + step
}

// named returns a step to a field as an expression writes it.
func named(key string) string { return habits.Step(key) }
