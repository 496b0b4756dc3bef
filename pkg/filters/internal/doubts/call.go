package doubts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Values of Kubernetes that no schema lists. Others are possible, so that only what differs from
// one in the case of letters is warned of.
var (
	// https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions and the API
	// reference of jobs, deployments and nodes
	conditionTypes = []string{"Ready", "Available", "Progressing", "Initialized", "ContainersReady",
		"PodScheduled", "Complete", "Failed", "ReplicaFailure", "MemoryPressure", "DiskPressure",
		"PIDPressure", "NetworkUnavailable", "DisruptionTarget", "Suspended", "Established"}
	kinds = []string{"Pod", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob",
		"Node", "Namespace", "Service", "ConfigMap", "Secret", "Ingress", "Event", "Endpoints",
		"EndpointSlice", "PersistentVolume", "PersistentVolumeClaim", "ServiceAccount",
		"ReplicationController", "HorizontalPodAutoscaler", "NetworkPolicy", "StorageClass"}
)

// Kinds returns the common kinds of Kubernetes.
func Kinds() []string { return kinds }

// ConditionTypes returns the common types of conditions; none for a kind whose own are known here.
func ConditionTypes(objects string) []string {
	if conditions[objects] != nil {
		return nil
	}
	return conditionTypes
}

// call warns about constant arguments of informerd's own functions that are probably not meant.
func (f *finder) call(n *ast.CallNode, name string) {
	first, ok := nodes.FirstText(n)
	switch {
	case name == "condition" && ok:
		if f.isKnown() {
			f.conditionOf(first)
		}
		f.meant("the type of a condition", first, ConditionTypes(f.Objects))
	case name == "owner" && ok:
		if between := owners[f.Objects][first.Value]; between != "" {
			f.doubt(first, first, quoted(between), "a %s of a %s is owned by a %[3]s, and that by the %[2]s",
				f.Objects, first.Value, between)
		}
		f.meant("the kind of an owner", first, kinds)
	case name == "label":
		if write, ok := habits.LabelIs(n); ok {
			f.doubt(first, n, "", "no label has a key with =; write %s", write)
		}
	case name == "glob" && len(n.Arguments) == 2:
		f.glob(n, first)
	case name == "cached" && ok && len(n.Arguments) == 3:
		f.namespaceOf(n, first.Value, n.Arguments[1])
	case name == "byIndex" && ok && len(n.Arguments) == 4:
		f.namespaceOf(n, first.Value, n.Arguments[3])
	case name == "changed":
		for _, arg := range n.Arguments {
			text, ok := arg.(*ast.StringNode)
			if ok && slices.Contains(everChanging, text.Value) {
				f.doubt(text, text, "", "%s differs in nearly every update, so this says nothing; name the fields that matter, such as spec or metadata.labels", text.Value)
			}
		}
	}
}

// meant warns about a text that differs from a known value in the case of letters.
func (f *finder) meant(of string, text *ast.StringNode, known []string) {
	if slices.Contains(known, text.Value) {
		return
	}
	for _, value := range known {
		if strings.EqualFold(value, text.Value) {
			f.doubt(text, text, "", "%s is probably never %q; did you mean %q?", of, text.Value, value)
			return
		}
	}
}

// everChanging are the paths of what the API server changes with an object.
var everChanging = []string{"metadata", "metadata.resourceVersion", "metadata.managedFields"}

var versionText = regexp.MustCompile(`^v?\d+(\.\d+)*`)

// tagOrder warns about an order of an image's tag and a text, in which 1.10 comes before 1.9.
func (f *finder) tagOrder(n *ast.BinaryNode) {
	if mirrored[n.Operator] == "" || n.Operator == "==" || n.Operator == "!=" {
		return
	}
	for _, sides := range [][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
		text, ok := sides[1].(*ast.StringNode)
		base, keys := nodes.ConstantSteps(sides[0])
		call, isCall := base.(*ast.CallNode)
		if !ok || !isCall || !nodes.IsName(call.Callee, "image") || len(keys) != 1 ||
			keys[0] != "tag" || !versionText.MatchString(text.Value) {
			continue
		}
		f.doubt(text, text, "", "%s is compared with %q as text, letter by letter, in which 1.10 comes before 1.9; write semver(%[1]s)",
			f.text(sides[0]), text.Value)
	}
}
