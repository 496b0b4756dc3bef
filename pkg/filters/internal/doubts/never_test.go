package doubts_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// A text that a value never is, is warned of with the one that it can be.
func TestTextsThatNeverOccur(t *testing.T) {
	for _, tt := range []struct{ objects, text, fixed string }{
		{"Pod", `any(object.status.conditions, .type == "Ready" && .status == "false")`,
			`any(object.status.conditions, .type == "Ready" && .status == "False")`},
		{"Pod", `find(object.status.conditions, .type == "Ready").status != "true"`,
			`find(object.status.conditions, .type == "Ready").status != "True"`},
		{"Pod", `object.status.conditions[0].status == "UNKNOWN"`,
			`object.status.conditions[0].status == "Unknown"`},
		{"Pod", `object.apiVersion == "apps/v1"`, `object.apiVersion == "v1"`},
		{"Deployment", `object.apiVersion == "v1"`, `object.apiVersion == "apps/v1"`},
		{"Event", `object.involvedObject.kind == "pod"`, `object.involvedObject.kind == "Pod"`},
		{"RoleBinding", `any(object.subjects, .kind == "user")`,
			`any(object.subjects, .kind == "User")`},
		{"Pod", `object.metadata.ownerReferences[0].kind == "Deployment"`,
			`object.metadata.ownerReferences[0].kind == "ReplicaSet"`},
		{"Deployment", `condition("Progressing").reason == "ProgressDeadlineExceed"`,
			`condition("Progressing").reason == "ProgressDeadlineExceeded"`},
		{"Pod", `condition("Ready").reason == "ContainersNotready"`,
			`condition("Ready").reason == "ContainersNotReady"`},
		{"Service", `object.spec.clusterIP == "none"`, `object.spec.clusterIP == "None"`},
		{"", `object.metadata.namespace == "Shop"`, `object.metadata.namespace == "shop"`},
		{"Pod", `object.metadata.name != "Web"`, `object.metadata.name != "web"`},
		{"Pod", `lower(object.status.phase) == "Pending"`, `lower(object.status.phase) == "pending"`},
		{"Pod", `annotation("budget") > "5"`, `int(annotation("budget")) > 5`},
		{"Pod", `any(object.spec.containers, .image == "latest")`,
			`any(object.spec.containers, image(.image).tag == "latest")`},
		{"Pod", `any(object.spec.containers, .image endsWith "latest:")`,
			`any(object.spec.containers, .image endsWith ":latest")`},
		{"Node", `object.status.conditions[0].type == "ready"`,
			`object.status.conditions[0].type == "Ready"`},
		// what may be
		{"Pod", `any(object.status.conditions, .type == "Ready" && .status == "False")`, ""},
		{"Pod", `any(object.spec.items, .status == "false")`, ""},
		{"Deployment", `object.apiVersion == "apps/v1beta2"`, ""},
		{"", `object.apiVersion == "apps/v1"`, ""},
		{"", `any(object.subjects, .kind == "user")`, ""},
		{"Event", `object.involvedObject.kind == "my"`, ""},
		{"ClusterRole", `object.metadata.name == "Admin"`, ""},
		{"Deployment", `condition("Progressing").reason == "Custom"`, ""},
		{"Job", `object.metadata.ownerReferences[0].kind == "CronJob"`, ""},
		{"Pod", `lower(object.status.phase) == "pending"`, ""},
		{"Pod", `annotation("since") > "2026"`, ""},
		{"Pod", `annotation("budget") == "5" && int(annotation("budget")) > 5`, ""},
		{"Pod", `any(object.spec.containers, .image endsWith ":latest")`, ""},
	} {
		f, err := filters.Compile(lang.Expression{Text: tt.text, Objects: tt.objects})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		got := ""
		for _, w := range f.Warnings() {
			fixed, _ := w.Fixed()
			got += fixed
		}
		if got != tt.fixed {
			t.Errorf("%s: %s\ngot  %s\nwant %s\n%v", tt.objects, tt.text, got, tt.fixed, f.Warnings())
		}
	}
}

// Variables of shells stay in a text, which is not said of what has others: GraphQL in data.
func TestShellVariables(t *testing.T) {
	for _, tt := range []struct {
		kind lang.Kind
		text string
		want string
	}{
		{lang.KindMessage, `"pod $name is in $phase"`, `a text has no variables, and $name stays as it is; ` +
			`join texts and values, as in "…" + object.metadata.name`},
		{lang.KindMessage, `"costs $5, in $names"`, ""},
		{lang.KindData, `{"query": "query($name: String)"}`, ""},
		{lang.KindDeny, `object.spec.template == "$name"`, ""},
	} {
		if got := warningsOf(t, lang.Expression{Text: tt.text, Kind: tt.kind}); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}
