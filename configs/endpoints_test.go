package configs

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// A service looks only at the endpoints in its own namespace: with one service of the same name in
// each of many namespaces, the total work grows linearly with their number, not quadratically.
func TestServicesOfOneNameInManyNamespaces(t *testing.T) {
	const namespaces = 1000
	p := compile(t, load(t), builtin(t), "service-without-endpoints")
	slices := p.caches["slices"]
	slices.objects = nil
	sliceParser := parser(t, slices.informer)
	var services []*object.Object
	for i := range namespaces {
		ready := i%2 == 0
		o, err := sliceParser.Parse(
			fmt.Appendf(nil, `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"web-x","namespace":"ns-%d","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[{"conditions":{"ready":%t}}]}`, i, ready))
		if err != nil {
			t.Fatal(err)
		}
		slices.objects = append(slices.objects, o)
		if o, err = p.parser.Parse(
			fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"ns-%d"},"spec":{"selector":{"app":"web"}}}`, i)); err != nil {
			t.Fatal(err)
		}
		services = append(services, o)
	}
	violated := 0
	for i, o := range services[:20] {
		verdicts := p.judge(t, o)
		violated += len(verdicts)
		if wrong := len(verdicts) != i%2; wrong {
			t.Errorf("%s: %v", o.Namespace(), verdicts)
		}
	}
	if slices.returned == 0 || slices.returned > 20*20 {
		t.Errorf("20 services looked at %d slices", slices.returned)
	}
	if violated != 10 {
		t.Errorf("%d are violated", violated)
	}
}
