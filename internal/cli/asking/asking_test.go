package asking

import (
	"errors"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/cli/words"
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

// The time is one, or how much later it is than the present one.
func TestNow(t *testing.T) {
	present := time.Now()
	for text, want := range map[string]time.Time{
		"2030-01-31T12:00:00Z": time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC),
		"2h":                   present.Add(2 * time.Hour),
		"-30m":                 present.Add(-30 * time.Minute),
	} {
		o := Options{Object: "a.yaml", Now: text}
		if err := o.Check(); err != nil || o.now.Sub(want).Abs() > time.Minute {
			t.Errorf("%s: %v, %v", text, o.now, err)
		}
	}
	o := Options{Object: "a.yaml"}
	if err := o.Check(); err != nil || !o.now.IsZero() {
		t.Errorf("%v, %v", o.now, err)
	}
	var usage words.UsageError
	for _, text := range []string{"tomorrow", "2030-01-31", "2"} {
		o := Options{Object: "a.yaml", Now: text}
		if err := o.Check(); !errors.As(err, &usage) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
