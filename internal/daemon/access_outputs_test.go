package daemon

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/rights"
)

// CheckCluster asks whether outputs may write what they will write, and changes nothing.
func TestCheckClusterAsksForRightsOfOutputs(t *testing.T) {
	const text = `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  maps: {informer: {resource: configmaps, namespaces: [shop]}, outputs: [out, note, fix]}
  nodes: {informer: {resource: nodes}, outputs: [note]}
  pods: {informer: {resource: pods}, outputs: [fix, out]}
outputs:
  out: {stdout: {}}
  note: {kubernetesEvent: {}}
  fix: {patch: {patch: '{"metadata": {"labels": {"a": "b"}}}'}}
`
	for name, c := range map[string]struct {
		denied, want, roles string
	}{
		"all is well": {"", "", ""},
		"no patches of pods": {
			"patch pods ",
			`:6:48: output "fix" of listener "pods" may not patch pods`,
			"kind: ClusterRole\nmetadata: {name: informerd-missing}\nrules:\n" +
				"- {apiGroups: [''], resources: [pods], verbs: [patch]}\n",
		},
		"no Events in a namespace": {
			"events.k8s.io shop",
			`:4:79: output "note" of listener "maps" may not create events.events.k8s.io in shop` +
				"\n" + `:4:85: output "fix" of listener "maps" may not create events.events.k8s.io` +
				" in shop",
			"kind: Role\nmetadata: {name: informerd-missing, namespace: shop}\nrules:\n" +
				"- {apiGroups: [events.k8s.io], resources: [events], " +
				"verbs: [create, patch]}\n",
		},
		"no Events about nodes": {
			"events.k8s.io default",
			`:5:50: output "note" of listener "nodes" may not create events.events.k8s.io` +
				" in default",
			"kind: Role\nmetadata: {name: informerd-missing, namespace: default}\nrules:\n" +
				"- {apiGroups: [events.k8s.io], resources: [events], " +
				"verbs: [create, patch]}\n",
		},
	} {
		var mu sync.Mutex
		asked := map[string]int{}
		k := kubernetesWith(t, map[string][]string{"pods": nil, "configmaps": nil, "nodes": nil})
		k.openAPI = podDocument
		k.refuse = func(r *http.Request) (int, string) {
			if r.Method == http.MethodGet {
				return 0, ""
			}
			var review authorizationv1.SelfSubjectAccessReview
			if err := json.NewDecoder(r.Body).Decode(&review); err != nil ||
				!strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
				t.Errorf("%s: unexpected request %s %s", name, r.Method, r.URL)
				return 0, ""
			}
			a := review.Spec.ResourceAttributes
			key := strings.Join([]string{a.Verb, a.Resource, a.Group, a.Namespace}, " ")
			mu.Lock()
			asked[key]++
			mu.Unlock()
			if c.denied != "" && strings.Contains(key, c.denied) {
				return http.StatusCreated, `{"status":{"allowed":false}}`
			}
			return http.StatusCreated, `{"status":{"allowed":true}}`
		}
		parsed := parse(t, text)
		err := CheckCluster(t.Context(), parsed,
			Options{Kubeconfig: kubeconfig(t, k.url), Log: quiet})
		var mistakes config.Errors
		var rights *rights.Missing
		got, roles := "", ""
		if errors.As(err, &mistakes) {
			got = strings.ReplaceAll(mistakes.Error(), parsed.File(), "")
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if errors.As(err, &rights) {
			roles = rights.Roles
		}
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
		if !strings.HasSuffix(roles, c.roles) || (roles == "") != (c.roles == "") {
			t.Errorf("%s: roles\n%s\nwant\n%s", name, roles, c.roles)
		}
		for key, n := range asked {
			if n != 1 {
				t.Errorf("%s: asked %d times for %s", name, n, key)
			}
		}
	}
}
