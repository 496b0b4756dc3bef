package rights

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/wording"
)

const othersConfig = `leaderElection: {name: ours}
http: {address: ":8080", auth: kubernetes, tls: {certFile: c, keyFile: k}}
` + outputs + `
  a: {informer: {resource: po, namespaces: [x]}, outputs: [note, out, fix]}
  b: {informer: {resource: nodes}, outputs: [try, note]}
  c: {informer: {resource: certs, namespaces: [y]}, outputs: [fix]}
  d: {informer: {resource: services}, outputs: [out]}
  e: {informer: {resource: pods, namespaces: [x]}, outputs: [fix]}
`

const othersOfOutputs = `  pods in the namespace x: get, patch
    for output "fix" of listener "a", output "fix" of listener "e"
  events.events.k8s.io in the namespace x: create, patch
    for output "fix" of listener "a", output "fix" of listener "e", output "note" of listener "a"
`

const allOthers = `  nodes: get, patch
    for output "try" of listener "b"
  customresourcedefinitions.apiextensions.k8s.io: list, watch
    for resources that come and go (optional)
  tokenreviews.authentication.k8s.io: create
    for http.auth
  subjectaccessreviews.authorization.k8s.io: create
    for http.auth
  events.events.k8s.io in the namespace default: create, patch
    for output "note" of listener "b"
  configmaps in the namespace that informerd runs in: create
    for leaderElection
  configmaps ours-progress in the namespace that informerd runs in: get, update
    for leaderElection
  leases.coordination.k8s.io in the namespace that informerd runs in: create
    for leaderElection
  leases.coordination.k8s.io ours in the namespace that informerd runs in: get, list, update, watch
    for leaderElection
  pods in the namespace x: get, patch
    for output "fix" of listener "a", output "fix" of listener "e"
  events.events.k8s.io in the namespace x: create, patch
    for output "fix" of listener "a", output "fix" of listener "e", output "note" of listener "a"
  certs in the namespace y: get, patch
    for output "fix" of listener "c"
  events.events.k8s.io in the namespace y: create, patch
    for output "fix" of listener "c"
`

// What outputs, replicas and the daemon itself request is listed with who needs it, whether or not
// informerd knows the resource; with listeners, only what their outputs request.
func TestOtherRequests(t *testing.T) {
	p := planOf(t, othersConfig)
	for _, c := range []struct {
		listeners []string
		want      string
	}{
		{nil, allOthers}, {[]string{"a", "d", "e"}, othersOfOutputs},
		{[]string{"d"}, ""},
	} {
		var out strings.Builder
		for _, r := range Others(p, c.listeners...) {
			fmt.Fprintf(&out, "  %s\n    for %s\n", r.Right, wording.Some(r.For, MostNamed))
		}
		if got := out.String(); got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.listeners, got, c.want)
		}
	}
}
