package doubts_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// warningsOf returns the warnings about an expression, each with the text that it proposes.
func warningsOf(t *testing.T, source lang.Expression) string {
	t.Helper()
	f, err := filters.Compile(source)
	if err != nil {
		t.Errorf("%s: %v", source.Text, err)
		return ""
	}
	var all []string
	for _, w := range f.Warnings() {
		message := w.Message
		if fixed, ok := w.Fixed(); ok {
			message += " -> " + fixed
			again := source
			again.Text = fixed
			after, err := filters.Compile(again)
			if err != nil || len(after.Warnings()) >= len(f.Warnings()) {
				t.Errorf("%s\nis not mended by %s: %v", source.Text, fixed, err)
			}
		}
		all = append(all, message)
	}
	return strings.Join(all, "\n")
}

type doubtCase struct{ objects, text, want string }

func checkCases(t *testing.T, cases []doubtCase) {
	t.Helper()
	for _, tt := range cases {
		got := warningsOf(t, lang.Expression{Text: tt.text, Objects: tt.objects})
		if got != tt.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", tt.objects, tt.text, got, tt.want)
		}
	}
}

// A number that is left out when it is 0 is warned of where the answer would be wrong then, and
// only there.
func TestCountsThatAreLeftOut(t *testing.T) {
	const out = " is left out when it is 0, and then this is "
	checkCases(t, []doubtCase{
		{"Deployment", `object.status.availableReplicas < object.spec.replicas`,
			"availableReplicas" + out + `false; write (object.status.availableReplicas ?? 0) < object.spec.replicas` +
				` -> (object.status.availableReplicas ?? 0) < object.spec.replicas`},
		{"Deployment", `op == "update" && object.spec.replicas > object.status.readyReplicas`,
			"readyReplicas" + out + `false; write object.spec.replicas > (object.status.readyReplicas ?? 0)` +
				` -> op == "update" && object.spec.replicas > (object.status.readyReplicas ?? 0)`},
		{"DaemonSet", `became(object.status.numberUnavailable == 0)`,
			"numberUnavailable" + out + `false; write (object.status.numberUnavailable ?? 0) == 0` +
				` -> became((object.status.numberUnavailable ?? 0) == 0)`},
		{"Job", `object.status.failed != 0`,
			"failed" + out + `true; write (object.status.failed ?? 0) != 0 -> (object.status.failed ?? 0) != 0`},
		{"StatefulSet", `object.status.readyReplicas <= 0`,
			"readyReplicas" + out + `false; write (object.status.readyReplicas ?? 0) <= 0` +
				` -> (object.status.readyReplicas ?? 0) <= 0`},
		{"Deployment", `object.spec.replicas - object.status.readyReplicas > 1`,
			`readyReplicas is left out when it is 0, and then all of this is nil; write (object.status.readyReplicas ?? 0)` +
				` -> object.spec.replicas - (object.status.readyReplicas ?? 0) > 1`},
		{"Job", `string(object.status.failed) == "3"`,
			`failed is left out when it is 0, and then all of this is nil; write object.status.failed ?? 0` +
				` -> string(object.status.failed ?? 0) == "3"`},
		{"Job", `object.status.failed > 2 && string(object.status.failed) == "3"`, ""},
		// false is the right answer about 0
		{"Deployment", `object.status.readyReplicas > 0 && object.status.readyReplicas >= 1`, ""},
		{"Deployment", `object.status.readyReplicas == 3 || object.status.readyReplicas != 3`, ""},
		{"Deployment", `0 < object.status.readyReplicas || object.status.readyReplicas < 0`, ""},
		{"Deployment", `object.status.readyReplicas > object.spec.replicas`, ""},
		// the other number is left out as well
		{"Deployment", `object.status.updatedReplicas < object.status.replicas`, ""},
		// its author knows
		{"Deployment", `(object.status.readyReplicas ?? 0) == 0`, ""},
		{"Deployment", `object.status.readyReplicas == nil || object.status.readyReplicas < 2`, ""},
		// these are always there
		{"StatefulSet", `object.status.availableReplicas == 0 || object.status.replicas == 0`, ""},
		{"DaemonSet", `object.status.numberReady < object.status.desiredNumberScheduled`, ""},
		{"Deployment", `object.spec.replicas == 0`, ""},
		{"", `object.status.readyReplicas == 0`, ""},
	})
}

