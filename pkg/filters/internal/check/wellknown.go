package check

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/doubts"
)

// Values of Kubernetes that no schema lists. Others are possible, so that only what differs from
// one in the case of letters, or in one letter where so said, is warned of.
var (
	// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
	eventTypes = []string{"Normal", "Warning"}
	// what the kubelet writes into state.waiting and state.terminated of containers
	waitingReasons = []string{"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull",
		"CreateContainerConfigError", "CreateContainerError", "InvalidImageName", "ErrImageNeverPull",
		"RunContainerError", "ContainerCreating", "PodInitializing"}
	terminatedReasons = []string{"OOMKilled", "Error", "Completed", "ContainerCannotRun",
		"DeadlineExceeded", "Evicted", "StartError"}
)

// wellKnown warns about a text that is nearly one of the values that a field usually has.
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
			c.meantValue(path, text, eventTypes, true)
		}
	case path == "object.kind", path == "old.kind", has(".ownerReferences[*].kind"):
		c.meantValue(path, text, doubts.Kinds(), false)
	case has(".waiting.reason"):
		c.meantValue(path, text, waitingReasons, true)
	case has(".terminated.reason"):
		c.meantValue(path, text, terminatedReasons, true)
	case has(".status.conditions[*].type"):
		c.meantValue(path, text, doubts.ConditionTypes(c.draft.Objects), false)
	}
}

// meantValue warns about a text that differs from a known value in the case of letters, or, with
// letters, in one letter.
func (c *schemaCheck) meantValue(of string, text *ast.StringNode, known []string, letters bool) {
	if slices.Contains(known, text.Value) {
		return
	}
	for _, value := range known {
		if strings.EqualFold(value, text.Value) || letters && oneLetter(value, text.Value) {
			c.warnf(text, "%s is probably never %q; did you mean %q?", of, text.Value, value)
			return
		}
	}
}

func (c *schemaCheck) warnf(n ast.Node, format string, args ...any) {
	c.warnings = append(c.warnings, c.draft.CompileError(n.Location().From, format, args...))
}

// oneLetter reports whether two texts differ in one letter that is another one, is missing or is
// too many.
func oneLetter(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || a == b || len(b) < 4 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return a[i+1:] == b[i+1:]
	}
	return a[i+1:] == b[i:]
}
