package doubts_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Reasons, phases and conditions by the words that people have for them.
func TestWordsForReasons(t *testing.T) {
	const (
		never = "the reason of an Event is probably never "
		whole = ` is the reason of a container, and not of a whole pod; write `
		loop  = `any(object.status.containerStatuses, .state.waiting.reason == "CrashLoopBackOff")`
	)
	checkCases(t, []doubtCase{
		{"Event", `object.reason == "CrashLoopBackOff"`,
			never + `"CrashLoopBackOff"; write "BackOff" -> object.reason == "BackOff"`},
		{"Event", `object.reason != "failedscheduling"`,
			never + `"failedscheduling"; write "FailedScheduling" -> object.reason != "FailedScheduling"`},
		{"Event", `object.reason == "OOMKilled"`, never + `"OOMKilled": it is the reason of a container,` +
			" which pods have in .lastState.terminated.reason of their containerStatuses"},
		{"Event", `object.reason in ["BackOff", "Failed", "Killing"]`, ""},
		{"Event", `object.reason == "CertificateExpired"`, ""},
		{"Pod", `object.reason == "CrashLoopBackOff"`, ""},
		{"Pod", `object.status.reason == "CrashLoopBackOff"`,
			`"CrashLoopBackOff"` + whole + loop + " -> " + loop},
		{"Pod", `object.status.reason != "OOMKilled"`, `"OOMKilled"` + whole +
			`not any(object.status.containerStatuses, .lastState.terminated.reason == "OOMKilled") -> ` +
			`not any(object.status.containerStatuses, .lastState.terminated.reason == "OOMKilled")`},
		{"Pod", `object.status.reason == "Evicted"`, ""},
		{"Node", `condition("NotReady").status == "True"`,
			`a Node has no condition "NotReady"; ask condition("Ready").status != "True"`},
		{"Deployment", `condition("Unavailable") != nil`,
			`a Deployment has no condition "Unavailable"; ask condition("Available").status != "True"`},
		{"Pod", `any(object.status.conditions, .type == "NotReady")`,
			`a Pod has no condition "NotReady"; ask condition("Ready").status != "True"`},
		{"Node", `condition("NetworkUnavailable").status == "True"`, ""},
		{"Pod", `condition("Initialized").status == "True"`, ""},
	})
}

// Texts that other tools show for what is missing, networks, and defaults of constants.
func TestTextsThatAreMeantAsOthers(t *testing.T) {
	const network = " compares the text as it is, and \"10.0.0.0/8\" is a network; write "
	checkCases(t, []doubtCase{
		{"Pod", `object.spec.nodeName == "<none>"`, `what is missing is nil here, not the text "<none>"; ` +
			`write object.spec.nodeName == nil -> object.spec.nodeName == nil`},
		{"Pod", `any(object.spec.containers, "null" != .image)`,
			`what is missing is nil here, not the text "null"; write .image != nil -> ` +
				`any(object.spec.containers, .image != nil)`},
		{"Pod", `label("team") == "<none>"`, `what is missing is nil here, not the text "<none>"; ` +
			`write label("team") == nil -> label("team") == nil`},
		{"Service", `object.spec.clusterIP == "None"`, ""},
		{"Pod", `(label("team") ?? "<none>") == "<none>"`, ""},
		{"Pod", `object.status.podIP startsWith "10.0.0.0/8"`, "startsWith" + network +
			`ip(object.status.podIP) in cidr("10.0.0.0/8") -> ip(object.status.podIP) in cidr("10.0.0.0/8")`},
		{"Service", `object.spec.clusterIP != "10.0.0.0/8"`, "!=" + network +
			`ip(object.spec.clusterIP) not in cidr("10.0.0.0/8") -> ` +
			`ip(object.spec.clusterIP) not in cidr("10.0.0.0/8")`},
		{"Node", `object.spec.podCIDR == "10.0.0.0/8"`, ""},
		{"Pod", `object.status.podIP startsWith "10."`, ""},
		{"Pod", `object.spec.priority > 5 ?? 0`, `?? is the default of 5 alone, which is never nil; ` +
			`write (object.spec.priority ?? 0) > 5 -> (object.spec.priority ?? 0) > 5`},
		{"Pod", `object.spec.priority > (object.spec.x ?? 0)`, ""},
	})
}