func TestConditionsThatAKindDoesNotHave(t *testing.T) {
	const ofDeployments = `; it has Available, Progressing, ReplicaFailure`
	checkCases(t, []doubtCase{
		{"Deployment", `condition("Ready").status == "True"`,
			`a Deployment has no condition "Ready"` + ofDeployments},
		{"Deployment", `condition("avaliable") != nil`, `a Deployment has no condition "avaliable"` +
			ofDeployments + `; write "Available" -> condition("Available") != nil`},
		{"Job", `any(object.status.conditions, .type == "Completed" && .status == "True")`,
			`a Job has no condition "Completed"; it has Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet; write "Complete"` +
				` -> any(object.status.conditions, .type == "Complete" && .status == "True")`},
		{"StatefulSet", `condition("Ready").status == "True"`,
			`a StatefulSet has no condition "Ready"; ask (object.status.readyReplicas ?? 0) == object.spec.replicas`},
		{"Pod", `condition("Running").status == "True"`,
			`a Pod has no condition "Running"; ask for its phase: object.status.phase == "Running"`},
		{"Node", `condition("ready").status == "True"`,
			`a Node has no condition "ready"; it has Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable; write "Ready"` +
				` -> condition("Ready").status == "True"`},
		// anybody may add some
		{"Pod", `condition("example.com/gate").status == "True" && condition("Custom") != nil`, ""},
		{"Node", `condition("KernelDeadlock").status == "True"`, ""},
		{"Deployment", `condition("example.com/Ready") == nil || condition("Available") == nil`, ""},
		{"", `condition("Synced").status == "True" && condition("Ready").status == "True"`, ""},
		{"Service", `condition("Ready").status == "True"`, ""},
		{"Deployment", `any(object.spec.x, .type == "Ready")`, ""},
	})
}

func TestKindsAndOwners(t *testing.T) {
	checkCases(t, []doubtCase{
		{"Pod", `object.kind == "Deployment"`,
			`this is never true: the objects are of the kind Pod`},
		{"Pod", `object.kind != "Job"`, `this is always true: the objects are of the kind Pod`},
		{"Pod", `owner("Deployment") != nil`,
			`a Pod of a Deployment is owned by a ReplicaSet, and that by the Deployment; write "ReplicaSet" -> owner("ReplicaSet") != nil`},
		{"Pod", `object.kind == "Pod" && owner("ReplicaSet") != nil && owner("Rollout") != nil`, ""},
		{"ReplicaSet", `owner("Deployment") != nil`, ""},
		{"", `object.kind == "Deployment" && owner("Deployment") != nil`, ""},
	})
}

func TestMissingIsNotEmpty(t *testing.T) {
	checkCases(t, []doubtCase{
		{"", `object.metadata.deletionTimestamp != ""`,
			`a missing deletionTimestamp is nil, not "", and then this is true; write object.metadata.deletionTimestamp != nil` +
				` -> object.metadata.deletionTimestamp != nil`},
		{"Pod", `object.spec.nodeName == ""`,
			`a missing nodeName is nil, not "", and then this is false; write object.spec.nodeName == nil` +
				` -> object.spec.nodeName == nil`},
		{"", `label("team") == ""`,
			`a missing label is nil, not "", and then this is false; write (label("team") ?? "") == ""` +
				` -> (label("team") ?? "") == ""`},
		{"", `object.metadata.labels["a"] != ""`,
			`a missing label is nil, not "", and then this is true; write (object.metadata.labels["a"] ?? "") != ""` +
				` -> (object.metadata.labels["a"] ?? "") != ""`},
		{"", `object.metadata.finalizers == []`,
			`what is empty is usually missing, and nil differs from []; write len(object.metadata.finalizers) == 0` +
				` -> len(object.metadata.finalizers) == 0`},
		{"", `object.metadata.labels != {}`,
			`what is empty is usually missing, and nil differs from {}; write len(object.metadata.labels) > 0` +
				` -> len(object.metadata.labels) > 0`},
		{"", `label("team") != nil && label("team") != ""`, ""},
		{"", `"team" in object.metadata.labels && object.metadata.labels.team == ""`, ""},
		{"Node", `label("node-role.kubernetes.io/control-plane") == ""`, ""}, // a label with no value
		{"", `object.spec.nodeName == "" || object.spec.list == [1]`, ""},
		{"PersistentVolumeClaim", `object.spec.storageClassName == ""`, ""}, // it has a meaning
		{"", `label("app=web") != nil`, `no label has a key with =; write label("app") == "web"`},
	})
}

