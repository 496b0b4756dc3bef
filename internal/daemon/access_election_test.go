package daemon

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/rights"
)

// CheckCluster asks whether replicas may do what an election needs, and changes nothing.
func TestCheckClusterAsksForRightsOfReplicas(t *testing.T) {
	const listeners = "outputs: {out: {stdout: {}}}\nlisteners:\n" +
		"  pods: {informer: {resource: pods}, outputs: [out]}\n"
	const header = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n"
	every := []string{"create configmaps  ha", "create leases coordination.k8s.io ha",
		"get configmaps  ha", "get leases coordination.k8s.io ha",
		"list leases coordination.k8s.io ha", "update configmaps  ha",
		"update leases coordination.k8s.io ha", "watch leases coordination.k8s.io ha"}
	const role = "kind: Role\nmetadata: {name: informerd-missing, namespace: ha}\nrules:\n"
	for name, c := range map[string]struct {
		election    string
		denied      func(right string) bool
		broken      bool
		want, roles string
		asked       []string
	}{
		"one replica":                         {"", nil, false, "", "", nil},
		"in whatever namespace it will be in": {"leaderElection: {}\n", nil, false, "", "", nil},
		"all is well":                         {"leaderElection: {namespace: ha}\n", nil, false, "", "", every},
		"nothing is allowed": {"leaderElection: {namespace: ha}\n",
			func(string) bool { return true }, false,
			":3:17: replicas may not create leases.coordination.k8s.io in ha\n" +
				":3:17: replicas may not create configmaps in ha",
			role + "- {apiGroups: [''], resources: [configmaps], verbs: [create]}\n" +
				"- {apiGroups: [''], resources: [configmaps], " +
				"resourceNames: [informerd-progress], verbs: [get, update]}\n" +
				"- {apiGroups: [coordination.k8s.io], resources: [leases], " +
				"verbs: [create]}\n" +
				"- {apiGroups: [coordination.k8s.io], resources: [leases], " +
				"resourceNames: [informerd], verbs: [get, list, update, watch]}\n", every},
		"no updates of Leases": {"leaderElection: {namespace: ha}\n",
			func(right string) bool { return strings.HasPrefix(right, "update leases ") }, false,
			":3:17: replicas may not update leases.coordination.k8s.io in ha",
			role + "- {apiGroups: [coordination.k8s.io], resources: [leases], " +
				"resourceNames: [informerd], verbs: [update]}\n",
			every},
		"no answer": {"leaderElection: {namespace: ha}\n", nil, true,
			"cannot find out whether replicas may create leases.coordination.k8s.io in ha: ", "",
			[]string{"create leases coordination.k8s.io ha"}},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var asked []string
			k := kubernetesWith(t, map[string][]string{"pods": nil})
			k.openAPI = podDocument
			k.refuse = func(r *http.Request) (int, string) {
				if r.Method == http.MethodGet {
					return 0, ""
				}
				var review authorizationv1.SelfSubjectAccessReview
				if err := json.NewDecoder(r.Body).Decode(&review); err != nil ||
					!strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
					t.Errorf("unexpected request %s %s", r.Method, r.URL)
					return 0, ""
				}
				a := review.Spec.ResourceAttributes
				right := strings.Join([]string{a.Verb, a.Resource, a.Group, a.Namespace}, " ")
				mu.Lock()
				asked = append(asked, right)
				mu.Unlock()
				switch {
				case c.broken:
					return http.StatusForbidden,
						`{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"no"}`
				case c.denied != nil && c.denied(right):
					return http.StatusCreated, `{"status":{"allowed":false}}`
				}
				return http.StatusCreated, `{"status":{"allowed":true}}`
			}
			parsed := parse(t, header+c.election+listeners)
			err := CheckCluster(t.Context(), parsed,
				Options{Kubeconfig: kubeconfig(t, k.url), Log: quiet})
			got, roles := "", ""
			if err != nil {
				got = strings.ReplaceAll(err.Error(), parsed.File(), "")
			}
			var mistakes config.Errors
			if errors.As(err, &mistakes) != strings.HasPrefix(c.want, ":") {
				t.Errorf("a mistake or not: %v", err)
			}
			var missing *rights.Missing
			if errors.As(err, &missing) {
				roles = missing.Roles
			}
			if got != c.want && (!c.broken || !strings.HasPrefix(got, c.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if !strings.HasSuffix(roles, c.roles) || (roles == "") != (c.roles == "") {
				t.Errorf("roles\n%s\nwant\n%s", roles, c.roles)
			}
			if slices.Sort(asked); !slices.Equal(asked, c.asked) {
				t.Errorf("asked for %q", asked)
			}
		})
	}
}
