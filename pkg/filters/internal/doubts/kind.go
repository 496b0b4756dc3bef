package doubts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// conditions are the types of conditions that Kubernetes' own controllers report of a kind: the
// constants of k8s.io/api, k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator.
var conditions = map[string][]string{
	"Deployment":            {"Available", "Progressing", "ReplicaFailure"},
	"ReplicaSet":            {"ReplicaFailure"},
	"ReplicationController": {"ReplicaFailure"},
	"Job":                   {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"},
	"HorizontalPodAutoscaler": {"AbleToScale", "ScalingActive", "ScalingLimited",
		"ScaledToZero"},
	"PodDisruptionBudget": {"DisruptionAllowed"},
	"Namespace": {"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionContentFailure",
		"NamespaceDeletionGroupVersionParsingFailure", "NamespaceContentRemaining",
		"NamespaceFinalizersRemaining"},
	"APIService":                {"Available"},
	"CertificateSigningRequest": {"Approved", "Denied", "Failed"},
	"CustomResourceDefinition": {"Established", "NamesAccepted", "NonStructuralSchema",
		"Terminating", "KubernetesAPIApprovalPolicyConformant", "StorageMigrating"},
	"Pod": {"Ready", "ContainersReady", "Initialized", "PodScheduled", "DisruptionTarget",
		"PodReadyToStartContainers", "PodResizePending", "PodResizeInProgress",
		"AllContainersRestarting"},
	"Node": {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"},
}

// others are kinds whose objects get conditions from anybody, by custom controllers and node
// problem detectors: only what is nearly a type is warned of.
var others = []string{"Pod", "Node"}

// instead says what to ask of kinds that have no such condition.
var instead = map[string]string{
	"StatefulSet": `(object.status.readyReplicas ?? 0) == object.spec.replicas`,
	"DaemonSet":   `object.status.numberReady == object.status.desiredNumberScheduled`,
}

// phases are values of a Pod's status.phase.
var phases = []string{"Pending", "Running", "Succeeded", "Failed", "Unknown"}

// negative begins a word for the contrary of a condition.
var negative = regexp.MustCompile(`^(?:Not|Un|Non|In)`)

// conditionOf warns about the type of a condition that objects of the kind do not have.
func (f *finder) conditionOf(text *ast.StringNode) {
	name, known := text.Value, conditions[f.Objects]
	if strings.Contains(name, "/") || slices.Contains(known, name) {
		return
	}
	near, _ := nearest.Name(name, known)
	for _, value := range known {
		if strings.EqualFold(value, name) {
			near = value
		}
	}
	open := slices.Contains(others, f.Objects)
	positive := ""
	for _, value := range known {
		if strings.EqualFold(value, negative.ReplaceAllString(name, "")) && value != name {
			positive = value
		}
	}
	switch {
	case positive != "" && negative.MatchString(name):
		f.doubt(text, text, "", "a %s has no condition %q; ask condition(%q).status != \"True\"", f.Objects,
			name, positive)
	case f.Objects == "Pod" && slices.Contains(phases, name):
		f.doubt(text, text, "", "a Pod has no condition %q; ask for its phase: object.status.phase == %[1]q",
			name)
	case near != "" && known != nil:
		f.doubt(text, text, quoted(near), "a %s has no condition %q; it has %s", f.Objects, name,
			strings.Join(known, ", "))
	case known != nil && !open:
		f.doubt(text, text, "", "a %s has no condition %q; it has %s", f.Objects, name,
			strings.Join(known, ", "))
	case instead[f.Objects] != "" && slices.Contains([]string{"Ready", "Available"}, name):
		f.doubt(text, text, "", "a %s has no condition %q; ask %s", f.Objects, name,
			instead[f.Objects])
	}
}

// conditionType looks at the type in any(object.status.conditions, .type == "Ready").
func (f *finder) conditionType(c comparison) {
	text, ok := c.to.(*ast.StringNode)
	base, keys := nodes.ConstantSteps(c.value)
	_, item := base.(*ast.PointerNode)
	if ok && item && f.ofConditions > 0 && len(keys) == 1 && keys[0] == "type" &&
		(c.operator == "==" || c.operator == "!=") && f.isKnown() {
		f.conditionOf(text)
	}
}

// isKnown reports whether the types of the conditions of the objects are known here.
func (f *finder) isKnown() bool { return conditions[f.Objects] != nil || instead[f.Objects] != "" }

func isConditions(n ast.Node) bool {
	keys := ofObject(n)
	return len(keys) == 2 && keys[0] == "status" && keys[1] == "conditions"
}

// kind warns about a kind that the objects are not.
func (f *finder) kind(c comparison) {
	keys := ofObject(c.value)
	text, ok := c.to.(*ast.StringNode)
	if !ok || f.Objects == "" || len(keys) != 1 || keys[0] != "kind" || text.Value == f.Objects ||
		c.operator != "==" && c.operator != "!=" {
		return
	}
	if slices.Contains(kinds, text.Value) {
		is := map[string]string{"==": "never", "!=": "always"}[c.operator]
		f.doubt(text, text, "", "this is %s true: the objects are of the kind %s", is, f.Objects)
	}
}

// owners are the kinds between an object and a kind that people name as its owner.
var owners = map[string]map[string]string{
	"Pod": {"Deployment": "ReplicaSet", "CronJob": "Job"},
}
