package apply

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// live is an object as a server has it after kubectl apply of applied, with what it and a
// controller have set.
func live(t *testing.T, object, applied string) []byte {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal([]byte(object), &o); err != nil {
		t.Fatal(err)
	}
	if applied != "" {
		text, err := yaml.ToJSON([]byte(applied))
		if err != nil {
			t.Fatal(err)
		}
		o["metadata"].(map[string]any)["annotations"] = map[string]any{lastApplied: string(text)}
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const (
	deployed = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u1, resourceVersion: "7", generation: 3}
spec:
  replicas: 5
  revisionHistoryLimit: 10
  paused: true
  template:
    metadata: {labels: {app: web}}
    spec:
      restartPolicy: Always
      containers:
        - {name: web, image: "nginx:1.16", imagePullPolicy: IfNotPresent, args: [a]}
        - {name: injected, image: envoy}
status: {availableReplicas: 5}
`
	applied = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, annotations: {}, creationTimestamp: null}
spec:
  paused: true
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.16", args: [a]}]}
`
	created = applied + "status: {}\n"
	widget  = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, uid: u1, generation: 41}
spec: {a: 1, b: {c: 2, d: 3}, list: [1, 2]}
status: {ready: true}
`
)

// The merge is that of kubectl's documentation: what is written is set, what was applied before and
// is not written any more is removed, and the rest stays. The want is YAML, without the annotation
// of kubectl.
func TestMerge(t *testing.T) {
	for name, c := range map[string]struct {
		live, applied, written string
		want                   string // "" if nothing differs
	}{
		"the same again":          {deployed, applied, applied, ""},
		"the same, never applied": {deployed, "", applied, ""},
		"with a status, and what the server writes": {deployed, "", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u2, resourceVersion: "1", generation: 1, creationTimestamp: null}
spec: {replicas: 5}
status: {availableReplicas: 0}
`, ""},
		"a container's image, and a field that is written no more": {deployed, applied, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web, tier: front}}
    spec: {containers: [{name: web, image: "nginx:1.17"}]}
`, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u1, resourceVersion: "7", generation: 4}
spec:
  replicas: 5
  revisionHistoryLimit: 10
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      restartPolicy: Always
      containers:
        - {name: web, image: "nginx:1.17", imagePullPolicy: IfNotPresent}
        - {name: injected, image: envoy}
status: {availableReplicas: 5}
`},
		"a label alone is no generation": {deployed, "", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {a: b}}
`, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u1, resourceVersion: "7", generation: 3, labels: {a: b}}
` + deployed[len("\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, uid: u1, resourceVersion: \"7\", generation: 3}\n"):]},
		"another kind": {widget, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {b: {c: 2, d: 3}}", `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {b: {c: 4}, list: [3]}
`, `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, uid: u1, generation: 42}
spec: {a: 1, b: {c: 4}, list: [3]}
status: {ready: true}
`},
		"another kind, the same":                       {widget, "", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {b: {c: 2}}", ""},
		"as kubectl create --dry-run writes it, again": {deployed, created, created, ""},
		"quantities and empty texts": {`
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  priority: 0
  containers:
    - name: web
      env: [{name: A}]
      resources: {limits: {cpu: 100m, memory: 1Gi}, requests: {cpu: "1"}}
`, "", `
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {}, creationTimestamp: null}
spec:
  priority: 0
  hostNetwork: false
  nodeSelector: {}
  containers:
    - name: web
      env: [{name: A, value: ""}]
      stdin: false
      ports: []
      resources: {limits: {cpu: 0.1, memory: 1024Mi}, requests: {cpu: 1}}
`, ""},
		"what is set to nothing, over what somebody else has set": {`
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {team: x, app: web}}
spec:
  hostNetwork: true
  terminationGracePeriodSeconds: 5
  nodeSelector: {a: b}
  containers: [{name: web, env: [{name: A, value: x}]}]
`, "", `
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {team: null}}
spec:
  hostNetwork: false
  terminationGracePeriodSeconds: 0
  nodeSelector: null
  containers: [{name: web, env: [{name: A, value: ""}]}]
`, `
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: web, env: [{name: A}]}]
`},
		"the texts of a Secret": {`
