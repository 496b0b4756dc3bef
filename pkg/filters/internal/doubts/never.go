package doubts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// never warns about a text that a value is known to never be.
func (f *finder) never(c comparison) {
	text, ok := c.to.(*ast.StringNode)
	if !ok || text.Value == "" {
		return
	}
	f.numberInText(c, text)
	if c.operator != "==" && c.operator != "!=" {
		return
	}
	f.caseChanged(c, text)
	f.statusOfCondition(c, text)
	f.reasonOfCondition(c, text)
	f.kindOf(c, text)
	f.nameWithCapitals(c, text)
	keys := ofObject(c.value)
	switch {
	case len(keys) == 1 && keys[0] == "apiVersion":
		f.apiVersion(text)
	case f.Objects == "Service" && len(keys) == 2 && keys[1] == "clusterIP" && text.Value != "None" &&
		strings.EqualFold(text.Value, "None"):
		f.doubt(text, text, `"None"`, "the clusterIP is never %q", text.Value)
	case len(keys) == 4 && keys[1] == "conditions" && keys[3] == "type" && f.isKnown():
		f.conditionOf(text)
	case last(c.value) == "image" && text.Value == "latest" && f.Objects != "":
		f.doubt(text, c.whole, "image("+f.text(c.value)+").tag "+c.operator+" "+f.text(c.to),
			"an image is more than its tag")
	}
}

// caseChanged warns about a text with other letters than lower or upper returns.
func (f *finder) caseChanged(c comparison, text *ast.StringNode) {
	call, ok := c.value.(*ast.BuiltinNode)
	if !ok {
		return
	}
	write := text.Value
	switch call.Name {
	case "lower":
		write = strings.ToLower(write)
	case "upper":
		write = strings.ToUpper(write)
	}
	if write != text.Value {
		f.doubt(text, text, quoted(write), "%s never returns %q", call.Name, text.Value)
	}
}

// statusOfCondition warns about the status of an entry of status.conditions in small letters.
func (f *finder) statusOfCondition(c comparison, text *ast.StringNode) {
	base, keys := nodes.ConstantSteps(c.value)
	if len(keys) == 0 || keys[len(keys)-1] != "status" {
		return
	}
	_, item := base.(*ast.PointerNode)
	call, found := base.(*ast.BuiltinNode)
	found = found && len(call.Arguments) > 0 && isConditions(call.Arguments[0])
	of := ofObject(c.value)
	at := len(of) == 4 && of[0] == "status" && of[1] == "conditions"
	if !found && !at && (!item || f.ofConditions == 0 || len(keys) != 1) {
		return
	}
	for _, status := range []string{"True", "False", "Unknown"} {
		if strings.EqualFold(status, text.Value) && status != text.Value {
			f.doubt(text, text, quoted(status), "the status of a condition is never %q", text.Value)
		}
	}
}

// conditionReasons are reasons of conditions that Kubernetes' own controllers write.
var conditionReasons = map[string][]string{
	"Deployment": {"ProgressDeadlineExceeded", "NewReplicaSetAvailable", "NewReplicaSetCreated",
		"ReplicaSetUpdated", "MinimumReplicasAvailable", "MinimumReplicasUnavailable",
		"FoundNewReplicaSet", "FailedCreate", "DeploymentPaused", "DeploymentResumed"},
	"Pod": {"ContainersNotReady", "ContainersNotInitialized", "Unschedulable", "SchedulingGated",
		"PodCompleted", "PodFailed", "ReadinessGatesNotReady"},
	"Node": {"KubeletReady", "KubeletNotReady", "NodeStatusUnknown", "KubeletHasDiskPressure",
		"KubeletHasInsufficientMemory", "KubeletHasNoDiskPressure", "KubeletHasSufficientMemory"},
	"Job": {"BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy", "JobSuspended",
		"JobResumed", "CompletionsReached"},
}

// reasonOfCondition warns about what is nearly a reason of a condition.
func (f *finder) reasonOfCondition(c comparison, text *ast.StringNode) {
	base, keys := nodes.ConstantSteps(c.value)
	if _, ok := isNamed(base, "condition"); !ok || len(keys) != 1 || keys[0] != "reason" {
		return
	}
	known := conditionReasons[f.Objects]
	if slices.Contains(known, text.Value) {
		return
	}
	for _, reason := range known {
		short := len(text.Value) > 8 && len(reason)-len(text.Value) < 3 &&
			strings.HasPrefix(reason, text.Value)
		if short || strings.EqualFold(reason, text.Value) || OneLetter(reason, text.Value) {
			f.doubt(text, text, quoted(reason), "the reason of a condition is probably never %q",
				text.Value)
			return
		}
	}
}

// moreKinds are kinds of subjects and of what they are bound to.
var moreKinds = []string{"User", "Group", "Role", "ClusterRole"}

