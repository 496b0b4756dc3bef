package keeper

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// BenchmarkLoad reads the snapshot of an informer with many objects and one listener.
func BenchmarkLoad(b *testing.B) {
	const count = 100_000
	var parser object.Parser
	objects := make([]*object.Object, 0, count)
	for i := range count {
		o, err := parser.Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d","namespace":"shop-%d","uid":"%032d","resourceVersion":"%d","labels":{"app":"web"}},"spec":{"nodeName":"node-%d"}}`,
			i, i%50, i, i, i%1000))
		if err != nil {
			b.Fatal(err)
		}
		objects = append(objects, o.Stored())
	}
	id := informerID("pods")
	var blocks [][]byte
	w := &writer{write: func(block []byte) error {
		blocks = append(blocks, bytes.Clone(block))
		return nil
	}}
	w.informer(whole(id, &informer.Stored{Version: "7", Objects: objects,
		Unfinished: map[string][]informer.Unfinished{"l": nil}}))
	if err := w.end(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s := newState()
		for _, block := range blocks {
			if err := s.add(block); err != nil {
				b.Fatal(err)
			}
		}
		informers, _, err := s.stored()
		if err != nil || len(informers[id].Objects) != count {
			b.Fatal(len(informers), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/object")
}
