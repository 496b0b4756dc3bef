package store

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/informer/object"
)

// TestMain makes 500 runs of 200 operations the models' measure, unless the command line says more.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "500", "rapid.steps": "200"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// podText is a small object; extra goes into it after metadata.
func podText(name, uid string, version int, extra string) string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop",`+
		`"uid":%q,"resourceVersion":"%d"}%s}`, name, uid, version, extra)
}

func obj(name, uid string, version int) *object.Object {
	o, err := (&object.Parser{}).Parse([]byte(podText(name, uid, version, "")))
	if err != nil {
		panic(err)
	}
	return o
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

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "),
			strings.Join(want, "\n     "))
	}
}
