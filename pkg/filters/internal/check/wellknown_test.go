package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

func warningsOf(t *testing.T, source lang.Expression) string {
	t.Helper()
	f, err := filters.Compile(source)
	if err != nil {
		t.Errorf("%s: %v", source.Text, err)
		return ""
	}
	var all []string
	for _, w := range f.Warnings() {
		all = append(all, w.Message)
	}
	return strings.Join(all, "\n")
}

// What is nearly a value that Kubernetes has, or is nearly never meant, is warned of; what may be
// meant is not.
func TestWellKnownValues(t *testing.T) {
	text := typed("string")
	reason := objectOf(map[string]*lang.Schema{"reason": text})
	pod := objectOf(map[string]*lang.Schema{
		"type": text, "kind": text, "apiVersion": text, "metadata": objectOf(map[string]*lang.Schema{
			"name": text, "resourceVersion": text,
			"ownerReferences": listOf(objectOf(map[string]*lang.Schema{"kind": text}))}),
		"status": objectOf(map[string]*lang.Schema{"reason": text,
			"conditions": listOf(objectOf(map[string]*lang.Schema{"type": text})),
			"containerStatuses": listOf(objectOf(map[string]*lang.Schema{
				"state": objectOf(map[string]*lang.Schema{"waiting": reason, "terminated": reason}),
			}))}),
	})
	event := objectOf(map[string]*lang.Schema{"type": text, "involvedObject": typed("object")})
	const states = `any(object.status.containerStatuses, .state.`
	for _, tt := range []struct {
		schema       *lang.Schema
		filter, want string
	}{
		{event, `object.type == "warning"`, `object.type is probably never "warning"; did you mean "Warning"?`},
		{event, `"Waring" != object.type`, `object.type is probably never "Waring"; did you mean "Warning"?`},
		{event, `object.type in ["Normal", "WARNING"]`, `object.type is probably never "WARNING"; did you mean "Warning"?`},
		{event, `object.type == "Warning" || object.type == ""`, ""},
		{event, `object.type == "Error"`, `object.type is probably never "Error"; did you mean "Warning"?`},
		{event, `object.type != "Deleted"`, `object.type is probably never "Deleted"; an Event has Normal or Warning`},
		{pod, `object.type == "warning"`, ""},
		{pod, `object.kind == "pod"`, `object.kind is probably never "pod"; did you mean "Pod"?`},
		{pod, `object.kind == "Pods" || object.kind == "Widget" || object.kind == "Pod"`, ""},
		{pod, `any(object.metadata.ownerReferences, .kind == "Replicaset")`,
			`object.metadata.ownerReferences[*].kind is probably never "Replicaset"; did you mean "ReplicaSet"?`},
		{nil, `owner("Replicaset") != nil`,
			`the kind of an owner is probably never "Replicaset"; did you mean "ReplicaSet"?`},
		{nil, `owner("ReplicaSet") != nil || owner("ReplicaSets") != nil || owner("Foo") != nil`, ""},
		{nil, `condition("ready").status == "True"`,
			`the type of a condition is probably never "ready"; did you mean "Ready"?`},
		{nil, `condition("Ready") == nil || condition("Readi") == nil || condition("Completed") != nil`, ""},
		{pod, `any(object.status.conditions, .type == "podScheduled")`,
			`object.status.conditions[*].type is probably never "podScheduled"; did you mean "PodScheduled"?`},
		{pod, states + `waiting.reason == "CrashloopBackOff")`,
			`object.status.containerStatuses[*].state.waiting.reason is probably never "CrashloopBackOff"; did you mean "CrashLoopBackOff"?`},
		{pod, states + `waiting.reason == "CrashLoopBackoff" || .state.waiting.reason in ["ErrImagePull", "Other"])`,
			`object.status.containerStatuses[*].state.waiting.reason is probably never "CrashLoopBackoff"; did you mean "CrashLoopBackOff"?`},
		{pod, states + `terminated.reason == "OOMKiled")`,
			`object.status.containerStatuses[*].state.terminated.reason is probably never "OOMKiled"; did you mean "OOMKilled"?`},
		{pod, states + `terminated.reason != "Complete" || .state.terminated.reason contains "oom")`,
			`object.status.containerStatuses[*].state.terminated.reason is probably never "Complete"; did you mean "Completed"?`},
		{pod, states + `waiting.reason == "OOMKilled")`,
			`object.status.containerStatuses[*].state.waiting.reason is probably never "OOMKilled"; ask .lastState.terminated.reason`},
		{pod, states + `terminated.reason == "ImagePullBackOff")`,
			`object.status.containerStatuses[*].state.terminated.reason is probably never "ImagePullBackOff"; ask .state.waiting.reason`},
		{pod, `any(object.status.containerStatuses, .state.terminated.reason == "OOMKill")`,
			`object.status.containerStatuses[*].state.terminated.reason is probably never "OOMKill"; did you mean "OOMKilled"?`},
		{pod, `object.status.reason == "crashloopbackoff"`, ""},

		{nil, `glob(object.metadata.name, "web-*")`,
			`glob takes the pattern first; write glob("web-*", object.metadata.name)`},
		{nil, `glob(object.metadata.name, "web") || glob(object.x, object.y) || glob("*", object.x)`, ""},
		{nil, `image(object.x).tag > "1.9"`,
			`image(object.x).tag is compared with "1.9" as text, letter by letter, in which 1.10 comes before 1.9; write semver(image(object.x).tag)`},
		{nil, `any(object.x, "v2" <= image(.image)?.tag)`,
			`image(.image)?.tag is compared with "v2" as text, letter by letter, in which 1.10 comes before 1.9; write semver(image(.image)?.tag)`},
		{nil, `semver(image(object.x).tag) > "1.9" && image(object.x).tag == "1.9"`, ""},
		{nil, `image(object.x).tag > "a" && image(object.x).name > "1"`, ""},
		{pod, `changed("metadata")`,
			`metadata differs in nearly every update, so this says nothing; name the fields that matter, such as spec or metadata.labels`},
		{pod, `changed("status", "metadata.resourceVersion")`,
			`metadata.resourceVersion differs in nearly every update, so this says nothing; name the fields that matter, such as spec or metadata.labels`},
		{pod, `changed("metadata.name", "status")`, ""},
	} {
		got := warningsOf(t, lang.Expression{Text: tt.filter, Schema: tt.schema})
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.filter, got, tt.want)
		}
	}
}

