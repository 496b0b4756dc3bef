package daemon

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer"
)

// What several clusters have of an object is seen in each, from when their caches are complete until
// they leave.
func TestWhatOtherClustersHave(t *testing.T) {
	settings := func(n ...string) map[string][]string {
		var all []string
		for _, is := range n {
			name, n, _ := strings.Cut(is, "=")
			all = append(all, named("shop", name, "", `,"data":{"n":"`+n+`"}`))
		}
		return map[string][]string{"configmaps": all}
	}
	a, b := kubernetesWith(t, settings("x=1", "same=1", "only=1")), kubernetesWith(t, settings("x=2", "same=1"))
	release := b.withhold("configmaps")
	folder := fleetFolder(t.TempDir())
	folder.put(t, "a", a.url, "user: {}")
	folder.put(t, "b", b.url, "user: {}")
	d := startReloadable(t, fmt.Sprintf(`
clustersFrom: [{folder: %s}]
outputs: {out: {stdout: {}}}
informers: {settings: {resource: configmaps}}
listeners:
  differs: {informer: {resource: configmaps}, resync: 1s, outputs: [out],
    filter: 'any(clusters("settings", object.metadata.namespace, object.metadata.name), .cluster != cluster && .object.data != object.data)'}
  alone: {informer: {resource: configmaps}, resync: 1s, outputs: [out],
    filter: 'map(clusters("settings", object.metadata.namespace, object.metadata.name), .cluster) == [cluster]'}
`, folder), a)
	const alone = `"source":"/clusters/a/listeners/alone","type":"dev.informerd.object.resynced","subject":"configmaps/shop/x"`
	b.waitForRequest(t, "configmaps")
	d.out.waitForLines(t, 1, alone)
	release()
	for _, cluster := range []string{"a", "b"} {
		d.out.waitForLines(t, 1, `"source":"/clusters/`+cluster+`/listeners/differs"`)
	}
	before := strings.Count(d.out.String(), alone)
	folder.remove(t, "b")
	d.out.waitForLines(t, before+1, alone)
	d.stop(t)
	for _, subject := range strings.Fields(d.subjects("differs")) {
		if subject != "configmaps/shop/x" {
			t.Errorf("%s differs", subject)
		}
	}
	if strings.Contains(d.out.String(), "/clusters/b/listeners/alone") {
		t.Errorf("b does not see a:\n%s", d.out.String())
	}
}

// Of another cluster, what one of its shards is bound to is used, and nothing of the own cluster.
func TestEachOtherClusterIsAskedOnce(t *testing.T) {
	r := &runtime{}
	bound := map[string]*binding{}
	for _, at := range []struct {
		cluster, listener string
		bound             bool
	}{{"a", "l", true}, {"b", "l", false}, {"b", "l", true}, {"b", "l", true}, {"c", "other", true}, {"d", "l", false}} {
		l := &listener{name: at.listener}
		l.now.Store(&setup{})
		if at.bound {
			made := &binding{}
			l.setup().bound.Store(made)
			if bound[at.cluster] == nil {
				bound[at.cluster] = made
			}
		}
		r.shards = append(r.shards, &shard{supervisor: &supervisor{runtime: r}, of: informer.Shard{},
			cluster: &cluster{name: at.cluster}, listeners: []*listener{l}})
	}
	want := map[string]*binding{"b": bound["b"], "d": nil}
	if got := r.shards[0].elsewhere("l"); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
