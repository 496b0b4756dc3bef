package check

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/object"
)

// field takes one step to a field whose name is at offset.
func (c *schemaCheck) field(base fact, key string, offset int) fact {
	kind := base.kind()
	switch {
	case kind == "object":
		return c.fieldOfObject(base, key, offset)
	case base.path == "":
	case kind == "array":
		hint := ""
		if fieldOf(base.schema.Items, key) != nil {
			hint = "; its items have: write any(…, " + lang.Step(key) + " …), or [0]" + lang.Step(key)
		}
		c.errorf(offset, "%s is a list, it has no field %s%s", base.path, shown(key), hint)
	case isScalar(kind):
		c.errorf(offset, "%s is %s, it has no field %s", base.path, base.word(), shown(key))
	}
	return fact{}
}

// fieldOfObject takes a step to a field of what is known to be an object.
func (c *schemaCheck) fieldOfObject(base fact, key string, offset int) fact {
	schema, path := base.schema, within(base.path, lang.Step(key))
	if field, ok := schema.Fields[key]; ok {
		return fact{schema: c.withStatuses(field, base.path, key), path: path,
			root: base.inCluster && key == "object"}
	}
	if schema.Values != nil {
		return fact{schema: schema.Values, path: path}
	}
	// every object has these, but not every schema does
	if base.root && (key == "apiVersion" || key == "kind") {
		return fact{schema: &lang.Schema{Type: "string"}, path: path}
	}
	if len(schema.Fields) == 0 {
		return fact{}
	}
	names := slices.Sorted(maps.Keys(schema.Fields))
	near := nearestOf(key, names)
	if schema.Open {
		if base.root && near != "" {
			c.warnings = append(c.warnings, c.expression.CompileError(offset,
				"%s is not in the schema; did you mean %s?", path, shown(near)))
		}
		return fact{}
	}
	below := schema.Below(key)
	if near != "" {
		below = shown(near)
	}
	for i := range names {
		names[i] = shown(names[i])
	}
	hint := "; there " + listed(names)
	if below != "" {
		hint = "; did you mean " + below + "?"
	}
	c.errorf(offset, "there is no field %s in %s%s", shown(key), base.called(), hint)
	return fact{}
}

// withStatuses adds to the status of a condition what it may be, which not every schema says.
func (c *schemaCheck) withStatuses(field *lang.Schema, path, key string) *lang.Schema {
	if key == "status" && field.Enum == nil && strings.Contains(path, ".status.conditions[") {
		return conditionStatuses
	}
	return field
}

// conditionStatuses are what the status of a condition may be:
// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
var conditionStatuses = &lang.Schema{Type: "string", Enum: []string{"False", "True", "Unknown"}}

// condition returns what is known of an entry of status.conditions.
func (c *schemaCheck) condition() *lang.Schema {
	entry := &lang.Schema{Type: "object", Open: true}
	if s := fieldOf(fieldOf(c.expression.Schema, "status"), "conditions"); s != nil && s.Items != nil {
		entry = s.Items
	}
	if status := fieldOf(entry, "status"); status != nil && status.Enum != nil {
		return entry
	}
	fields := maps.Clone(entry.Fields)
	if fields == nil {
		fields = map[string]*lang.Schema{}
	}
	fields["status"] = conditionStatuses
	return &lang.Schema{Type: "object", Open: entry.Open || entry.Type == "", Fields: fields}
}

// index takes one step to an item of a list.
func (c *schemaCheck) index(base fact, i, offset int) fact {
	if kind := base.kind(); base.path != "" && (kind == "object" || isScalar(kind)) {
		c.errorf(offset, "%s is %s, it has no item %d", base.path, base.word(), i)
	}
	return itemOf(base, "["+strconv.Itoa(i)+"]")
}

// changedPath takes the steps of an argument of changed.
func (c *schemaCheck) changedPath(text *ast.StringNode) {
	steps, err := object.PathSteps(text.Value)
	if err != nil || strings.HasPrefix(text.Value, "object.") ||
		strings.HasPrefix(text.Value, "old.") {
		return // that is reported elsewhere
	}
	base := fact{schema: c.expression.Schema, path: "object", root: true}
	var keys []any
	for _, step := range steps {
		offset := c.inLiteral(text, step.Offset)
		if step.IsIndex {
			keys = append(keys, step.Index)
			c.dropped(c.expression.Dropped, keys, offset)
			base = c.index(base, step.Index, offset)
		} else {
			keys = append(keys, step.Key)
			c.dropped(c.expression.Dropped, keys, offset)
			base = c.field(base, step.Key, offset)
		}
	}
}

