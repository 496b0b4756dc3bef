package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/informer/object"
)

// An object that an informer does not watch has all reasons for that.
func TestOutside(t *testing.T) {
	o, err := new(object.Parser).Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","labels":{"a":"b"}},"spec":{"nodeName":"n1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ informer, want string }{
		{"resource: pods", ""},
		{"resource: pods, namespaces: [pay, shop], labelSelector: a=b, fieldSelector: spec.nodeName=n1", ""},
		{"resource: pods, namespaces: [pay]", "the informer watches only the namespaces pay"},
		{"resource: pods, labelSelector: a=c, fieldSelector: spec.nodeName!=n1",
			"the informer's labelSelector is a=c; the informer's fieldSelector is spec.nodeName!=n1"},
		{"resource: pods, drop: [spec], fieldSelector: spec.nodeName!=n1", ""}, // only an API server knows
	} {
		cfg, err := config.Parse("c.yaml", fmt.Appendf(nil, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}}
listeners: {pods: {informer: {%s}, outputs: [out]}}
`, c.informer))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(outside(cfg.Listeners["pods"].Informer(), o), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.informer, got, c.want)
		}
	}
}
