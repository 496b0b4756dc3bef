package daemon

import (
	"bytes"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer/event"
)

// What expressions look up is listed with the object, once, unless it is given.
func TestLiveReadsWhatIsLookedUp(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{
		"pods":       {`{"metadata":{"namespace":"shop","name":"web"},"spec":{"nodeName":"no1"}}`},
		"nodes":      {`{"metadata":{"name":"no1"}}`},
		"configmaps": {`{"metadata":{"namespace":"shop","name":"a"}}`},
	})
	cfg := parse(t, head+`  pods: {informer: {resource: pods}, outputs: [out], filter: 'cached("nodes","",object.spec.nodeName).metadata.name startsWith "no" && cached("nodes","",object.spec.nodeName) != nil'}
informers: {nodes: {resource: nodes}, maps: {resource: configmaps}}
`)
	for _, c := range []struct {
		given map[string][]plan.ObjectFile
		lists int
		says  string
	}{
		{nil, 1, "The event matches: it goes to the output out.\n"},
		{map[string][]plan.ObjectFile{"nodes": nil}, 0, "The event does not match.\n"},
	} {
		k.mu.Lock()
		clear(k.asked)
		k.mu.Unlock()
		cluster, err := live.Connect(cfg, live.Options{Kubeconfig: kubeconfig(t, k.url)})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		q := plan.Question{Op: event.Add}
		q.Object.JSON, err = cluster.Object(t.Context(), cfg.Listeners["pods"],
			kube.Reference{Resource: "pod", Namespace: "shop", Name: "web"})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		for range 2 { // each informer is listed once
			out.Reset()
			q.Lookups, err = cluster.Lookups(t.Context(), cfg.Listeners["pods"], c.given)
			if err == nil {
				err = plan.Explain(cfg, nil, "pods", q, &out)
			}
		}
		k.mu.Lock()
		nodes, maps := k.asked["nodes"], k.asked["configmaps"]
		k.mu.Unlock()
		if err != nil || !strings.Contains(out.String(), c.says) || nodes != c.lists || maps != 0 {
			t.Errorf("%v, %d lists of nodes, %d of configmaps\n%s\nwant %s", err, nodes, maps, &out,
				c.says)
		}
	}
}