// kindOf warns about the kind of another object that is written in small letters, or owns none of
// the objects.
func (f *finder) kindOf(c comparison, text *ast.StringNode) {
	base, keys := nodes.ConstantSteps(c.value)
	_, item := base.(*ast.PointerNode)
	if f.Objects == "" || last(c.value) != "kind" || !item && len(ofObject(c.value)) < 2 {
		return
	}
	if len(keys) == 4 && keys[1] == "ownerReferences" {
		if between := owners[f.Objects][text.Value]; between != "" {
			f.doubt(text, text, quoted(between), "a %s of a %s is owned by a %[3]s, and that by the %[2]s",
				f.Objects, text.Value, between)
		}
	}
	for _, kind := range slices.Concat(kinds, moreKinds) {
		if strings.EqualFold(kind, text.Value) && kind != text.Value {
			f.doubt(text, text, quoted(kind), "a kind is never %q", text.Value)
		}
	}
}

// groups are the API groups of kinds that are in one alone.
var groups = map[string]string{"Pod": "", "Node": "", "Service": "", "ConfigMap": "", "Secret": "",
	"Namespace": "", "PersistentVolume": "", "PersistentVolumeClaim": "", "ServiceAccount": "",
	"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps",
	"Job": "batch", "CronJob": "batch", "NetworkPolicy": "networking.k8s.io"}

func (f *finder) apiVersion(text *ast.StringNode) {
	group, known := groups[f.Objects]
	of, _, grouped := strings.Cut(text.Value, "/")
	if !grouped {
		of = ""
	}
	if !known || of == group {
		return
	}
	write := quoted("v1")
	if group != "" {
		write = quoted(group + "/v1")
	}
	f.doubt(text, text, write, "the apiVersion of a %s is never %q", f.Objects, text.Value)
}

// unreplaced is a value of Helm, or a variable of a shell or a Pod.
var unreplaced = regexp.MustCompile(
	`\{\{.*[.$](Release|Values|Chart|Capabilities)\b.*\}\}|^\$(\{[A-Z_]+\}|\([A-Z_]+\))$`)

var capital = regexp.MustCompile(`[A-Z]`)

// nameWithCapitals warns about a namespace, or the name of an object of a known kind, that
// Kubernetes would not accept.
func (f *finder) nameWithCapitals(c comparison, text *ast.StringNode) {
	keys := ofObject(c.value)
	if len(keys) != 2 || keys[0] != "metadata" || !capital.MatchString(text.Value) ||
		slices.Contains(absent, text.Value) {
		return
	}
	if keys[1] != "namespace" && (keys[1] != "name" || !slices.Contains(kinds, f.Objects)) {
		return
	}
	if unreplaced.MatchString(text.Value) {
		f.doubt(text, text, "",
			"templates and variables are not replaced in an expression, so this is never %q: render the file first",
			text.Value)
	} else {
		f.doubt(text, text, quoted(strings.ToLower(text.Value)),
			"a %s has no capital letters, so it is never %q", keys[1], text.Value)
	}
}

// wholeNumber is a number that is not a year or a date.
var wholeNumber = regexp.MustCompile(`^\d{1,3}$`)

// numberInText warns about a label or an annotation that is ordered with a number in quotes.
func (f *finder) numberInText(c comparison, text *ast.StringNode) {
	key, _ := f.labelKey(c.value)
	if key == "" || c.operator == "==" || c.operator == "!=" || !wholeNumber.MatchString(text.Value) {
		return
	}
	number, err := strconv.Atoi(text.Value)
	if err != nil {
		return
	}
	write := "int(" + f.text(c.value) + ") " + c.operator + " " + strconv.Itoa(number)
	f.doubt(text, c.whole, write, `texts are ordered by their letters, so "10" is less than "9"`)
}

// tagFirst warns about the end of an image that is written in the wrong order.
func (f *finder) tagFirst(n *ast.BinaryNode) {
	text, ok := n.Right.(*ast.StringNode)
	if ok && n.Operator == "endsWith" && last(n.Left) == "image" && len(text.Value) > 1 &&
		strings.HasSuffix(text.Value, ":") {
		f.doubt(text, text, quoted(":"+strings.TrimSuffix(text.Value, ":")),
			"no image ends with a colon")
	}
}

// shellNames are variables of shells and templates for what is known of an object.
var shellNames = regexp.MustCompile(
	`\$(name|namespace|ns|pod|node|phase|kind|image|object|status|reason|op|cluster)\b`)

// shellVariable warns about a text with a variable that is not replaced.
func (f *finder) shellVariable(text *ast.StringNode) {
	found := shellNames.FindStringSubmatch(text.Value)
	if found == nil || nothing[f.Kind] == "" || f.Kind == lang.KindData { // GraphQL has $name

		return
	}
	by := map[string]string{"name": "object.metadata.name", "namespace": "object.metadata.namespace",
		"ns": "object.metadata.namespace", "pod": "object.metadata.name",
		"phase": "object.status.phase", "kind": "object.kind"}[found[1]]
	if by == "" {
		by = "object.metadata.name"
	}
	f.doubt(text, text, "", `a text has no variables, and %s stays as it is; join texts and values, as in "…" + %s`,
		found[0], by)
}
