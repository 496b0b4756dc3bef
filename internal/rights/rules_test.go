package rights

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/kube"
)

// needs returns rights as needs of nobody.
func needs(rights []kube.Right) []need {
	all := make([]need, len(rights))
	for i, right := range rights {
		all[i].Right = right
	}
	return all
}

// rolesOf returns the roles that grant these rights, as YAML.
func rolesOf(name string, rights []kube.Right) string {
	var documents []string
	for _, text := range manifests(Account{name, name}, needs(rights)) {
		if strings.Contains(text, "\nrules:\n") {
			documents = append(documents, text)
		}
	}
	return strings.Join(documents, "---\n")
}

func TestRoles(t *testing.T) {
	deployments, pods, nodes := named("apps", "v1", "deployments"), named("", "v1", "pods"),
		named("", "v1", "nodes")
	secrets := named("", "v1", "secrets")
	got := rolesOf("informerd", []kube.Right{
		{Resource: deployments, Namespace: "shop", Verb: "watch"},
		{Resource: deployments, Namespace: "shop", Verb: "list"},
		{Resource: pods, Namespace: "shop", Verb: "list"},
		{Resource: nodes, Verb: "watch"},
		{Resource: deployments, Namespace: "123", Verb: "list"},
		{Resource: deployments, Namespace: "shop", Verb: "list"},
		{Resource: nodes, Namespace: "shop", Verb: "watch"},
		{Resource: secrets, Namespace: "shop", Name: "b", Verb: "get"},
		{Resource: secrets, Namespace: "shop", Name: `a"b`, Verb: "get"},
		{Resource: secrets, Namespace: "shop", Name: "b", Verb: "list"},
		{Resource: secrets, Namespace: "shop", Name: `a"b`, Verb: "list"},
		{Resource: secrets, Namespace: "shop", Name: "c", Verb: "list"},
		{Resource: pods, Namespace: "shop", Name: "c", Verb: "list"},
	})
	want := `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: informerd}
rules:
- {apiGroups: [''], resources: [nodes], verbs: [watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: informerd, namespace: '123'}
rules:
- {apiGroups: [apps], resources: [deployments], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: informerd, namespace: shop}
rules:
- {apiGroups: [''], resources: [pods], verbs: [list]}
- {apiGroups: [''], resources: [secrets], resourceNames: ['a"b', b], verbs: [get, list]}
- {apiGroups: [''], resources: [secrets], resourceNames: [c], verbs: [list]}
- {apiGroups: [apps], resources: [deployments], verbs: [list, watch]}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := rolesOf("informerd", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// Whatever is needed is granted, and nothing else, however the needs are ordered.
func TestMergeGrantsWhatIsNeededModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		needs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) need {
			return need{For: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "for"),
				Right: kube.Right{
					Resource: named(rapid.SampledFrom([]string{"", "apps"}).Draw(t, "group"), "v1",
						rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "resource")),
					Namespace: rapid.SampledFrom([]string{"", "m", "n"}).Draw(t, "namespace"),
					Name:      rapid.SampledFrom([]string{"", "o", "p"}).Draw(t, "name"),
					Verb:      rapid.SampledFrom([]string{"get", "list"}).Draw(t, "verb")}}
		}), 0, 30).Draw(t, "needs")
		granted := expand(merge(needs))
		covered := func(by map[kube.Right]bool, r kube.Right) bool {
			for _, ns := range []string{"", r.Namespace} {
				for _, name := range []string{"", r.Name} {
					wider := r
					wider.Namespace, wider.Name = ns, name
					if by[wider] {
						return true
					}
				}
			}
			return false
		}
		wanted := map[kube.Right]bool{}
		for _, n := range needs {
			wanted[n.Right] = true
			if !covered(granted, n.Right) {
				t.Errorf("%s is not granted", n.Right)
			}
		}
		for r := range granted {
			if !wanted[r] {
				t.Errorf("%s is granted, and not needed", r)
			}
			delete(granted, r)
			if covered(granted, r) {
				t.Errorf("%s is granted twice", r)
			}
			granted[r] = true
		}
		text := strings.Join(manifests(Account{"n", "informerd"}, needs), "---\n")
		rand.Shuffle(len(needs), func(i, j int) { needs[i], needs[j] = needs[j], needs[i] })
		if again := strings.Join(manifests(Account{"n", "informerd"}, needs), "---\n"); again != text {
			t.Errorf("another order of the needs:\n%s\nis not\n%s", again, text)
		}
	})
}

// expand returns what rules grant, as RBAC reads them.
func expand(all []scoped) map[kube.Right]bool {
	granted := map[kube.Right]bool{}
	for _, s := range all {
		for _, r := range s.Rules {
			names := r.ResourceNames
			if len(names) == 0 {
				names = []string{""}
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					for _, name := range names {
						for _, verb := range r.Verbs {
							granted[kube.Right{Resource: named(group, "v1", resource),
								Namespace: s.Namespace, Name: name, Verb: verb}] = true
						}
					}
				}
			}
		}
	}
	return granted
}

// The roles of accounts of the same name in different namespaces have different names, since they
// may be in the same namespace.
func TestNamesOfRoles(t *testing.T) {
	needs := []need{{Right: kube.Right{Resource: kube.Leases, Namespace: "shop", Verb: "get"}}}
	names := map[string]bool{}
	for _, a := range []Account{{"a", "a"}, {"b", "a"}, {"a", "b"}} {
		text := strings.Join(manifests(a, needs), "---\n")
		_, name, _ := strings.Cut(text, "kind: Role\nmetadata: {name: ")
		name, _, _ = strings.Cut(name, ",")
		if names[name] || name == "" {
			t.Errorf("%v: %s", a, text)
		}
		names[name] = true
	}
}
