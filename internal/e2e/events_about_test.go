package e2e

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kubernetesevent"
)

// TestOddEventsOnTheAPIServer: whatever the message says, the API server takes the Event.
func TestOddEventsOnTheAPIServer(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "odd-events")
	s, err := kubernetesevent.New(kubernetesevent.Config{API: w.api,
		Interval: time.Millisecond, Instance: strings.Repeat("ä", 200)})
	if err != nil {
		t.Fatal(err)
	}
	roles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1",
		Resource: "clusterroles"}
	for _, name := range []string{"system:go:a b", strings.Repeat("x", 253), "-a-", "Größe",
		"..."} {
		found, err := w.clusterWide.Resource(roles).Create(t.Context(), &unstructured.Unstructured{
			Object: map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1",
				"kind":     "ClusterRole",
				"metadata": map[string]any{"name": name}}}, metav1.CreateOptions{})
		if err != nil {
			t.Error(name, err)
			continue
		}
		o := w.parse(found)
		for _, m := range []sink.Message{
			{Data: `"\u0000\u001b[31m"`}, {Data: `""`}, {Data: ` null `}, {Data: `{"note":7}`}, {
				Data: "\"\xff\""},
			{Data: `"` + strings.Repeat("😀", 2000) + `"`}, {Type: "...", Data: "1"}, {
				Type: "é.ü", Data: "2"},
			{Type: strings.Repeat("x", 300), Data: "3"},
			{Body: sink.BodyReport, Report: &sink.Report{Rule: strings.Repeat("rule-", 50),
				Message: " "}},
			{Body: sink.BodyReport, Report: &sink.Report{Rule: "über", Message: "a\nb",
				Violated: true}},
		} {
			full := w.message(o, m.Data)
			if full.Type = m.Type; m.Type == "" {
				full.Type = "com.example.x"
			}
			if m.Report != nil {
				full.Body, full.Report = m.Body, m.Report
			}
			full.Origin = &sink.Origin{Listener: "a \x00 ä/" + strings.Repeat("y", 300),
				Group: roles.Group, Version: "v1",
				Plural: roles.Resource, Resource: "clusterroles." + roles.Group,
				Kind: "ClusterRole"}
			if err := writeTo(s, full); err != nil {
				t.Errorf("%.20q, %.30q, %.20q: %v", name, full.Data, full.Type, err)
			}
		}
		if err := w.clusterWide.Resource(roles).Delete(t.Context(), name,
			metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
}