func TestWildcards(t *testing.T) {
	const exact = ` compares the text as it is, with its *; write `
	checkCases(t, []doubtCase{
		{"", `object.metadata.name == "web-*"`, "==" + exact +
			`glob("web-*", object.metadata.name) -> glob("web-*", object.metadata.name)`},
		{"", `op == "add" && label("app") != "web-*"`, "!=" + exact +
			`!glob("web-*", label("app")) -> op == "add" && !glob("web-*", label("app"))`},
		{"", `object.metadata.namespace in ["a", "team-*"] && initial`, "in" + exact +
			`(object.metadata.namespace == "a" || glob("team-*", object.metadata.namespace))` +
			` -> (object.metadata.namespace == "a" || glob("team-*", object.metadata.namespace)) && initial`},
		{"", `object.metadata.namespace not in ["team-*"]`,
			`in compares the text as it is, with its *`},
		{"Pod", `any(object.spec.containers, .image endsWith "*:latest")`, "endsWith" + exact +
			`":latest" -> any(object.spec.containers, .image endsWith ":latest")`},
		{"", `glob("^web-.*$", object.metadata.name)`,
			`glob knows * and ? alone, and "^web-.*$" is a regular expression; write object.metadata.name matches "^web-.*$"` +
				` -> object.metadata.name matches "^web-.*$"`},
		{"", `object.metadata.name matches "web-*"`,
			`in a regular expression * repeats the - before it; write glob("web-*", object.metadata.name)` +
				` -> glob("web-*", object.metadata.name)`},
		{"", `object.metadata.name matches "^web-.*" || object.x matches "a[0-9]*"`, ""},
		{"", `glob("kube.*", object.metadata.name) || object.spec.host == "*.example.com"`, ""},
		{"ConfigMap", `object.data.name == "a*"`, ""},
		{"Role", `any(object.rules, "*" in .verbs) || object.metadata.name == "*"`, ""},
		{"", `any(object.spec.destinations, .namespace == "team-*")`, ""}, // a pattern of that kind
	})
}

