package delivery

import (
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Expressions of outputs see the cluster that a message is of.
func TestViewOfTheCluster(t *testing.T) {
	b, err := cloudevent.NewBuilder(sink.Origin{Cluster: "prod-eu", Listener: "pods", Resource: "pods",
		ClusterLabels: map[string]string{"region": "eu"}})
	if err != nil {
		t.Fatal(err)
	}
	parser := object.Parser{APIVersion: "v1", Kind: "Pod"}
	pod, err := parser.Parse([]byte(`{"metadata":{"name":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	f, err := filters.Compile(filters.Expression{Kind: filters.KindText,
		Text: `cluster + " in " + cluster.labels.region`})
	if err != nil {
		t.Fatal(err)
	}
	m := b.Event(event.Event{Op: event.Add, Object: pod}, time.Unix(0, 0))
	var v filters.Message
	View(&v, &m)
	if got, err := f.Evaluator().TextOf(&v); got != "prod-eu in eu" || err != nil {
		t.Error(got, err)
	}
}