apiVersion: v1
kind: Secret
metadata: {name: s}
data: {password: aHVudGVyMg==, user: Ym9i}
type: Opaque
`, "", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}", ""},
	} {
		written, err := yaml.ToJSON([]byte(c.written))
		if err != nil {
			t.Fatal(err)
		}
		is := live(t, c.live, c.applied)
		got, differs, err := Merge(is, written)
		if err != nil || differs != (c.want != "") || !differs && string(got) != string(is) {
			t.Errorf("%s: %t, %v\n%s", name, differs, err, got)
			continue
		}
		if !differs {
			continue
		}
		want, err := decode(live(t, c.want, ""))
		if err != nil {
			t.Fatal(err)
		}
		object, err := decode(got)
		if err != nil {
			t.Fatal(err)
		}
		delete(mapIn(object, "metadata"), "annotations")
		if !reflect.DeepEqual(normal(t, object), normal(t, want)) {
			t.Errorf("%s:\n%s\nwant\n%s", name, normal(t, object), normal(t, want))
		}
	}
}

func normal(t *testing.T, object any) string {
	t.Helper()
	text, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is no object is an error, and no panic; odd values are merged somehow.
func TestMergeOfOddObjects(t *testing.T) {
	for _, written := range []string{"", "null", "[]", "1", "{", `"a"`} {
		if _, _, err := Merge([]byte(widget), []byte(written)); err == nil {
			t.Errorf("%q is merged", written)
		}
	}
	is := live(t, deployed, applied)
	for _, written := range []string{`{}`, `{"metadata":1}`, `{"metadata":{"annotations":2}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","spec":1}`, `{"kind":"Secret","apiVersion":"v1","stringData":{"a":1},"data":2}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":{"name":"web"}}}}}`} {
		merged, _, err := Merge(is, []byte(written))
		if err == nil && !json.Valid(merged) {
			t.Errorf("%s: %s", written, merged)
		}
	}
}

// The form of a server is one that stays as it is, and what it does not know stays, too.
func TestCanonical(t *testing.T) {
	for _, c := range []struct{ written, want string }{
		{`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"cpu":1,"memory":"1024Mi"}}}]}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}}`},
		{`{"apiVersion":"v1","kind":"Pod","spec":{"volumes":[{"emptyDir":{},"name":"a"}],"typo":3,"nothing":""}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"typo":3,"volumes":[{"emptyDir":{},"name":"a"}]}}`},
		{`{"apiVersion":"v1","kind":"Pod","spec":{"automountServiceAccountToken":false,"containers":[]}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"automountServiceAccountToken":false,"containers":[]}}`},
		{`{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80,"targetPort":"web"}]}}`,
			`{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80,"targetPort":"web"}]}}`},
		{`{"apiVersion":"example.com/v1","kind":"Widget","spec":{"cpu":0.5,"a":""}}`, ""},
		{`{"apiVersion":"v1","kind":"Pod","spec":3}`, ""}, // it cannot be read as a Pod
		{`[]`, ""}, {`null`, ""}, {``, ""}, {`{"kind":1}`, ""},
	} {
		want := c.want
		if want == "" {
			want = c.written
		}
		got := Canonical([]byte(c.written))
		var is, as any
		same := json.Unmarshal(got, &is) == nil && json.Unmarshal([]byte(want), &as) == nil &&
			reflect.DeepEqual(is, as) && string(Canonical(got)) == string(got)
		if !same && string(got) != want {
			t.Errorf("%s: %s, want %s", c.written, got, want)
		}
	}
}

// Fields that a server does not know, and those of another type, are named.
func TestUnknown(t *testing.T) {
	for _, c := range []struct{ object, dropped, refused string }{
		{`{"apiVersion":"v1","kind":"Pod","spec":{"hostNetwrok":true,"containers":[{"imagee":"a"}]}}`, "spec.containers[0].imagee spec.hostNetwrok", ""},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"team":7}}}`, "", "cannot unmarshal number"},
		{`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":"1"}}`, "", "cannot unmarshal string"},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"uid":"u"},"spec":{"hostNetwork":true},"status":{}}`, "", ""},
		{`{"apiVersion":"example.com/v1","kind":"Widget","spec":1}`, "", ""},
		{`{"kind":"Pod"}`, "", ""}, {`{}`, "", ""},
	} {
		dropped, refused := Unknown([]byte(c.object))
		slices.Sort(dropped)
		if strings.Join(dropped, " ") != c.dropped || !strings.Contains(refused, c.refused) ||
			c.refused == "" && refused != "" {
			t.Errorf("%s: %q, %q", c.object, dropped, refused)
		}
	}
}
