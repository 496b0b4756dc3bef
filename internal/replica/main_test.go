package replica

import (
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "2000"); err != nil {
		panic(err)
	}
	pack(nil) // it makes its channels now, outside of the bubbles of synctest
	goleak.VerifyTestMain(m)
}

// setChecks sets how often rapid.Check runs a test.
func setChecks(t *testing.T, n int) {
	before := flag.Lookup("rapid.checks").Value.String()
	_ = flag.Set("rapid.checks", strconv.Itoa(n))
	t.Cleanup(func() { _ = flag.Set("rapid.checks", before) })
}

var (
	quiet = slog.New(slog.DiscardHandler)
	pods  = informer.Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
		Resource: "pods"}, Kind: "Pod"}
)

// podText returns a pod as JSON.
func podText(name, uid string, version int, state string) string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"ns",`+
		`"uid":%q,"resourceVersion":"%d"},"state":%q}`, name, uid, version, state)
}

func pod(name, uid string, version int) *object.Object {
	o, err := (&object.Parser{}).Parse([]byte(podText(name, uid, version, "")))
	if err != nil {
		panic(err)
	}
	return o
}

// source is a keeper's source with one listener that has nothing.
type source struct{ name, selects string }

func (s source) source() keeper.Source {
	return keeper.Source{Informers: noInformers{}, Flush: func() error { return nil },
		Listeners: func() []keeper.Cutter { return []keeper.Cutter{s} }}
}

func (s source) Name() string        { return s.name }
func (s source) Select() string      { return s.selects }
func (s source) Cut(record.Writer)   {}
func (s source) Whole(record.Writer) {}

type noInformers struct{}

func (noInformers) Cut() []informer.InformerCut                       { return nil }
func (noInformers) Kept([]string) bool                                { return false }
func (noInformers) CutAndWhole() (last, whole []informer.InformerCut) { return nil, nil }
