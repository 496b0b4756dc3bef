package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fleetFolder is a folder of kubeconfigs.
type fleetFolder string

func (f fleetFolder) put(t *testing.T, name, server, user string) {
	t.Helper()
	text, err := os.ReadFile(kubeconfig(t, server))
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(string(f), name)
	if err := os.WriteFile(whole, []byte(strings.Replace(string(text), "user: {}", user, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(whole, whole+".yaml"); err != nil {
		t.Fatal(err)
	}
}

func (f fleetFolder) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(string(f), name+".yaml")); err != nil {
		t.Fatal(err)
	}
}

// Clusters join, change and leave. Each has its own listeners and checkpoint, and none holds up others.
func TestClustersComeAndGo(t *testing.T) {
	servers := map[string]*kubernetes{}
	for _, name := range []string{"a", "b", "mute"} {
		servers[name] = kubernetesWith(t, teamsAndPods())
	}
	defer servers["mute"].silence()()
	folder := fleetFolder(t.TempDir())
	text := fmt.Sprintf(`
state: {dir: %s}
clusters: {a: {kubeconfig: %s/a.yaml, labels: {tier: gold}}}
clustersFrom: [{folder: %s}]
outputs: {out: {stdout: {}}}
informers: {teams: {resource: configmaps}}
listeners:
  all: {informer: {resource: pods}, outputs: [out], checkpoint: true}
  some: {informer: {resource: pods, clusters: [a]}, outputs: [out],
    filter: 'cluster.labels.tier == "gold" && cached("teams", "shop", label("team")) != nil'}
  rules: {informer: {resource: pods}, outputs: [out], checkpoint: true,
    rules: [{name: r, deny: 'cluster == "b" && label("team") == "c"'}]}
`, t.TempDir(), folder, folder)
	folder.put(t, "a", servers["a"].url, "user: {}")
	folder.put(t, "mute", servers["mute"].url, "user: {}")
	d := startReloadable(t, text, servers["a"])
	d.out.waitForLines(t, 3, `"source":"/clusters/a/listeners/all"`)
	d.out.waitForLines(t, 2, `"source":"/clusters/a/listeners/some"`)
	d.log.waitFor(t, `level=ERROR msg="no cluster can be watched by what somebody has named"`) // a again
	folder.put(t, "b", servers["b"].url, "user: {}")
	d.out.waitForLines(t, 3, `"source":"/clusters/b/listeners/all"`)
	d.out.waitForLines(t, 1, `"source":"/clusters/b/listeners/rules"`)
	folder.put(t, "b", servers["b"].url, "user: {token: other}")
	d.log.waitFor(t, `level=INFO msg="a cluster has other credentials" cluster=b`)
	folder.put(t, "b", servers["b"].url, "users: [{")
	d.log.waitFor(t, `level=ERROR msg="a cluster is asked with the credentials of before" cluster=b`)
	folder.put(t, "wrong", "https://x:x:x", "user: {}")
	d.log.waitFor(t, `level=ERROR msg="the cluster cannot be watched" cluster=wrong`)
	d.stop(t)

	// what was told is not told again after a restart
	folder.put(t, "b", servers["b"].url, "user: {token: other}")
	d.started = start(t, d.config(t), servers["a"])
	d.log.waitForLines(t, 4, `msg=listening`)
	d.out.waitForLines(t, 2, `"source":"/clusters/a/listeners/some"`) // it has no checkpoint
	d.log.waitForLines(t, 3, `cluster=`)
	folder.remove(t, "b")
	d.log.waitFor(t, `msg="a cluster leaves" cluster=b`)
	d.out.waitForLines(t, 1, `"source":"/clusters/b/listeners/rules"`)
	d.log.waitForLines(t, 2, `msg="listener stopped" cluster=b`)
	folder.put(t, "b", servers["b"].url, "user: {}")
	d.out.waitForLines(t, 3, `"source":"/clusters/b/listeners/all"`)
	d.out.waitForLines(t, 2, `"source":"/clusters/b/listeners/rules"`)
	d.reload(t, strings.Replace(text, "clusters: [a]", "clusters: [b]", 1))
	d.stop(t)
	for words, n := range map[string]int{
		`"source":"/clusters/a/listeners/all"`:   0,
		`"source":"/clusters/a/listeners/rules"`: 0,
		`"source":"/clusters/b/listeners/all"`:   3,
		`"source":"/clusters/b/listeners/rules"`: 2, // the end of what was open, and that it begins
		`"source":"/clusters/b/listeners/some"`:  0, // its label is not of that value
	} {
		if got := strings.Count(d.out.String(), words); got != n {
			t.Errorf("%d times %s, want %d\n%s", got, words, n, d.out.String())
		}
	}
}
