package rights

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/informerd/informerd/internal/kube"
)

// TestExcess: what is granted and not needed is found, with the reason.
func TestExcess(t *testing.T) {
	maps, deployments := named("", "v1", "configmaps"), named("apps", "v1", "deployments")
	var all []need
	for _, right := range []kube.Right{
		{Resource: deployments, Verb: "list"},
		{Resource: maps, Namespace: "shop", Verb: "list"},
		{Resource: maps, Namespace: "pay", Verb: "list"},
		{Resource: kube.Leases, Namespace: "own", Name: "hooks", Verb: "get"},
	} {
		all = append(all, need{Right: right})
	}
	rule := func(group, resource, verbs string, names ...string) authorizationv1.ResourceRule {
		return authorizationv1.ResourceRule{APIGroups: []string{group},
			Resources: strings.Fields(resource), Verbs: strings.Fields(verbs), ResourceNames: names}
	}
	const basic = "selfsubjectaccessreviews selfsubjectrulesreviews"
	for name, c := range map[string]struct {
		namespace string
		rules     []authorizationv1.ResourceRule
		want      string
	}{
		"what is needed": {"", []authorizationv1.ResourceRule{rule("apps", "deployments", "list"),
			rule("authorization.k8s.io", basic, "create")}, ""},
		"a part of what is needed": {"shop", []authorizationv1.ResourceRule{
			rule("apps", "deployments", "list"), rule("", "configmaps", "list", "one")}, ""},
		"another verb, resource and subresource": {"", []authorizationv1.ResourceRule{
			rule("apps", "deployments deployments/scale", "list get")},
			"{apiGroups: [apps], resources: [deployments], verbs: [get]} not needed\n" +
				"{apiGroups: [apps], resources: [deployments/scale], verbs: [get, list]} not needed\n"},
		"another group": {"", []authorizationv1.ResourceRule{rule("", "deployments", "list")},
			"{apiGroups: [''], resources: [deployments], verbs: [list]} not needed\n"},
		"everywhere": {"", []authorizationv1.ResourceRule{rule("", "configmaps", "list")},
			"{apiGroups: [''], resources: [configmaps], verbs: [list]} needed only in pay, shop\n"},
		"elsewhere": {"other", []authorizationv1.ResourceRule{rule("", "configmaps", "list")},
			"{apiGroups: [''], resources: [configmaps], verbs: [list]} not needed\n"},
		"any name": {"own", []authorizationv1.ResourceRule{
			rule("coordination.k8s.io", "leases", "get")},
			"{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get]} needed only for hooks\n"},
		"other names": {"own", []authorizationv1.ResourceRule{
			rule("coordination.k8s.io", "leases", "get", "hooks", "a b")},
			"{apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: ['a b']," +
				" verbs: [get]} not needed\n"},
		"any name everywhere": {"", []authorizationv1.ResourceRule{
			rule("coordination.k8s.io", "leases", "get")},
			"{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get]} needed only in own, for hooks\n"},
		"any verb": {"", []authorizationv1.ResourceRule{rule("apps", "deployments", "*")},
			"{apiGroups: [apps], resources: [deployments], verbs: ['*']} a wildcard\n"},
		"any subresource": {"", []authorizationv1.ResourceRule{rule("apps", "*/scale", "get")},
			"{apiGroups: [apps], resources: ['*/scale'], verbs: [get]} a wildcard\n"},
		"everything": {"", []authorizationv1.ResourceRule{rule("*", "*", "*")},
			"{apiGroups: ['*'], resources: ['*'], verbs: ['*']} everything, as a cluster administrator\n"},
		"more verbs than everything": {"shop", []authorizationv1.ResourceRule{
			rule("*", "*", "get *")},
			"{apiGroups: ['*'], resources: ['*'], verbs: [get, '*']} everything, as a cluster administrator\n"},
	} {
		got := ""
		for _, f := range excess(c.namespace, c.rules, all) {
			if f.Namespace != c.namespace {
				t.Errorf("%s: in %s", name, f.Namespace)
			}
			got += f.Rule.String() + " " + f.Why + "\n"
		}
		if got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
	got := paths([]authorizationv1.NonResourceRule{
		{NonResourceURLs: []string{"/api", "/apis/*", "/metrics", "/apiary", "/openapi/v3"},
			Verbs: []string{"get"}}, {NonResourceURLs: []string{"*"}, Verbs: []string{"*"}}})
	if len(got) != 2 || got[0].Rule.String() != "{nonResourceURLs: ['/metrics', '/apiary'], verbs: [get]}" ||
		got[1].Rule.String() != "{nonResourceURLs: ['*'], verbs: ['*']}" {
		t.Errorf("got %v", got)
	}
}

// Compare asks for each right once, and looks for what is too much where the configuration and the
// account are; what an account may do everywhere is reported once.
func TestCompare(t *testing.T) {
	everywhere := `{"apiGroups":["apps"],"resources":["deployments"],"verbs":["delete"]}`
	asked := map[string]int{}
	var namespaces []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		var review struct {
			Spec struct {
				Namespace             string
				ResourceAttributes    *authorizationv1.ResourceAttributes
				NonResourceAttributes *authorizationv1.NonResourceAttributes
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			t.Error(err)
		}
		switch path := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]; path {
		case "selfsubjectreviews":
			fmt.Fprint(w, `{"status":{"userInfo":{"username":"system:serviceaccount:own:me"}}}`)
		case "selfsubjectaccessreviews":
			allowed, key := true, ""
			if a := review.Spec.ResourceAttributes; a != nil {
				key = strings.Join([]string{a.Verb, a.Resource, a.Namespace, a.Name}, " ")
				allowed = a.Verb != "watch" && a.Resource != "customresourcedefinitions"
			} else {
				key = review.Spec.NonResourceAttributes.Path
				allowed = key != "/apis"
			}
			asked[key]++
			fmt.Fprintf(w, `{"status":{"allowed":%t}}`, allowed)
		case "selfsubjectrulesreviews":
			namespaces = append(namespaces, review.Spec.Namespace)
			rules, incomplete := everywhere, "false"
			if review.Spec.Namespace == "shop" {
				rules += `,{"apiGroups":[""],"resources":["pods"],"verbs":["list","get"]}`
			}
			if strings.HasPrefix(review.Spec.Namespace, "informerd-") {
				incomplete = `true,"evaluationError":"a webhook"`
			}
			fmt.Fprintf(w, `{"status":{"resourceRules":[%s],"nonResourceRules":[],"incomplete":%s}}`,
				rules, incomplete)
		default:
			t.Errorf("unexpected request %s", r.URL)
		}
	}
	api := httptest.NewServer(http.HandlerFunc(handler))
	defer api.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Config",
		"clusters":[{"name":"x","cluster":{"server":%q}}],"contexts":[{"name":"x","context":
		{"cluster":"x"}}],"current-context":"x"}`, api.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := kube.Connect(kube.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := planOf(t, outputs+"  a: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}\n"+
		"  b: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}\n"+
		"  c: {informer: {resource: things.example.com, namespaces: [shop]}, outputs: [out]}\n")
	needs, err := Needs(t.Context(), p, &Finder{Config: p.Config}, "")
	if err != nil {
		t.Fatal(err)
	}
	account, err := AccountOf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), s, account, needs)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(r)
	if want := `{"account":"system:serviceaccount:own:me","missing":[` +
		`{"namespace":"shop","rule":{"apiGroups":[""],"resources":["pods"],"verbs":["watch"]},` +
		`"for":["listener \"a\"","listener \"b\""]},` +
		`{"namespace":"shop","rule":{"apiGroups":["example.com"],"resources":["things"],` +
		`"verbs":["watch"]},"for":["listener \"c\""]}],"optional":[` +
		`{"rule":{"apiGroups":["apiextensions.k8s.io"],"resources":["customresourcedefinitions"],` +
		`"verbs":["list","watch"]},"for":["resources that come and go (optional)"]}],"tooMuch":[` +
		`{"rule":{"apiGroups":["apps"],"resources":["deployments"],"verbs":["delete"]},` +
		`"why":"not needed"},{"namespace":"shop","rule":{"apiGroups":[""],"resources":["pods"],` +
		`"verbs":["get"]},"why":"not needed"}],"namespaces":["own","shop"],` +
		`"paths":["/apis"],"incomplete":"a webhook"}`; string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for right, n := range asked {
		if n != 1 {
			t.Errorf("asked %d times for %s", n, right)
		}
	}
	if !slices.Equal(namespaces[1:], r.Namespaces) {
		t.Errorf("looked at %q", namespaces)
	}
}