// A message that is joined from a label is warned of, unless the label is known to be there.
func TestMessagesOfMissingLabels(t *testing.T) {
	const team = `without the label the whole message is nil, and the rule's name is reported; write (label("team") ?? "none")`
	for _, tt := range []struct {
		message, given, want string
		kind                 lang.Kind
	}{
		{message: `"team " + label("team")`, want: team},
		{message: `label("team") + ": " + object.metadata.name`, want: team},
		{message: `object.x == 1 ? "a" : "team " + label("team")`, want: team},
		{message: `"a " + annotation("b")`,
			want: `without the annotation the whole message is nil, and the rule's name is reported; write (annotation("b") ?? "none")`},
		{message: `"team " + (label("team") ?? "none")`},
		{message: `"team " + string(label("team"))`},
		{message: `label("team") == nil ? "none" : "team " + label("team")`},
		{message: `"team " + label("team")`, given: `label("team") != nil`},
		{message: `"team " + label("team")`, given: `object.metadata.labels.team == "a"`},
		{message: `label("team")`}, // there is nothing else to report
		{message: `"on " + object.spec.nodeName`},
		{message: `"team " + label("team") == "x"`, kind: lang.KindFilter},
	} {
		source := lang.Expression{Text: tt.message, Kind: lang.KindMessage,
			Given: []string{tt.given}}
		if strings.Contains(tt.message, `== "x"`) {
			source.Kind = tt.kind
		}
		if got := warningsOf(t, source); got != tt.want {
			t.Errorf("%s, given %s\ngot  %s\nwant %s", tt.message, tt.given, got, tt.want)
		}
	}
}
