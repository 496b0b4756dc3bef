package rights

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Rule is one rule of a Role.
type Rule struct {
	APIGroups       []string `json:"apiGroups,omitempty"`
	Resources       []string `json:"resources,omitempty"`
	ResourceNames   []string `json:"resourceNames,omitempty"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty"`
	Verbs           []string `json:"verbs"`
	For             []string `json:"-"` // who needs it
}

// String returns the rule as one line of YAML, without double quotes: it can be pasted from a log,
// in which those are escaped.
func (r Rule) String() string {
	if len(r.NonResourceURLs) > 0 {
		return fmt.Sprintf("{nonResourceURLs: %s, verbs: %s}", list(r.NonResourceURLs),
			list(r.Verbs))
	}
	names := ""
	if len(r.ResourceNames) > 0 {
		names = ", resourceNames: " + list(r.ResourceNames)
	}
	return fmt.Sprintf("{apiGroups: %s, resources: %s%s, verbs: %s}", list(r.APIGroups),
		list(r.Resources), names, list(r.Verbs))
}

// list returns names as a list of YAML.
func list(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = scalar(name)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// aWord matches what YAML reads as a text without quotes, but for the words in isOther.
var (
	aWord   = regexp.MustCompile(`^[a-z][a-z0-9./-]*$`)
	isOther = regexp.MustCompile(`^(null|true|false|yes|no|on|off|y|n)$`)
)

// scalar returns a text as YAML.
func scalar(text string) string {
	if aWord.MatchString(text) && !isOther.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// scoped are the rules for one namespace, or for the whole cluster.
type scoped struct {
	Namespace string // empty: the whole cluster
	Rules     []Rule
}

// target is what verbs are about.
type target struct{ group, resource, name string }

// verbs are those of a target, each with who needs it.
type verbs map[string][]string

// merge returns as few rules as possible that grant what is needed and nothing else, those of the
// whole cluster first. What is granted in the whole cluster is not granted again in a namespace,
// and what is granted for all objects not again for one.
func merge(needs []need) (all []scoped) {
	byNamespace := map[string]map[target]verbs{}
	for _, n := range needs {
		targets := byNamespace[n.Namespace]
		if targets == nil {
			targets = map[target]verbs{}
			byNamespace[n.Namespace] = targets
		}
		gvr := n.Resource.GVR
		t := target{gvr.Group, gvr.Resource, n.Name}
		if targets[t] == nil {
			targets[t] = verbs{}
		}
		by := targets[t][n.Verb]
		if by == nil {
			by = []string{} // the verb is needed, whoever needs it
		}
		if n.For != "" {
			by = append(by, n.For)
		}
		targets[t][n.Verb] = by
	}
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		targets := maps.Clone(byNamespace[namespace])
		for t, wanted := range targets {
			targets[t] = without(wanted, t, byNamespace[""], namespace != "")
			targets[t] = without(targets[t], t, byNamespace[namespace], false)
			if len(targets[t]) == 0 {
				delete(targets, t)
			}
		}
		if rules := rulesOf(targets); len(rules) > 0 {
			all = append(all, scoped{namespace, rules})
		}
	}
	return all
}

// without returns the verbs that others do not have for all objects, nor with same for the same
// one.
func without(wanted verbs, t target, others map[target]verbs, same bool) verbs {
	rest := maps.Clone(wanted)
	for verb := range wanted {
		whole := others[target{t.group, t.resource, ""}][verb]
		if t.name != "" && whole != nil || same && others[t][verb] != nil {
			delete(rest, verb)
		}
	}
	return rest
}

// rulesOf returns the rules for targets: names with equal verbs share a rule, and so do resources
// of a group with equal names and verbs.
func rulesOf(targets map[target]verbs) (rules []Rule) {
	for t, wanted := range targets {
		r := Rule{APIGroups: []string{t.group}, Resources: []string{t.resource},
			Verbs: slices.Sorted(maps.Keys(wanted))}
		if t.name != "" {
			r.ResourceNames = []string{t.name}
		}
		for _, by := range wanted {
			r.For = append(r.For, by...)
		}
		rules = append(rules, r)
	}
	sortRules(rules)
	for _, list := range []func(*Rule) *[]string{
		func(r *Rule) *[]string { return &r.ResourceNames },
		func(r *Rule) *[]string { return &r.Resources },
	} {
		rules = joined(rules, list)
	}
	sortRules(rules)
	for i := range rules {
		slices.Sort(rules[i].For)
		rules[i].For = slices.Compact(rules[i].For)
	}
	return rules
}

// joined makes one rule of those that differ in one list only, unless that is empty in one of them.
func joined(rules []Rule, list func(*Rule) *[]string) (all []Rule) {
	at := map[string]int{} // of all, by the rest of the rule
	for _, r := range rules {
		own := *list(&r)
		rest := r
		*list(&rest) = nil
		key := fmt.Sprintf("%t %v", len(own) == 0, rest)
		i, known := at[key]
		if !known {
			at[key] = len(all)
			all = append(all, r)
			continue
		}
		*list(&all[i]) = append(*list(&all[i]), own...)
		all[i].For = append(all[i].For, r.For...)
	}
	return all
}

func sortRules(rules []Rule) {
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmp.Or(slices.Compare(a.APIGroups, b.APIGroups),
			slices.Compare(a.Resources, b.Resources),
			slices.Compare(a.ResourceNames, b.ResourceNames), slices.Compare(a.Verbs, b.Verbs))
	})
}
