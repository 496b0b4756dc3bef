package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const rbacConfig = `apiVersion: informerd.dev/v1alpha1
kind: Config
leaderElection: {namespace: ha, name: hooks}
listeners:
  pods: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}
  things: {informer: {resource: things.example.com}, outputs: [out]}
outputs: {out: {stdout: {}}}
`

func TestRBAC(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	unknown := filepath.Join(dir, "unknown.yaml")
	for file, text := range map[string]string{path: rbacConfig,
		unknown: strings.ReplaceAll(rbacConfig, "things.example.com", "things")} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		code = execute(append([]string{"rbac"}, args...), nil, &out, &errs)
		return code, out.String(), strings.ReplaceAll(errs.String(), dir, "@")
	}
	const note = "@/c.yaml:6:33: note: things is taken as the plural of a resource of the group example.com; --cluster asks the API server\n"
	code, stdout, stderr := run(path, "-n", "prod", "--name", "hooks")
	_, stdout, _ = strings.Cut(stdout, "apiVersion: ")
	if want := `v1
kind: ServiceAccount
metadata: {name: hooks, namespace: prod}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: 'prod:hooks'}
rules:
# resources that come and go (optional)
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [list, watch]}
# listener "things"
- {apiGroups: [example.com], resources: [things], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: 'prod:hooks'}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: 'prod:hooks'}
subjects:
- {kind: ServiceAccount, name: hooks, namespace: prod}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: 'prod:hooks', namespace: ha}
rules:
# leaderElection
- {apiGroups: [''], resources: [configmaps], verbs: [create]}
# leaderElection
- {apiGroups: [''], resources: [configmaps], resourceNames: [hooks-progress], verbs: [get, update]}
# leaderElection
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
# leaderElection
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [hooks], verbs: [get, list, update, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: 'prod:hooks', namespace: ha}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: 'prod:hooks'}
subjects:
- {kind: ServiceAccount, name: hooks, namespace: prod}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: 'prod:hooks', namespace: shop}
rules:
# listener "pods"
- {apiGroups: [''], resources: [pods], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: 'prod:hooks', namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: 'prod:hooks'}
subjects:
- {kind: ServiceAccount, name: hooks, namespace: prod}
`; code != exitOK || stdout != want || stderr != note {
		t.Errorf("exit code %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}

	code, stdout, stderr = run("-c", path, "-o", "json")
	var list struct {
		Kind  string
		Items []struct {
			Kind     string
			Metadata struct{ Name, Namespace string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != exitOK ||
		list.Kind != "List" || len(list.Items) != 7 ||
		list.Items[0].Metadata.Namespace != "ha" || stderr != note {
		t.Errorf("exit code %d, %v, %+v, stderr %s", code, err, list, stderr)
	}

	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{nil, exitUsage, "informerd: --config is required"},
		{[]string{path, "-o", "table"}, exitUsage,
			`informerd: --output "table": it is yaml, json or helm`},
		{[]string{path, "--name", "a b"}, exitUsage,
			`informerd: --name "a b" cannot be that of a service account`},
		{[]string{path, "-n", "A"}, exitUsage,
			`informerd: --namespace "A" cannot be that of a namespace`},
		{[]string{path, "--context", "x"}, exitUsage,
			"informerd: --context needs --cluster: without it no API server is asked"},
		{[]string{unknown}, exitConfig, `@/unknown.yaml:6:33: "things" is not the full name of a` +
			" resource, as in certificates.cert-manager.io; write the plural and the group, or ask" +
			" the API server with --cluster\n"},
		{[]string{path, "--cluster", "--kubeconfig", filepath.Join(dir, "none")}, exitRun,
			"informerd: kubeconfig @/none: no such file or directory\n"},
	} {
		code, stdout, stderr := run(c.args...)
		if code != c.code || stdout != "" || !strings.HasPrefix(stderr, c.stderr) {
			t.Errorf("%q: exit code %d, stderr %s, stdout %s", c.args, code, stderr, stdout)
		}
	}
}
