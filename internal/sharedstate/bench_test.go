package sharedstate

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkWrites measures commits and letters of one hold, with servers that sync each write.
func BenchmarkWrites(b *testing.B) {
	for _, replicas := range []int{1, 3} {
		b.Run(fmt.Sprint("R", replicas), func(b *testing.B) {
			var url string
			if replicas == 1 {
				url = start(b, nil).ClientURL()
			} else {
				url = newCluster(b).url()
			}
			s := openState(b, url, replicas)
			awaitReady(b, s)
			h := take(b, s, "p", 1)
			for _, changes := range []int{1, 100} {
				all := map[string]*Value{}
				for i := range changes {
					all[fmt.Sprint("key ", i)] = &Value{Data: strings.Repeat("x", 100)}
				}
				b.Run(fmt.Sprint("commit of ", changes), func(b *testing.B) {
					for b.Loop() {
						commit(b, h, map[string]map[string]*Value{"t": all})
					}
					perSecond(b, b.N)
				})
			}
			b.Run("load of 100", func(b *testing.B) {
				for b.Loop() {
					loaded(b, h, "t")
				}
			})
			b.Run("hold", func(b *testing.B) {
				for b.Loop() {
					take(b, s, "q", 1)
				}
			})
			letter := strings.Repeat("x", 2000)
			for _, callers := range []int{1, 64} {
				b.Run(fmt.Sprint("letters of ", callers), func(b *testing.B) {
					var next atomic.Int64
					var wg sync.WaitGroup
					for range callers {
						wg.Go(func() {
							for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
								put(b, h, fmt.Sprint(i), letter)
							}
						})
					}
					wg.Wait()
					perSecond(b, b.N)
				})
			}
		})
	}
}

func perSecond(b *testing.B, n int) {
	b.ReportMetric(float64(n)/(b.Elapsed()+time.Nanosecond).Seconds(), "writes/s")
}
