package daemon

import (
	"bytes"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/kube"
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
		q := plan.Question{Op: event.Add, Lookups: c.given}
		err := Live(t.Context(), cfg, Options{Kubeconfig: kubeconfig(t, k.url)}, "pods",
			kube.Reference{Resource: "pod", Namespace: "shop", Name: "web"}, &q)
		var out bytes.Buffer
		if err == nil {
			err = plan.Explain(cfg, nil, "pods", q, &out)
		}
		k.mu.Lock()
		nodes, maps := k.asked["nodes"], k.asked["configmaps"]
		k.mu.Unlock()
		if err != nil || !strings.HasSuffix(out.String(), c.says) || nodes != c.lists || maps != 0 {
			t.Errorf("%v, %d lists of nodes, %d of configmaps\n%s\nwant %s", err, nodes, maps, &out,
				c.says)
		}
	}
}