// Values of Secrets are digests, so that no text is one.
func TestValuesOfSecrets(t *testing.T) {
	const digest = "the values of Secrets are replaced by digests, so they are never "
	checkCases(t, []doubtCase{
		{"Secret", `object.data.password == "hunter2"`, digest + `"hunter2"; ask whether one is there, ` +
			"as in object.data.password != nil, or in a filter whether it changed"},
		{"Secret", `old.data["a.b"] contains "x"`, digest + `"x"; ask whether one is there, ` +
			`as in old.data["a.b"] != nil, or in a filter whether it changed`},
		{"Secret", `object.data.password == ""`, ""},
		{"Secret", `object.data.password == object.data.other || object.type == "Opaque"`, ""},
		{"ConfigMap", `object.data.password == "hunter2"`, ""},
	})
}

// What no handler makes is nil: its fields are often those of the message itself.
func TestDataThatNobodyMakes(t *testing.T) {
	const made = "data is what a handler makes, and no listener of this output has one, so it is nil"
	for text, want := range map[string]string{
		`data.message contains "x"`:              made + `; write message -> message contains "x"`,
		`data.object.metadata.name == "x"`:       made + `; write object.metadata.name -> object.metadata.name == "x"`,
		`data.team == "x"`:                       made,
		`data == nil`:                            "",
		`(data.team ?? "none") == "none"`:        "",
		`object.data.x == "x" || name == "data"`: "",
	} {
		x := lang.Expression{Text: text, Kind: lang.KindWhen, NoData: true}
		if got := warningsOf(t, x); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
		if x.NoData = false; warningsOf(t, x) != "" {
			t.Errorf("%s: a handler makes data", text)
		}
	}
}

// An image without a tag, a length that is missing, and all conditions of one type are hardly
// meant.
func TestWhatIsNeverTrueAsItReads(t *testing.T) {
	const (
		alone  = ` is the image docker.io/library/nginx:latest alone; its name is without a tag; write `
		length = `len is never nil: of what is missing it is 0; write `
		types  = `this asks whether all conditions are of the type "Ready", and there are others; write `
		first  = `image(object.spec.containers[0].image)`
	)
	cases := []doubtCase{
		{"Pod", first + ` != image("nginx")`, ""},
		{"Pod", first + ` == "nginx:latest"`, ""},
		{"Pod", first + ` in ["nginx:1.27", "redis:7"]`, ""},
		{"Pod", first + ` in ["nginx:1.27", "redis"]`, `without a tag, "redis" is the image ` +
			`docker.io/library/redis:latest alone; its name is without a tag`},
		{"Pod", first + ` == "nginx:1.27"`, ""},
		{"Pod", first + ` == "nginx@sha256:` + strings.Repeat("a", 64) + `"`, ""},
		{"Pod", first + `.tag == "nginx"`, ""},
		{"Pod", `len(object.spec.containers) == 0 || object.spec.containers == nil`, ""},
		{"Pod", `all(object.status.conditions, .type != "Ready" || .status == "True")`, ""},
		{"Pod", `all(object.status.conditions, .status == "True")`, ""},
		{"Pod", `all(object.spec.volumes, .type == "Ready")`, ""},
	}
	for text, want := range map[string][2]string{
		first + ` == "nginx"`: {`without a tag, "nginx"` + alone,
			first + `.name == "docker.io/library/nginx"`},
		`"docker.io/library/nginx" != ` + first: {`without a tag, "docker.io/library/nginx"` + alone,
			first + `.name != "docker.io/library/nginx"`},
		first + ` in ["nginx", "redis"]`: {`without a tag, "nginx"` + alone,
			first + `.name in ["docker.io/library/nginx", "docker.io/library/redis"]`},
		`!(` + first + ` not in ["nginx"])`: {`without a tag, "nginx"` + alone,
			first + `.name not in ["docker.io/library/nginx"]`},
		`len(object.spec.containers) == nil`: {length, `len(object.spec.containers) == 0`},
		`nil != len(object.spec.containers)`: {length, `len(object.spec.containers) > 0`},
		`all(object.status.conditions, .type == "Ready" && .status == "True")`: {types,
			`any(object.status.conditions, .type == "Ready" && .status == "True")`},
		`all(object.status.conditions, .status == "True" && "Ready" == .type)`: {types,
			`any(object.status.conditions, .status == "True" && "Ready" == .type)`},
	} {
		fixed := want[1]
		if strings.HasPrefix(text, "!") {
			fixed = "!(" + fixed + ")"
		}
		cases = append(cases, doubtCase{"Pod", text, want[0] + want[1] + " -> " + fixed})
	}
	checkCases(t, cases)
}
