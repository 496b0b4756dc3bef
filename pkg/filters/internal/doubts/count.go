package doubts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// counts are the numbers in the status of objects that are left out when they are 0: integers with
// omitempty, and no pointers, in the types of k8s.io/api.
var counts = map[string]string{
	"Deployment":              "replicas updatedReplicas readyReplicas availableReplicas unavailableReplicas",
	"StatefulSet":             "readyReplicas currentReplicas updatedReplicas",
	"DaemonSet":               "updatedNumberScheduled numberAvailable numberUnavailable",
	"ReplicaSet":              "fullyLabeledReplicas readyReplicas availableReplicas",
	"ReplicationController":   "fullyLabeledReplicas readyReplicas availableReplicas",
	"Job":                     "active succeeded failed",
	"HorizontalPodAutoscaler": "currentReplicas",
}

// isCount returns the name of a number that is left out when it is 0, "" if the node is none.
func (f *finder) isCount(n ast.Node) string {
	keys := ofObject(n)
	if len(keys) != 2 || keys[0] != "status" {
		return ""
	}
	name, _ := keys[1].(string)
	if !slices.Contains(strings.Fields(counts[f.Objects]), name) {
		return ""
	}
	return name
}

// count warns about a comparison that is answered wrongly when the number is 0, since it is missing
// then.
func (f *finder) count(c comparison) {
	name := f.isCount(c.value)
	if name == "" || f.isCount(c.to) != "" || f.asked[f.text(c.value)] {
		return
	}
	number, constant := c.to.(*ast.IntegerNode)
	zero := constant && number.Value == 0
	then := "false"
	switch _, literal := c.to.(*ast.StringNode); {
	case literal, isNil(c.to):
		return
	case c.operator == "==" && zero:
	case c.operator == "!=" && (zero || !constant):
		then = "true"
	case c.operator == "<" && !(constant && number.Value <= 0):
	case c.operator == "<=" && !(constant && number.Value < 0):
	default:
		return
	}
	write := "(" + f.text(c.value) + " ?? 0)"
	if c.value == c.whole.Left {
		write += " " + c.whole.Operator + " " + f.text(c.to)
	} else {
		write = f.text(c.to) + " " + c.whole.Operator + " " + write
	}
	f.doubt(c.value, c.whole, write, "%s is left out when it is 0, and then this is %s", name, then)
}

// calculated warns about an operation of arithmetic with such a number, which is nil when it is 0.
func (f *finder) calculated(n *ast.BinaryNode) {
	switch n.Operator {
	case "+", "-", "*", "/":
		f.withoutCount(n.Left, "(%s ?? 0)")
		f.withoutCount(n.Right, "(%s ?? 0)")
	}
}

// withoutCount warns about a value that is nil when the number is 0, unless another condition says
// that it is more.
func (f *finder) withoutCount(n ast.Node, format string) {
	name := f.isCount(n)
	if name == "" || f.asked[f.text(n)] || f.more[f.text(n)] ||
		positive(strings.Join(f.Given, " "), name) {
		return
	}
	f.doubt(n, n, fmt.Sprintf(format, f.text(n)), "%s is left out when it is 0, and then all of this is nil",
		name)
}

// positive reports whether a condition asks whether a field is more than a number.
func positive(condition, name string) bool {
	for _, after := range strings.Split(condition, "."+name)[1:] {
		after = strings.TrimSpace(after)
		if strings.HasPrefix(after, ">") || strings.HasPrefix(after, "!= 0") {
			return true
		}
	}
	return false
}

func isNil(n ast.Node) bool {
	_, ok := n.(*ast.NilNode)
	return ok
}
