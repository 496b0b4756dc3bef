package rights

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/wording"
)

// Report is how what an account may do differs from what a configuration needs.
type Report struct {
	Account string `json:"account"`
	// Missing is what it needs and does not have, and Optional what it would use.
	Missing  []Finding `json:"missing"`
	Optional []Finding `json:"optional"`
	// TooMuch is what it has and does not need, in the whole cluster and in Namespaces.
	TooMuch    []Finding `json:"tooMuch"`
	Namespaces []string  `json:"namespaces"`
	// Paths are those of the API server that it needs and may not get.
	Paths []string `json:"paths"`
	// Incomplete says why there may be more that is too much, "" if there is not.
	Incomplete string `json:"incomplete,omitempty"`
}

// Finding is one rule in one place.
type Finding struct {
	Namespace string   `json:"namespace,omitempty"` // empty: the whole cluster
	Rule      Rule     `json:"rule"`
	For       []string `json:"for,omitempty"` // who needs it
	Why       string   `json:"why,omitempty"` // it is too much
}

// AccountOf returns the name of the account that the server sees.
func AccountOf(ctx context.Context, server *kube.Server) (string, error) {
	name, err := server.Asker.User(ctx)
	if err != nil {
		return "", fmt.Errorf("cannot find out which account this is: %w", err)
	}
	return name, nil
}

// NamespaceOf returns the namespace of a service account, "" if the account is not one.
func NamespaceOf(account string) string {
	name, ok := strings.CutPrefix(account, "system:serviceaccount:")
	if !ok {
		return ""
	}
	namespace, _, _ := strings.Cut(name, ":")
	return namespace
}

// Compare compares what is needed with what the account may do. Besides the namespaces of needs it
// looks at that of a service account. The error is that the server does not answer.
func Compare(ctx context.Context, server *kube.Server, account string, all []need) (Report, error) {
	r := Report{Account: account, Missing: []Finding{}, Optional: []Finding{},
		TooMuch: []Finding{}, Paths: []string{}}
	if err := missing(ctx, server.Asker, all, &r); err != nil {
		return r, err
	}
	namespaces := map[string]bool{NamespaceOf(account): true}
	for _, n := range all {
		namespaces[n.Namespace] = true
	}
	delete(namespaces, "")
	r.Namespaces = slices.Sorted(maps.Keys(namespaces))
	return r, tooMuch(ctx, server.Asker, all, &r)
}

// missing asks for each right.
func missing(ctx context.Context, asker *kube.Writer, all []need, r *Report) error {
	answers := map[kube.Right]bool{}
	var missing, optional []need
	for _, n := range all {
		allowed, known := answers[n.Right]
		if !known {
			var err error
			if allowed, err = asker.Allowed(ctx, n.Right); err != nil {
				return fmt.Errorf("cannot find out whether the account may %s: %w", n.Right, err)
			}
			answers[n.Right] = allowed
		}
		switch {
		case allowed:
		case n.Optional:
			optional = append(optional, n)
		default:
			missing = append(missing, n)
		}
	}
	r.Missing, r.Optional = findings(missing), findings(optional)
	for _, path := range []string{"/api", "/apis", "/openapi/v3"} {
		allowed, err := asker.AllowedPath(ctx, path)
		if err != nil {
			return fmt.Errorf("cannot find out whether the account may get %s: %w", path, err)
		}
		if !allowed {
			r.Paths = append(r.Paths, path)
		}
	}
	return nil
}

func findings(needs []need) []Finding {
	all := []Finding{}
	for _, s := range merge(needs) {
		for _, rule := range s.Rules {
			all = append(all, Finding{Namespace: s.Namespace, Rule: rule, For: rule.For})
		}
	}
	return all
}

// tooMuch lists what the account may do, and finds what it need not.
func tooMuch(ctx context.Context, asker *kube.Writer, all []need, r *Report) error {
	// What an account may do in a namespace that does not exist, it may do everywhere.
	nowhere := "informerd-" + strings.ToLower(rand.Text()[:12])
	everywhere, err := asker.Rules(ctx, nowhere)
	if err != nil {
		return fmt.Errorf("cannot list what the account may do: %w", err)
	}
	if everywhere.Incomplete {
		r.Incomplete = wording.Cut(cmp.Or(everywhere.EvaluationError,
			"the API server does not know all of them"), 200)
	}
	r.TooMuch = append(excess("", everywhere.ResourceRules, all), paths(everywhere.NonResourceRules)...)
	for _, ns := range r.Namespaces {
		here, err := asker.Rules(ctx, ns)
		if err != nil {
			return fmt.Errorf("cannot list what the account may do in %s: %w", ns, err)
		}
		own := slices.DeleteFunc(here.ResourceRules, func(rule authorizationv1.ResourceRule) bool {
			return slices.ContainsFunc(everywhere.ResourceRules,
				func(other authorizationv1.ResourceRule) bool {
					return reflect.DeepEqual(rule, other)
				})
		})
		r.TooMuch = append(r.TooMuch, excess(ns, own, all)...)
	}
	return nil
}

