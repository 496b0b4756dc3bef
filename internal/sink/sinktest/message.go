package sinktest

import (
	"fmt"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// observed is when all messages were observed.
var observed = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

// secret is in every object, and must be in no error.
const secret = "hunter2"

// Builder returns the builder of the suite's messages.
func Builder(t testing.TB) *cloudevent.Builder {
	t.Helper()
	return builderIn(t, "prod")
}

func builderIn(t testing.TB, cluster string) *cloudevent.Builder {
	t.Helper()
	b, err := cloudevent.NewBuilder(sink.Origin{Cluster: cluster, Listener: "all",
		Resource: "pods", Version: "v1", Plural: "pods", Kind: "Pod"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Object parses an object.
func Object(t testing.TB, text string) *object.Object {
	t.Helper()
	var p object.Parser
	o, err := p.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Message returns an ordinary message: an update of a pod in namespace shop.
func Message(t testing.TB, name string, version int) sink.Message {
	t.Helper()
	return MessageIn(t, "prod", name, version)
}

// MessageIn returns a Message of another cluster, about an object with the same names and uid.
func MessageIn(t testing.TB, cluster, name string, version int) sink.Message {
	t.Helper()
	return builderIn(t, cluster).Event(event.Event{Op: event.Update, Object: pod(t, name, version),
		Old: pod(t, name, version-1)}, observed)
}

func pod(t testing.TB, name string, version int) *object.Object {
	t.Helper()
	return Object(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,`+
		`"namespace":"shop","uid":"uid-%s","resourceVersion":"%d"},"spec":{"password":%q}}`,
		name, name, version, secret))
}
