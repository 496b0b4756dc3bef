package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Values of Kubernetes that no schema lists. Others are possible, so that only what differs from
// one in the case of letters, or in one letter where so said, is warned of.
var (
	// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
	eventTypes = []string{"Normal", "Warning"}
	// https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions and the API
	// reference of jobs, deployments and nodes
	conditionTypes = []string{"Ready", "Available", "Progressing", "Initialized", "ContainersReady",
		"PodScheduled", "Complete", "Failed", "ReplicaFailure", "MemoryPressure", "DiskPressure",
		"PIDPressure", "NetworkUnavailable", "DisruptionTarget", "Suspended", "Established"}
	// what the kubelet writes into state.waiting and state.terminated of containers
	waitingReasons = []string{"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull",
		"CreateContainerConfigError", "CreateContainerError", "InvalidImageName", "ErrImageNeverPull",
		"RunContainerError", "ContainerCreating", "PodInitializing"}
	terminatedReasons = []string{"OOMKilled", "Error", "Completed", "ContainerCannotRun",
		"DeadlineExceeded", "Evicted", "StartError"}
	kinds = []string{"Pod", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob",
		"Node", "Namespace", "Service", "ConfigMap", "Secret", "Ingress", "Event", "Endpoints",
		"EndpointSlice", "PersistentVolume", "PersistentVolumeClaim", "ServiceAccount",
		"ReplicationController", "HorizontalPodAutoscaler", "NetworkPolicy", "StorageClass"}
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
		c.meantValue(path, text, kinds, false)
	case has(".waiting.reason"):
		c.meantValue(path, text, waitingReasons, true)
	case has(".terminated.reason"):
		c.meantValue(path, text, terminatedReasons, true)
	case has(".status.conditions[*].type"):
		c.meantValue(path, text, conditionTypes, false)
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

// arguments warns about constant arguments of informerd's own functions that are probably not
// meant.
func (c *schemaCheck) arguments(n *ast.CallNode, name string) {
	first, ok := nodes.FirstText(n)
	switch {
	case name == "condition" && ok:
		c.meantValue("the type of a condition", first, conditionTypes, false)
	case name == "owner" && ok:
		c.meantValue("the kind of an owner", first, kinds, false)
	case name == "glob" && len(n.Arguments) == 2 && !ok:
		if pattern, ok := n.Arguments[1].(*ast.StringNode); ok &&
			strings.ContainsAny(pattern.Value, "*?") {
			c.warnf(n, "glob takes the pattern first; write glob(%s, %s)",
				strconv.Quote(pattern.Value), c.text(n.Arguments[0], fact{}))
		}
	case name == "changed":
		for _, arg := range n.Arguments {
			text, ok := arg.(*ast.StringNode)
			if ok && slices.Contains(everChanging, text.Value) {
				c.warnf(text, "%s differs in nearly every update, so this says nothing; name the fields that matter, such as spec or metadata.labels", text.Value)
			}
		}
	}
}

// everChanging are the paths of what the API server changes with an object.
var everChanging = []string{"metadata", "metadata.resourceVersion", "metadata.managedFields"}

var versionText = regexp.MustCompile(`^v?\d+(\.\d+)*`)

// tagOrder warns about an order of an image's tag and a text, in which 1.10 comes before 1.9.
func (c *schemaCheck) tagOrder(n *ast.BinaryNode) {
	if !comparisons[n.Operator] || n.Operator == "==" || n.Operator == "!=" {
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
		tag := c.text(sides[0], fact{})
		c.warnf(text, "%s is compared with %q as text, letter by letter, in which 1.10 comes before 1.9; write semver(%[1]s)", tag, text.Value)
	}
}