// Reasons why something is too much.
const (
	whyUnused   = "not needed"
	whyWildcard = "a wildcard"
	whyAll      = "everything, as a cluster administrator"
)

// excess returns what rules for a namespace, or for the whole cluster, grant beyond what is needed.
func excess(namespace string, rules []authorizationv1.ResourceRule, all []need) []Finding {
	out := []Finding{}
	byReason := map[string][]need{}
	for _, rule := range rules {
		why := ""
		switch {
		case slices.Contains(rule.Verbs, "*") && slices.Contains(rule.APIGroups, "*") &&
			slices.Contains(rule.Resources, "*"):
			why = whyAll
		case slices.ContainsFunc(slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources),
			func(text string) bool { return strings.Contains(text, "*") }):
			why = whyWildcard
		}
		if why != "" {
			out = append(out, Finding{Namespace: namespace, Why: why, Rule: Rule{
				APIGroups: rule.APIGroups, Resources: rule.Resources,
				ResourceNames: rule.ResourceNames, Verbs: rule.Verbs}})
			continue
		}
		for _, right := range rightsIn(namespace, rule) {
			if why := unneeded(right, all); why != "" {
				byReason[why] = append(byReason[why], need{Right: right})
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		for _, f := range findings(byReason[why]) {
			f.Why = why
			out = append(out, f)
		}
	}
	return out
}

// rightsIn returns what a rule without wildcards grants.
func rightsIn(namespace string, rule authorizationv1.ResourceRule) (all []kube.Right) {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, name := range names {
				for _, verb := range rule.Verbs {
					all = append(all, kube.Right{Resource: named(group, "", resource),
						Namespace: namespace, Name: name, Verb: verb})
				}
			}
		}
	}
	return all
}

// ofEverybody are the resources of which every account may do something, by group.
var ofEverybody = map[string][]string{
	"authentication.k8s.io": {"selfsubjectreviews"},
	"authorization.k8s.io":  {"selfsubjectaccessreviews", "selfsubjectrulesreviews"},
	"certificates.k8s.io":   {"clustertrustbundles"},
}

// unneeded returns why a right is too much, "" if it is not.
func unneeded(right kube.Right, all []need) (why string) {
	gvr := right.Resource.GVR
	if slices.Contains(ofEverybody[gvr.Group], gvr.Resource) {
		return ""
	}
	namespaces, names := map[string]bool{}, map[string]bool{}
	for _, n := range all {
		if n.Verb != right.Verb ||
			n.Resource.GVR.GroupResource() != gvr.GroupResource() ||
			right.Namespace != "" && n.Namespace != "" && n.Namespace != right.Namespace ||
			right.Name != "" && n.Name != "" && n.Name != right.Name {
			continue
		}
		wide, unnamed := right.Namespace == "" && n.Namespace != "", right.Name == "" && n.Name != ""
		if !wide && !unnamed {
			return ""
		}
		if wide {
			namespaces[n.Namespace] = true
		}
		if unnamed {
			names[n.Name] = true
		}
	}
	var reasons []string
	if len(namespaces) > 0 {
		reasons = append(reasons, "in "+wording.Some(slices.Sorted(maps.Keys(namespaces)), MostNamed))
	}
	if len(names) > 0 {
		reasons = append(reasons, "for "+wording.Some(slices.Sorted(maps.Keys(names)), MostNamed))
	}
	if len(reasons) == 0 {
		return whyUnused
	}
	return "needed only " + strings.Join(reasons, ", ")
}

// paths returns the paths that the account may use and not every account may. informerd needs none
// of them.
func paths(rules []authorizationv1.NonResourceRule) (all []Finding) {
	for _, rule := range rules {
		more := slices.DeleteFunc(slices.Clone(rule.NonResourceURLs), ofEverybodyPath)
		if len(more) > 0 {
			all = append(all, Finding{Why: whyUnused,
				Rule: Rule{NonResourceURLs: more, Verbs: rule.Verbs}})
		}
	}
	return all
}

// ofEverybodyPath reports whether every account may get a path.
func ofEverybodyPath(path string) bool {
	return slices.ContainsFunc([]string{"/api", "/apis", "/healthz", "/livez", "/openapi",
		"/readyz", "/version", "/.well-known/openid-configuration", "/openid/v1/jwks"},
		func(known string) bool {
			rest, ok := strings.CutPrefix(path, known)
			return ok && (rest == "" || rest[0] == '/')
		})
}
