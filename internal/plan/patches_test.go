package plan

import (
	"strings"
	"testing"

	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// What the API server would refuse or leave out of a patch is warned of, as far as it is constant,
// and what it takes is not.
func TestPatches(t *testing.T) {
	set, err := openapi.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const no, out = ": the API server refuses it", ": the API server leaves it out"
	const status = "the API server leaves status out of a patch: controllers write it, in another way"
	for _, tt := range []struct{ objects, patch, text, want string }{
		{"Pod", "merge", `{metadata: {labels: {seen: true}}}`,
			`metadata.labels.seen is a text, and this is true or false` + no +
				`; write "true" -> {metadata: {labels: {seen: "true"}}}`},
		{"Pod", "apply", `{"metadata": {"labels": {"n": len(object.spec.containers)}}}`,
			`metadata.labels.n is a text, and this is an integer` + no +
				`; write string(len(object.spec.containers)) -> {"metadata": {"labels": {"n": string(len(object.spec.containers))}}}`},
		{"Pod", "merge", `{metadata: {label: {seen: "true"}}}`, `there is no field label in metadata` +
			out + `; write labels -> {metadata: {labels: {seen: "true"}}}`},
		{"Pod", "apply", `{spec: {replica: 3}}`, `there is no field replica in spec` + no},
		{"Deployment", "merge", `{spec: {replicas: "1"}}`,
			`spec.replicas is an integer, and this is a text` + no +
				`; write 1 -> {spec: {replicas: 1}}`},
		{"Deployment", "apply", `op == "add" ? {spec: {paused: "true"}} : {spec: {replicas: [1]}}`,
			"spec.paused is true or false, and this is a text" + no + `; write true -> op == "add" ? {spec: {paused: true}} : {spec: {replicas: [1]}}` +
				"\nspec.replicas is an integer, and this is a list" + no},
		{"Deployment", "merge", `{spec: {template: {spec: {containers: [{name: "a", imagePullPolicy: "always"}]}}}}`,
			`spec.template.spec.containers[].imagePullPolicy is never "always": there are Always, IfNotPresent, Never; write "Always"` +
				` -> {spec: {template: {spec: {containers: [{name: "a", imagePullPolicy: "Always"}]}}}}`},
		{"Deployment", "merge", `{spec: {template: {spec: {tolerations: {key: "a"}}}}}`,
			`spec.template.spec.tolerations is a list, and this is an object` + no},
		{"Pod", "merge", `{status: {phase: "Failed"}}`, status},
		{"Deployment", "apply", `{spec: {foo: 1, replicas: [1]}, status: {x: 1}}`, "there is no field foo in spec" + no +
			"\nspec.replicas is an integer, and this is a list" + no + "\n" + status},
		{"Pod", "merge", `let a = "b"; {metadata: {name: "other", annotations: {a: a}}}`,
			`a patch cannot change metadata.name: the API server refuses it for each object that is not "other"; leave it out`},
		{"Pod", "apply", `object`, `the patch is the whole object, so that informerd sets each of its fields; ` +
			`write only those to change, as in {metadata: {labels: {seen: "true"}}}`},
		{"Pod", "json", `[{op: "set", path: "/metadata/labels/a", value: "b"}]`,
			`there is no op "set" in a JSON patch: there are add, remove, replace, move, copy, test; write "add"` +
				` -> [{op: "add", path: "/metadata/labels/a", value: "b"}]`},
		{"Pod", "json", `[{op: "ad", path: "/metadata/labels/a", value: "b"}]`,
			`there is no op "ad" in a JSON patch: there are add, remove, replace, move, copy, test; write "add"` +
				` -> [{op: "add", path: "/metadata/labels/a", value: "b"}]`},
		{"Pod", "json", `[{path: "/metadata/labels/a", value: "b"}]`,
			`an operation of a JSON patch needs op, as in {op: "add", path: "/metadata/labels/seen", value: "true"}`},
		{"Pod", "json", `[{op: "add", path: "/metadata/labels/a"}, {op: "move", path: "/metadata/labels/a"}]`,
			`the op "add" of a JSON patch needs value` + "\n" +
				`the op "move" of a JSON patch needs from`},
		{"Pod", "json", `[{op: "remove", path: "metadata.labels.a"}]`,
			`a path of a JSON patch begins with / and has / between its parts; write "/metadata/labels/a"` +
				` -> [{op: "remove", path: "/metadata/labels/a"}]`},
		{"Pod", "json", `[{op: "add", path: "/metadata/labels/example.com/a", value: "b"}]`,
			`metadata.labels.example.com is a text and has nothing below it: a / in a key is written ~1; write "/metadata/labels/example.com~1a"` +
				` -> [{op: "add", path: "/metadata/labels/example.com~1a", value: "b"}]`},
		{"Pod", "json", `[{op: "add", path: "/metadata/lables/a", value: "b"}]`,
			`there is no field lables in metadata` + no + `; write "/metadata/labels/a"` +
				` -> [{op: "add", path: "/metadata/labels/a", value: "b"}]`},
		{"Deployment", "json", `[{op: "add", path: "/spec/replica", value: 1}]`,
			`there is no field replica in spec` + out + `; write "/spec/replicas"` +
				` -> [{op: "add", path: "/spec/replicas", value: 1}]`},
		{"Deployment", "json", `[{op: "replace", path: "/spec/replicas", value: "1"}]`,
			`spec.replicas is an integer, and this is a text` + no + `; write 1` +
				` -> [{op: "replace", path: "/spec/replicas", value: 1}]`},
		{"Deployment", "json", `[{op: "replace", path: "/status/replicas", value: 1}]`, status},
		{"Deployment", "json", `[{op: "add", path: "/spec/template/spec/containers/0/env/-", value: {name: "a", value: 1}}]`,
			`spec.template.spec.containers.0.env.-.value is a text, and this is an integer` + no + `; write "1"` +
				` -> [{op: "add", path: "/spec/template/spec/containers/0/env/-", value: {name: "a", value: "1"}}]`},

		// What is right, or not known.
		{"Pod", "merge", `{metadata: {labels: {a: nil, b: "c", d: string(1)}, annotations: {"x/y": object.metadata.name}}}`, ""},
		{"Pod", "apply", `{metadata: {name: object.metadata.name, labels: {a: label("b")}}}`, ""},
		{"Pod", "merge", `{spec: {activeDeadlineSeconds: object.spec.priority}}`, ""},
		{"Deployment", "merge", `{spec: {replicas: 3, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: "25%"}}}}`, ""},
		{"Deployment", "apply", `{spec: {template: {spec: {containers: [{name: "a", resources: {limits: {cpu: 1, memory: "1Gi"}}}]}}}}`, ""},
		{"ConfigMap", "merge", `{data: {a: "b"}, immutable: true}`, ""},
		{"Pod", "json", `[{op: "add", path: "/metadata/annotations/a~1b", value: "c"}, {op: "test", path: "/spec/nodeName", value: nil}, {op: "remove", path: "/metadata/finalizers/0"}]`, ""},
		{"Pod", "json", `map(keys(object.metadata.labels ?? {}), ({op: "remove", path: "/metadata/labels/" + #}))`, ""},
		{"", "merge", `{spec: {anything: 1}, status: {}}`, ""},
		{"Pod", "", `{metadata: {labels: {seen: true}}, status: {phase: "Failed"}}`, ""},
	} {
		x := filters.Expression{Text: tt.text, Objects: tt.objects, Patch: tt.patch,
			Kind: filters.KindData, Schema: &filters.Schema{Open: true, Type: "object"}}
		if tt.objects != "" {
			plural := map[string]string{"Deployment": "deployments.apps", "Pod": "pods",
				"ConfigMap": "configmaps"}
			if x.Schema, _ = set.Lookup(plural[tt.objects]); x.Schema == nil {
				t.Fatal(tt.objects)
			}
		}
		if got := patchWarnings(t, x); got != tt.want {
			t.Errorf("%s, %s: %s\ngot  %s\nwant %s", tt.objects, tt.patch, tt.text, got, tt.want)
		}
	}
}

// patchWarnings returns the warnings about an expression, each with the text that it proposes.
func patchWarnings(t *testing.T, x filters.Expression) string {
	t.Helper()
	f, err := filters.Compile(x)
	if err != nil {
		t.Errorf("%s: %v", x.Text, err)
		return ""
	}
	var all []string
	for _, w := range f.Warnings() {
		message := w.Message
		if fixed, ok := w.Fixed(); ok {
			message += " -> " + fixed
		}
		all = append(all, message)
	}
	return strings.Join(all, "\n")
}