// inLiteral returns the place of a text's n-th byte in the expression, or the place of the
// whole text if that has escapes.
func (c *schemaCheck) inLiteral(text *ast.StringNode, n int) int {
	at, runes := text.Location(), []rune(c.expression.Text)
	if from, to := at.From+1, at.To-1; from <= to && to <= len(runes) &&
		string(runes[from:to]) == text.Value {
		return from + len([]rune(text.Value[:n]))
	}
	return at.From
}

// lookedUp returns what is known of what cached, byIndex and clusters return.
func (c *schemaCheck) lookedUp(n *ast.CallNode, name string) fact {
	text, ok := lang.FirstText(n)
	if !ok {
		return fact{}
	}
	one := fact{schema: c.expression.LookedUp[text.Value].Schema, root: true,
		path: name + "(" + strconv.Quote(text.Value) + ", …)"}
	switch {
	case name == "clusters":
		one.root, one.inCluster = false, true
		one.schema = &lang.Schema{Type: "object", Fields: map[string]*lang.Schema{
			"cluster": {Type: "string"}, "object": cmp.Or(one.schema, &lang.Schema{})}}
	case one.schema == nil:
		return fact{}
	case name == "cached":
		return one
	}
	list := fact{schema: &lang.Schema{Type: "array", Items: one.schema}, path: one.path}
	one.path = within(list.path, "[*]")
	list.items = &one
	return list
}

// dropped refuses a field that the informer drops: it is always nil.
func (c *schemaCheck) dropped(drops []object.Path, keys []any, offset int) {
	path := lang.PathOf(keys).String()
	for _, drop := range drops {
		if drop.String() != path {
			continue
		}
		hint := "take it out of the informer's drop"
		if path == "metadata.managedFields" {
			hint = "set keepManagedFields: true in the informer"
		}
		c.errorf(offset, "the informer drops %s, so it is always nil; %s", path, hint)
	}
}

// droppedMember refuses object.a.b if the informer drops it.
func (c *schemaCheck) droppedMember(n *ast.MemberNode) {
	base, keys := lang.ConstantSteps(n)
	var drops []object.Path
	switch base := base.(type) {
	case *ast.IdentifierNode:
		if base.Value == "object" || base.Value == "old" {
			drops = c.expression.Dropped
		}
	case *ast.CallNode:
		informer, ok := lang.FirstText(base)
		switch {
		case ok && lang.IsName(base.Callee, "cached"):
			drops = c.expression.LookedUp[informer.Value].Dropped
		case ok && lang.IsName(base.Callee, "byIndex") && len(keys) > 0:
			drops, keys = c.expression.LookedUp[informer.Value].Dropped, keys[1:]
		case ok && lang.IsName(base.Callee, "clusters") && len(keys) > 1 && keys[1] == "object":
			drops, keys = c.expression.LookedUp[informer.Value].Dropped, keys[2:]
		}
	}
	if len(keys) > 0 {
		c.dropped(drops, keys, n.Property.Location().From)
	}
}

// implied are the fields that informerd's own functions read.
var implied = map[string][]any{
	"label": {"metadata", "labels"}, "annotation": {"metadata", "annotations"},
	"owner": {"metadata", "ownerReferences"}, "condition": {"status", "conditions"},
	"age": {"metadata", "creationTimestamp"},
}

// droppedCall refuses a call of such a function if the informer drops what it reads.
func (c *schemaCheck) droppedCall(n *ast.CallNode, name string) {
	keys := implied[name]
	if keys == nil || name == "age" && len(n.Arguments) > 0 {
		return
	}
	if text, ok := lang.FirstText(n); ok && (name == "label" || name == "annotation") {
		keys = append(keys[:len(keys):len(keys)], text.Value)
	}
	for i := range keys {
		c.dropped(c.expression.Dropped, keys[:i+1], n.Location().From)
	}
}

// shown returns a field's name for a message, in quotes if it cannot follow a dot.
func shown(key string) string {
	if strings.HasPrefix(lang.Step(key), ".") {
		return key
	}
	return strconv.Quote(key)
}
