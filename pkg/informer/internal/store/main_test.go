package store

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) {
	informertest.SetModelRuns()
	goleak.VerifyTestMain(m)
}

func withSpec(name string, version int, spec string) *object.Object {
	o, err := (&object.Parser{}).Parse([]byte(podText(name, "u"+name, version, `,"spec":`+spec)))
	if err != nil {
		panic(err)
	}
	return o
}

func named(objects []*object.Object) []string {
	var names []string
	for _, o := range objects {
		names = append(names, o.Name()+"@"+o.ResourceVersion())
	}
	slices.Sort(names)
	return names
}

var (
	podText = informertest.PodText
	expect  = informertest.Expect
	obj     = informertest.Object
)
