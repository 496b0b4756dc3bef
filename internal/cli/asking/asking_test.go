package asking

import (
	"testing"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan/answer"
)

// A command can read the object again that is alone in a file, or in the cluster.
func TestSourcesOfObjects(t *testing.T) {
	pod := &kube.Reference{Resource: "pod", Namespace: "shop", Name: "web"}
	for _, c := range []struct {
		of   Options
		at   string
		want answer.Source
	}{
		{Options{Object: "a.yaml", Old: "b.yaml"}, "a.yaml",
			answer.Source{File: "a.yaml", Old: "b.yaml"}},
		{Options{Object: "a.yaml"}, "a.yaml: document 2", answer.Source{}},
		{Options{Object: "-"}, "<stdin>", answer.Source{}},
		{Options{live: pod}, "pod/shop/web", answer.Source{File: "web.json",
			Get: "kubectl get pod web -n shop -o json"}},
		{Options{live: &kube.Reference{Resource: "node", Name: "n"},
			Connect: live.Options{Context: "a b", Kubeconfig: "k"}}, "node/n",
			answer.Source{File: "n.json",
				Get: "kubectl get node n --context 'a b' --kubeconfig k -o json"}},
	} {
		x := Asking{Options: c.of}
		if got := x.source(c.at); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.at, got, c.want)
		}
	}
}
