package patch

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// Two clusters have an object of the same names, uid and version. What is patched in one of them is
// nothing to the other.
func TestClustersAreApart(t *testing.T) {
	clusters := map[string]*pod{"eu": {uid: webID, version: 7}, "us": {uid: webID, version: 7}}
	writes := NewWrites()
	s := newTest(t, Config{Type: Merge, Writes: writes,
		API: api(func(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
			return clusters[r.Cluster].Do(ctx, r)
		})})
	patch := func(cluster string) error {
		m := sinktest.MessageIn(t, cluster, "web", clusters[cluster].version)
		m.Body, m.Data = sink.BodyData, `{"spec":1}`
		return write(t.Context(), s, m)
	}
	if err := patch("eu"); err != nil {
		t.Fatal(err)
	}
	if !writes.Of("eu", "all").Own(t.Context(), update(t, 7, 8)) ||
		writes.Of("us", "all").Own(t.Context(), update(t, 7, 8)) {
		t.Error("the write is not own, or is the other cluster's as well")
	}
	if n := len(clusters["us"].requests); n > 0 {
		t.Errorf("%d requests to the other cluster", n)
	}
	for range maxChanges {
		if err := patch("eu"); err != nil && !errors.Is(err, ErrPaused) {
			t.Fatal(err)
		}
	}
	if err := patch("eu"); !errors.Is(err, ErrPaused) {
		t.Errorf("got %v", err)
	}
	if err := patch("us"); err != nil {
		t.Errorf("the object of the other cluster: %v", err)
	}

	v1 := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	writes.Renewed("us", v1, "v2")
	writes.Forget("eu")
	for cluster, want := range map[string]string{"eu": "v1", "us": "v2"} {
		if err := patch(cluster); err != nil { // nothing is paused any more
			t.Errorf("%s: %v", cluster, err)
		}
		requests := clusters[cluster].requests
		if got := requests[len(requests)-1].Version; got != want {
			t.Errorf("%s: version %s", cluster, got)
		}
	}
	for _, p := range clusters {
		p.fail = apierrors.NewGenericServerResponse(404, "patch", pods, "", "no", 0, false)
	}
	if err := patch("us"); err == nil || sink.IsPermanent(err) {
		t.Errorf("got %v", err)
	}
	if known := writes.in("eu").versions.missing; len(known) > 0 {
		t.Errorf("what one cluster lacks is missing in the other: %v", known)
	}
}

// What is known of a cluster that has left is forgotten, while others stay.
func TestAClusterIsForgotten(t *testing.T) {
	w := NewWrites()
	for _, cluster := range []string{"eu", "us"} {
		w.Of(cluster, "all").begin(webID)("8", "7")
	}
	w.Forget("eu")
	if len(w.clusters) != 1 || w.Of("eu", "all").Own(t.Context(), update(t, 7, 8)) ||
		!w.Of("us", "all").Own(t.Context(), update(t, 7, 8)) {
		t.Errorf("%d clusters are known, or not the right ones", len(w.clusters))
	}
}
