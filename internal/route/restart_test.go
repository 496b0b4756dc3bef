package route

import (
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/object"
)

// appendText and parsed are how the tests' cuts have objects.
func appendText(to []byte, o *object.Object) []byte { return o.AppendJSON(to) }

func parsed(text []byte) (*object.Object, error) { return (&object.Parser{}).Parse(text) }

func newMessages(t testing.TB) *cloudevent.Builder {
	t.Helper()
	b, err := cloudevent.NewBuilder(sink.Origin{Cluster: "c", Listener: "l", Resource: "pods",
		Version: "v1", Kind: "Pod"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
