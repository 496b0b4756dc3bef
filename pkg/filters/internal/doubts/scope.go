package doubts

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// clusterScoped are Kubernetes' own kinds whose objects are in no namespace.
var clusterScoped = []string{"Node", "Namespace", "PersistentVolume", "StorageClass", "ClusterRole",
	"ClusterRoleBinding", "CustomResourceDefinition", "APIService", "PriorityClass", "IngressClass",
	"RuntimeClass", "CSIDriver", "CSINode", "VolumeAttachment", "CertificateSigningRequest",
	"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}

// namespace warns about a text that the namespace of an object without one is compared with.
func (f *finder) namespace(n *ast.BinaryNode) {
	keys := ofObject(n.Left)
	if len(keys) != 2 || keys[0] != "metadata" || keys[1] != "namespace" ||
		!slices.Contains(clusterScoped, f.Objects) {
		return
	}
	switch to := n.Right.(type) {
	case *ast.NilNode:
		return
	case *ast.StringNode:
		if to.Value == "" { // answered as what is empty
			return
		}
	}
	switch n.Operator {
	case "==", "!=", "in", "startsWith", "endsWith", "contains", "matches":
	default:
		return
	}
	if f.Objects == "Namespace" {
		f.doubt(n.Left, n.Left, strings.Replace(f.text(n.Left), "namespace", "name", 1),
			"a Namespace is in no namespace itself")
		return
	}
	f.doubt(n.Left, n.Left, "", "a %s is in no namespace: this is nil", f.Objects)
}

// namespaceOf warns about the namespace in which an object is looked up: one for a kind whose
// objects are in none, and none for the others.
func (f *finder) namespaceOf(call *ast.CallNode, informer string, at ast.Node) {
	kind, none := f.LookedUp[informer].Objects, f.LookedUp[informer].Unspaced
	if kind == "" {
		return
	}
	text, constant := at.(*ast.StringNode)
	empty := constant && text.Value == "" || isNil(at)
	_, keys := nodes.ConstantSteps(at)
	switch {
	case none && !empty && (constant || nodes.IsName(at, "namespace") ||
		len(keys) > 0 && keys[len(keys)-1] == "namespace"):
		f.doubt(at, at, `""`, "a %s is in no namespace, so this finds none", kind)
	case !none && empty && nodes.IsName(call.Callee, "cached"):
		write := "object.metadata.namespace"
		if slices.Contains(clusterScoped, f.Objects) {
			write = ""
		}
		f.doubt(at, at, write, "a %s is in a namespace, so this finds none", kind)
	case !none && empty:
		f.doubt(at, at, "", "a %s is in a namespace, so this finds none; leave this argument out to look in all of them",
			kind)
	}
}

// flags are true or false, and left out when they are false: booleans with omitempty, and no
// pointers, in the types of k8s.io/api.
var flags = map[string]string{
	"Pod":        "hostNetwork hostPID hostIPC",
	"Deployment": "paused",
	"Node":       "unschedulable",
}

// flag warns about a comparison of such a field with false, which is not true of what is missing.
func (f *finder) flag(c comparison) {
	to, ok := c.to.(*ast.BoolNode)
	keys := ofObject(c.value)
	if !ok || to.Value || len(keys) != 2 || keys[0] != "spec" || f.asked[f.text(c.value)] ||
		c.operator != "==" && c.operator != "!=" {
		return
	}
	name, _ := keys[1].(string)
	if name == "" || !slices.Contains(strings.Fields(flags[f.Objects]), name) {
		return
	}
	f.doubt(c.value, c.whole, "("+f.text(c.value)+" ?? false) "+c.operator+" false",
		"%s is left out when it is false, and then this is %t", name, c.operator == "!=")
}
