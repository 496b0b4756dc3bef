package check

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/doubts"
)

// wellKnown warns about a text that is nearly one of the values that a field usually has. Others
// are possible: no schema lists them.
func (c *schemaCheck) wellKnown(operator string, field fact, constant ast.Node) {
	text, ok := constant.(*ast.StringNode)
	if !ok || operator != "==" && operator != "!=" || field.schema == nil ||
		field.schema.Enum != nil {
		return
	}
	path := field.path
	has := func(suffix string) bool { return strings.HasSuffix(path, suffix) }
	switch {
	case path == "object.type" || path == "old.type":
		if fieldOf(c.draft.Schema, "involvedObject") != nil ||
			fieldOf(c.draft.Schema, "regarding") != nil {
			c.eventType(path, text)
		}
	case path == "object.kind", path == "old.kind", has(".ownerReferences[*].kind"):
		c.meantValue(path, text, doubts.Kinds(), false)
	case has(".waiting.reason"):
		c.meantValue(path, text, doubts.WaitingReasons, true)
		c.otherState(path, text, doubts.TerminatedReasons, "lastState.terminated")
	case has(".terminated.reason"):
		c.meantValue(path, text, doubts.TerminatedReasons, true)
		c.otherState(path, text, doubts.WaitingReasons, "state.waiting")
	case has(".status.conditions[*].type"):
		c.meantValue(path, text, doubts.ConditionTypes(c.draft.Objects), false)
	}
}

// otherState warns about a reason of another state of a container.
func (c *schemaCheck) otherState(path string, text *ast.StringNode, of []string, state string) {
	if slices.Contains(of, text.Value) {
		c.warnf(text, "%s is probably never %q; ask .%s.reason", path, text.Value, state)
	}
}

// meantValue warns about a text that differs from a known value in the case of letters, or, with
// letters, in one letter, or that is another word for one.
func (c *schemaCheck) meantValue(of string, text *ast.StringNode, known []string, letters bool) {
	if slices.Contains(known, text.Value) {
		return
	}
	for _, value := range known {
		word := doubts.Meant[strings.ToLower(text.Value)]
		if strings.EqualFold(value, text.Value) ||
			letters && (doubts.OneLetter(value, text.Value) || word == value) {
			c.warnf(text, "%s is probably never %q; did you mean %q?", of, text.Value, value)
			return
		}
	}
}

func (c *schemaCheck) warnf(n ast.Node, format string, args ...any) {
	c.warnings = append(c.warnings, c.draft.CompileError(n.Location().From, format, args...))
}

// eventType warns about a type that no Event has: who writes them with client-go has no other.
func (c *schemaCheck) eventType(path string, text *ast.StringNode) {
	before := len(c.warnings)
	c.meantValue(path, text, doubts.EventTypes, true)
	if len(c.warnings) == before && text.Value != "" &&
		!slices.Contains(doubts.EventTypes, text.Value) {
		c.warnf(text, "%s is probably never %q; an Event has Normal or Warning", path, text.Value)
	}
}
