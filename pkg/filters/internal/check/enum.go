package check

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/doubts"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// anyText returns what is known of a value that is made of this one, and need not be one of its
// enum.
func (f fact) anyText() fact {
	if f.schema != nil && f.schema.Enum != nil {
		f.schema = &lang.Schema{Type: f.schema.Type}
	}
	return f
}

// enum warns about a comparison of a field, or a variable, with a text that it never is.
func (c *schemaCheck) enum(operator string, field fact, constant ast.Node) {
	text, ok := constant.(*ast.StringNode)
	name := field.path + field.variable // one of them is empty
	if !ok || name == "" || field.schema == nil || operator != "==" && operator != "!=" {
		return
	}
	if len(field.schema.Enum) == 0 {
		if field.variable != "" && operator == "==" {
			c.warnf(constant, "%s is always nil here: no listener of this output has rules", name)
		}
		return
	}
	known, isNear := field.schema.Enum, false
	if text.Value == "" || slices.Contains(known, text.Value) {
		return
	}
	message := name + " is never " + strconv.Quote(text.Value)
	for _, other := range known {
		if strings.EqualFold(other, text.Value) {
			known, isNear = []string{other}, true
		}
	}
	if near := nearestOf(text.Value, known); near != "" {
		known, isNear = []string{near}, true
	} else if name := resourceMeant(text.Value, known); field.variable == "resource" && name != "" {
		known, isNear = []string{name}, true
	}
	hint := "did you mean " + strconv.Quote(known[0]) + "?"
	switch {
	case len(field.schema.Enum) == 1 && !isNear:
		hint = "there is only " + strconv.Quote(known[0])
	case len(known) > 1:
		hint = "it is one of " + listed(known)
		if field.path == "object.status.phase" {
			hint = c.phaseHint(hint, text.Value)
		}
	}
	c.warnings = append(c.warnings,
		c.draft.CompileError(constant.Location().From, "%s; %s", message, hint))
}

// statusInstead returns what to ask in place of a field of the status that is a condition, "" if it
// is none.
func (c *schemaCheck) statusInstead(base fact, key string) string {
	if base.path != "object.status" || fieldOf(base.schema, "conditions") == nil {
		return ""
	}
	asked := map[string]string{"Pod": "Ready", "Node": "Ready", "Job": "Complete",
		"Deployment": "Available"}[c.draft.Objects]
	switch key {
	case "ready", "phase", "state", "status", "completed", "available":
		if asked != "" {
			return "condition(" + strconv.Quote(asked) + `).status == "True"`
		}
	}
	return ""
}

// phaseHint adds what to ask in place of a phase that is none.
func (c *schemaCheck) phaseHint(hint, phase string) string {
	x := c.draft.Expression
	x.Kind = lang.KindSelect
	x.Text = doubts.PhaseInstead(c.draft.Objects, phase)
	if x.Text == "" || c.draft.Check(x) != nil {
		return hint
	}
	return hint + "; ask " + x.Text
}

// resourceMeant returns the resource, such as deployments.apps, that is named without its group, by
// its kind or in short; "" if none is.
func resourceMeant(word string, resources []string) (meant string) {
	word = strings.ToLower(word)
	word, _, _ = strings.Cut(word, ".")
	for _, resource := range resources {
		name, _, _ := strings.Cut(resource, ".")
		switch {
		case name == word, name == word+"s", name == word+"es",
			strings.TrimSuffix(name, "ies")+"y" == word:
			return resource
		case len(word) > 1 && strings.HasPrefix(name, word) && meant == "":
			meant = resource
		}
	}
	return meant
}

// listed returns the first texts of a list, as words of a sentence.
func listed(texts []string) string {
	if more := len(texts) - namedFields; more > 1 {
		return strings.Join(texts[:namedFields], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}

// conditionStatuses are what the status of a condition may be, which not every schema says:
// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
var conditionStatuses = &lang.Schema{Type: "string", Enum: []string{"False", "True", "Unknown"}}

// condition returns what is known of an entry of status.conditions.
func (c *schemaCheck) condition(n *ast.CallNode) fact {
	if len(n.Arguments) != 1 {
		return fact{} // that is reported elsewhere
	}
	path := "condition(…)"
	if text, ok := nodes.FirstText(n); ok {
		path = "condition(" + strconv.Quote(text.Value) + ")"
	}
	entry := &lang.Schema{Type: "object", Open: true}
	if s := fieldOf(fieldOf(c.draft.Schema, "status"), "conditions"); s != nil && s.Items != nil {
		entry = s.Items
	}
	if status := fieldOf(entry, "status"); status == nil || status.Enum == nil {
		fields := maps.Clone(entry.Fields)
		if fields == nil {
			fields = map[string]*lang.Schema{}
		}
		fields["status"] = conditionStatuses
		entry = &lang.Schema{Type: "object", Open: entry.Open || entry.Type == "", Fields: fields}
	}
	return fact{schema: entry, path: path}
}

// imageParts are the texts that an image has. The image itself is compared as a reference.
var imageParts = []string{"registry", "repository", "name", "tag", "digest"}

func ofImage(n ast.Node) bool {
	call, ok := n.(*ast.CallNode)
	return ok && nodes.IsName(call.Callee, "image")
}

// owner returns what is known of an owner reference.
func (c *schemaCheck) owner(n *ast.CallNode) fact {
	references := fieldOf(fieldOf(c.draft.Schema, "metadata"), "ownerReferences")
	if len(n.Arguments) != 1 || references == nil || references.Items == nil {
		return fact{}
	}
	path := "owner(…)"
	if text, ok := nodes.FirstText(n); ok {
		path = "owner(" + strconv.Quote(text.Value) + ")"
	}
	return fact{schema: references.Items, path: path}
}

func fieldOf(s *lang.Schema, name string) *lang.Schema {
	if s == nil {
		return nil
	}
	return s.Fields[name]
}
