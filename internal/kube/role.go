package kube

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Right is what an account may do with a resource.
type Right struct {
	Resource  Resource
	Namespace string // empty: all, or the resource is cluster-scoped
	Verb      string
}

// Roles returns the Roles, and the ClusterRole for what is not limited to a namespace, that grant
// these rights and no others, as YAML documents. They are called name.
func Roles(name string, rights []Right) string {
	type rule struct{ group, resource string }
	byNamespace := map[string]map[rule][]string{}
	for _, r := range rights {
		rules := byNamespace[r.Namespace]
		if rules == nil {
			rules = map[rule][]string{}
			byNamespace[r.Namespace] = rules
		}
		key := rule{r.Resource.GVR.Group, r.Resource.GVR.Resource}
		if !slices.Contains(rules[key], r.Verb) {
			rules[key] = append(rules[key], r.Verb)
		}
	}
	var documents []string
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		var b strings.Builder
		b.WriteString("apiVersion: rbac.authorization.k8s.io/v1\n")
		if namespace == "" {
			fmt.Fprintf(&b, "kind: ClusterRole\nmetadata: {name: %s}\n", name)
		} else {
			fmt.Fprintf(&b, "kind: Role\nmetadata: {name: %s, namespace: %q}\n", name, namespace)
		}
		b.WriteString("rules:\n")
		rules := byNamespace[namespace]
		for _, key := range slices.SortedFunc(maps.Keys(rules), func(a, b rule) int {
			return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.resource, b.resource))
		}) {
			fmt.Fprintf(&b, "- {apiGroups: [%q], resources: [%q], verbs: [%s]}\n", key.group,
				key.resource, strings.Join(slices.Sorted(slices.Values(rules[key])), ", "))
		}
		documents = append(documents, b.String())
	}
	return strings.Join(documents, "---\n")
}