// A text that an output sends is nil without a label that it is joined from.
func TestTextsOfMissingLabels(t *testing.T) {
	for _, tt := range []struct {
		text, given, want string
		kind              lang.Kind
	}{
		{text: `"team " + label("team")`, kind: lang.KindText,
			want: `without the label the whole text is nil; write (label("team") ?? "none") -> "team " + (label("team") ?? "none")`},
		{text: `{"a": label("b"), "c": name + " " + annotation("d")}`, kind: lang.KindData,
			want: `without the annotation the whole text is null; write (annotation("d") ?? "none")` +
				` -> {"a": label("b"), "c": name + " " + (annotation("d") ?? "none")}`},
		{text: `"team " + label("team")`, given: `label("team") != nil`, kind: lang.KindText},
		{text: `("team " + label("team")) ?? "nobody"`, kind: lang.KindText},
		{text: `label("team")`, kind: lang.KindText},
		{text: `age() > annotation("ttl") + duration("1m")`, kind: lang.KindData},
		{text: `"team " + label("team") == "team a"`, kind: lang.KindWhen},
	} {
		got := warningsOf(t, lang.Expression{Text: tt.text, Kind: tt.kind,
			Given: []string{tt.given}})
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// An output of Alertmanager that refuses the ends of violations is warned of.
func TestEndsThatAreRefused(t *testing.T) {
	const refuses = `this refuses the end of each violation, which Alertmanager needs: its alerts would go on for 30 days; leave it out`
	for text, want := range map[string]string{
		`violated`: refuses,
		`severity == "critical" && violated == true`:         refuses,
		`type == "dev.informerd.rule.violated"`:              refuses,
		`type != "dev.informerd.rule.resolved"`:              refuses,
		`violated && rule == "a" || violated && rule == "b"`: refuses,
		`violated || rule == "a"`:                            "",
		`severity == "critical" || !violated`:                "",
		`type == "dev.informerd.rule.resolved"`:              "",
		`violated == (severity == "high")`:                   "",
	} {
		x := lang.Expression{Text: text, Kind: lang.KindWhen, Ends: true}
		if got := warningsOf(t, x); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
		if x.Ends = false; warningsOf(t, x) != "" {
			t.Errorf("%s: other outputs need no ends", text)
		}
	}
}

// What only a report has is warned of where an output gets none.
func TestOutputsWithoutReports(t *testing.T) {
	const never = " is always nil: no listener of this output has rules"
	for _, tt := range []struct {
		text, want string
		kind       lang.Kind
	}{
		{`violated && name == "a"`, "violated" + never, lang.KindWhen},
		{`message contains "a"`, "message" + never, lang.KindWhen},
		{`"it is " + message`, "message" + never, lang.KindText},
		{`message ?? name`, "", lang.KindText},
		{`violated ? message : name`, "", lang.KindText},
		{`!violated || message == nil`, "", lang.KindWhen},
		{`{"text": message}`, "message" + never, lang.KindData},
		{`{"text": message ?? name}`, "", lang.KindData},
	} {
		x := lang.Expression{Text: tt.text, Kind: tt.kind, Texts: map[string][]string{"rule": {}}}
		if got := warningsOf(t, x); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
		if x.Texts["rule"] = []string{"r"}; warningsOf(t, x) != "" {
			t.Errorf("%s: a rule reports", tt.text)
		}
	}
}

// The rule of a report is its name, and not an object.
func TestFieldsOfARule(t *testing.T) {
	for text, want := range map[string]string{"rule.name": "rule", "rule.severity": "severity",
		"rule.message": "message"} {
		for _, texts := range []map[string][]string{nil, {"rule": {"r"}}} {
			_, err := filters.Compile(lang.Expression{Text: text, Kind: lang.KindText,
				Texts: texts})
			all := lang.Mistakes(err)
			if len(all) != 1 {
				t.Fatalf("%s: %v", text, err)
			}
			if fixed, ok := all[0].Fixed(); !ok || fixed != want {
				t.Errorf("%s: %q, want %q: %v", text, fixed, want, err)
			}
		}
	}
}

// A namespace of what has none, a flag that is left out when it is false, and parts of images.
func TestNamespacesFlagsAndImages(t *testing.T) {
	const (
		own   = "a Namespace is in no namespace itself; write object.metadata.name -> "
		none  = "a Node is in no namespace: this is nil"
		flag  = " is left out when it is false, and then this is "
		begin = " true: the name of an image begins with its registry, as in docker.io/library/nginx; write "
	)
	checkCases(t, []doubtCase{
		{"Node", `object.metadata.namespace == "shop"`, none},
		{"Node", `object.metadata.namespace in ["shop"]`, none},
		{"Node", `object.metadata.namespace == nil`, ""},
		{"Namespace", `object.metadata.namespace startsWith "team-"`,
			own + `object.metadata.name startsWith "team-"`},
		{"Pod", `object.metadata.namespace == "shop"`, ""},
		{"", `object.metadata.namespace == "shop"`, ""},
		{"Pod", `object.spec.hostNetwork == false`,
			"hostNetwork" + flag + "false; write (object.spec.hostNetwork ?? false) == false -> (object.spec.hostNetwork ?? false) == false"},
		{"Deployment", `object.spec.paused != false`,
			"paused" + flag + "true; write (object.spec.paused ?? false) != false -> (object.spec.paused ?? false) != false"},
		{"Pod", `object.spec.hostNetwork == true`, ""},
		{"Pod", `(object.spec.hostNetwork ?? false) == false`, ""},
		{"Pod", `object.spec.automountServiceAccountToken == false`, ""}, // it is true by default
		{"Pod", `any(object.spec.containers, image(.image).name == "nginx")`,
			"this is never" + begin + `image(.image).name endsWith "/nginx"` +
				` -> any(object.spec.containers, image(.image).name endsWith "/nginx")`},
		{"Pod", `any(object.spec.containers, image(.image).name != "nginx" && true)`,
			"this is always" + begin + `not (image(.image).name endsWith "/nginx")` +
				` -> any(object.spec.containers, not (image(.image).name endsWith "/nginx") && true)`},
		{"Pod", `any(object.spec.containers, image(.image).name == "docker.io/library/nginx")`, ""},
		{"Pod", `any(object.spec.containers, image(.image).registry == "r.example.com/shop")`,
			`this is never true: a registry is a host, without a path; write "r.example.com"` +
				` -> any(object.spec.containers, image(.image).registry == "r.example.com")`},
		{"Pod", `any(object.spec.containers, image(.image).tag == ":latest")`,
			`this is never true: a tag has no colon; write "latest"` +
				` -> any(object.spec.containers, image(.image).tag == "latest")`},
		{"Pod", `any(object.spec.containers, image(.image).tag == "latest")`, ""},
	})
}
