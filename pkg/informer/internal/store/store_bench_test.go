package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/object"
)

// BenchmarkPutUnderReaders measures the writer's side of a store of 200,000 objects in 200
// namespaces: alone, and with 8 readers that list everything, or a namespace, one after the other.
func BenchmarkPutUnderReaders(b *testing.B) {
	const objects, namespaces = 200_000, 200
	s := New()
	all := make([]*object.Object, objects)
	for i := range all {
		text := fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d","namespace":"n%d","uid":"u%d","resourceVersion":"%d"}}`, i, i%namespaces, i, i)
		o, err := (&object.Parser{}).Parse([]byte(text))
		if err != nil {
			b.Fatal(err)
		}
		all[i] = o
		s.Put(o)
	}
	readers := map[string]func(){
		"alone":      nil,
		"list":       func() { _ = s.List() },
		"namespaces": func() { _, _ = s.ByIndex(NamespaceIndex, "n7") },
		"gets":       func() { _ = s.Get(all[7].Key()) },
	}
	for _, name := range []string{"alone", "gets", "namespaces", "list"} {
		b.Run(name, func(b *testing.B) {
			stop := make(chan struct{})
			var wg sync.WaitGroup
			if read := readers[name]; read != nil {
				for range 8 {
					wg.Go(func() {
						for {
							select {
							case <-stop:
								return
							default:
								read()
							}
						}
					})
				}
			}
			var waits []time.Duration
			i := 0
			for b.Loop() {
				begun := time.Now()
				s.Put(all[i%objects])
				waits = append(waits, time.Since(begun))
				i += 7919
			}
			close(stop)
			wg.Wait()
			slices.Sort(waits)
			b.ReportMetric(float64(waits[len(waits)/2].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(waits[len(waits)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}
