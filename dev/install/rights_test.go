package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// informerd runs the program, and returns what it prints.
func informerd(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t, "informerd"), args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("informerd %q: %v\n%s", args, err, errs.String())
	}
	return out.String()
}

// listenersOf are configurations by what is special about their rights.
var listenersOf = map[string]string{
	"one resource":      "a: {informer: {resource: pods}, outputs: [out]}",
	"a short name":      "a: {informer: {resource: deploy}, outputs: [out]}",
	"a custom resource": "a: {informer: {resource: certificates.cert-manager.io}, outputs: [out]}",
	"a version":         "a: {informer: {resource: certificates.v1.cert-manager.io}, outputs: [out]}",
	"a namespace":       "a: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}",
	"namespaces":        "a: {informer: {resource: pods, namespaces: [shop, lab]}, outputs: [out]}",
	"that of the release": "a: {informer: {resource: pods, namespaces: [informerd]}, outputs: [out]}\n" +
		"  b: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}",
	"one object":     "a: {informer: {resource: configmaps, namespaces: [shop], fieldSelector: metadata.name=tls}, outputs: [out]}",
	"secrets":        "a: {informer: {resource: secrets, allowSecrets: true, namespaces: [shop]}, outputs: [out]}",
	"whole and part": "a: {informer: {resource: pods}, outputs: [out]}\n  b: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}",
	"a lookup":       "a: {informer: {resource: pods}, filter: 'cached(\"nodes\", \"\", object.spec.nodeName) != nil', outputs: [out]}",
	"rules":          "a: {informer: {resource: pods}, rules: [{name: b, deny: object.spec.hostNetwork == true, message: '\"x\"'}], outputs: [out]}",
	"patches":        "a: {informer: {resource: configmaps, namespaces: [shop]}, outputs: [fix]}",
	"patches of all": "a: {informer: {resource: nodes}, outputs: [fix, dry]}",
	"events":         "a: {informer: {resource: pods, namespaces: [shop]}, outputs: [note]}",
	"events of all":  "a: {informer: {resource: nodes}, outputs: [note]}\n  b: {informer: {resource: pods}, outputs: [note]}",
}

// more are the other parts of a configuration that need rights.
var more = map[string]string{
	"leader election":         "leaderElection: {}\n",
	"its namespace":           "leaderElection: {namespace: ha, name: hooks}\n",
	"that of the release too": "leaderElection: {namespace: informerd, name: hooks}\n",
	"the API server's users":  "http: {address: \":8443\", auth: kubernetes}\n",
	"all of it":               "leaderElection: {}\nhttp: {address: \":8443\", auth: kubernetes}\n",
}

// TestRights: what the chart grants is what informerd rbac prints, object by object and right by
// right.
func TestRights(t *testing.T) {
	configurations := map[string]string{}
	write := func(name, head, listeners string) {
		dir := t.TempDir()
		configurations[name] = filepath.Join(dir, "informerd.yaml")
		text := "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" + head + `informers: {nodes: {resource: nodes}}
outputs:
  out: {stdout: {}}
  note: {kubernetesEvent: {}}
  fix: {patch: {type: merge, patch: '{"metadata": {"labels": {"a": "b"}}}'}}
  dry: {patch: {type: merge, patch: '{"metadata": {"labels": {"a": "b"}}}', dryRun: true}}
listeners:
  ` + listeners + "\n"
		if err := os.WriteFile(configurations[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, listeners := range listenersOf {
		write(name, "", listeners)
	}
	for name, head := range more {
		write(name, head, listenersOf["that of the release"])
	}
	configurations["the chart's own"] = filepath.Join(repository(t), "deploy", "chart", "informerd", "files", "informerd.yaml")
	c := theChart(t)
	for name, file := range configurations {
		t.Run(name, func(t *testing.T) {
			vals := values(t, informerd(t, "", "rbac", file, "-o", "helm"))
			got := rights(t, rendered(t, c, "informerd", "informerd", vals))
			var list unstructured.UnstructuredList
			if err := list.UnmarshalJSON([]byte(informerd(t, "", "rbac", file, "-n", "informerd", "-o", "json"))); err != nil {
				t.Fatal(err)
			}
			var objects []*unstructured.Unstructured
			for i := range list.Items {
				objects = append(objects, &list.Items[i])
			}
			want := rights(t, objects)
			if !slices.Equal(got, want) || len(got) == 0 {
				t.Errorf("the chart grants\n%s\nand informerd rbac prints\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			// Any change of the configuration needs its rights to be made again.
			vals["config"] = vals["config"].(string) + "cluster: {name: other}\n"
			if _, err := render(c, "informerd", "informerd", vals); err == nil {
				t.Error("rights of another configuration were taken")
			}
		})
	}
}

// rights returns what objects grant, one line for each right and account.
func rights(t *testing.T, objects []*unstructured.Unstructured) (all []string) {
	t.Helper()
	rules := map[string][]rbacv1.PolicyRule{}
	for _, o := range objects {
		if o.GetKind() == "Role" || o.GetKind() == "ClusterRole" {
			var r rbacv1.Role
			convert(t, o, &r)
			rules[o.GetKind()+" "+o.GetNamespace()+" "+o.GetName()] = r.Rules
		}
	}
	for _, o := range objects {
		kind, bound := strings.CutSuffix(o.GetKind(), "Binding")
		if !bound {
			continue
		}
		var b rbacv1.RoleBinding
		convert(t, o, &b)
		role := rules[kind+" "+o.GetNamespace()+" "+b.RoleRef.Name]
		if b.RoleRef.Kind != kind || role == nil {
			t.Fatalf("a binding of no role: %v", o.Object)
		}
		for _, s := range b.Subjects {
			for _, r := range role {
				all = append(all, lines(t, fmt.Sprintf("%s/%s in %q:", s.Namespace, s.Name, o.GetNamespace()), r)...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func convert(t *testing.T, o *unstructured.Unstructured, into any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into); err != nil {
		t.Fatal(err)
	}
}

// lines returns each right of a rule.
func lines(t *testing.T, who string, r rbacv1.PolicyRule) (all []string) {
	t.Helper()
	names := r.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range r.APIGroups {
		for _, resource := range r.Resources {
			for _, name := range names {
				for _, verb := range r.Verbs {
					text, err := json.Marshal([]string{verb, group, resource, name})
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, who+" "+string(text))
				}
			}
		}
	}
	if len(r.NonResourceURLs) > 0 {
		t.Fatalf("informerd needs no such right: %v", r)
	}
	return all
}
