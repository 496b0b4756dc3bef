package packing

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

// BenchmarkPack is the cost of a watch event: packing its object and copying the packed form to
// memory of its exact size.
func BenchmarkPack(b *testing.B) {
	eachCase(b, func(b *testing.B, packers []packer, c corpus) {
		total := 0
		for i, text := range c.texts {
			total += len(packers[i%len(packers)].pack(nil, text))
		}
		scratch := make([]byte, 0, 1<<20)
		i := 0
		for b.Loop() {
			exact(packers[i%len(packers)].pack(scratch, c.texts[i]))
			i = (i + 1) % len(c.texts)
		}
		b.ReportMetric(float64(total)/float64(len(c.texts)), "B/object")
	})
}

// BenchmarkUnpack returns each text in new memory.
func BenchmarkUnpack(b *testing.B) {
	eachCase(b, func(b *testing.B, packers []packer, c corpus) {
		benchmarkUnpack(b, packers, c, nil)
	})
}

// BenchmarkUnpackReused returns each text in the memory of the previous one.
func BenchmarkUnpackReused(b *testing.B) {
	eachCase(b, func(b *testing.B, packers []packer, c corpus) {
		benchmarkUnpack(b, packers, c, make([]byte, 0, 1<<20))
	})
}

func benchmarkUnpack(b *testing.B, packers []packer, c corpus, scratch []byte) {
	packed := make([][]byte, len(c.texts))
	for i, text := range c.texts {
		packed[i] = exact(packers[i%len(packers)].pack(nil, text))
	}
	i := 0
	for b.Loop() {
		if _, err := packers[i%len(packers)].unpack(scratch, packed[i]); err != nil {
			b.Fatal(err)
		}
		i = (i + 1) % len(packed)
	}
}

// eachCase runs a benchmark for each contender and case, with the packers of packersOf.
func eachCase(b *testing.B, run func(b *testing.B, packers []packer, c corpus)) {
	for _, c := range contenders {
		for _, tc := range cases {
			b.Run(c.name+"/"+tc.name, func(b *testing.B) {
				if tc.name == "10KB-previous" && c.scope != workload {
					b.Skip("uses no base")
				}
				corpus := tc.corpus(benchPods)
				packers := packersOf(b, c, corpus)
				b.ReportAllocs()
				run(b, packers, corpus)
			})
		}
	}
}

// BenchmarkShare is the cost of an object including its part of what is shared, if each of 50
// workloads has n: the time to make the packers and pack everything, and the heap of the packers
// and the packed texts after each text was unpacked once.
func BenchmarkShare(b *testing.B) {
	for _, c := range contenders {
		for _, n := range []int{3, 10, 400} {
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				all := ownIDs.corpus(400 * objects.Workloads)
				all.texts = all.texts[:n*objects.Workloads]
				heap := heapOf(1, func(int) any {
					packers, packed := packAll(b, c, all)
					for i, text := range packed {
						if _, err := packers[i%len(packers)].unpack(nil, []byte(text)); err != nil {
							b.Fatal(err)
						}
					}
					return []any{packers, packed}
				})
				for b.Loop() {
					packAll(b, c, all)
				}
				b.ReportMetric(heap/float64(len(all.texts)), "heapB/object")
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(len(all.texts)),
					"ns/object")
			})
		}
	}
}

func packAll(b *testing.B, c contender, all corpus) ([]packer, []string) {
	packers := packersOf(b, c, all)
	packed := make([]string, len(all.texts))
	scratch := make([]byte, 0, 16<<10)
	for i, text := range all.texts {
		packed[i] = string(packers[i%len(packers)].pack(scratch, text))
	}
	return packers, packed
}

// BenchmarkFootprint is the heap of one packer for pods of 10 KB, including its base or dictionary:
// when it is made, and after as many goroutines as Go runs at once have packed and unpacked with
// it.
func BenchmarkFootprint(b *testing.B) {
	for _, c := range contenders {
		b.Run(c.name, func(b *testing.B) {
			pods := medium.corpus(testPods)
			const packers = 4
			one := func(i int) packer {
				return packersOf(b, c, corpus{bases: pods.bases[i : i+1], samples: pods.samples})[0]
			}
			fresh := heapOf(packers, func(i int) any { return one(i) })
			used := heapOf(packers, func(i int) any {
				p := one(i)
				use(b, p, pods.texts)
				return p
			})
			for b.Loop() {
				// There is nothing to measure in time.
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(fresh, "madeB/packer")
			b.ReportMetric(used, "usedB/packer")
		})
	}
}

func use(b *testing.B, p packer, texts [][]byte) {
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for _, text := range texts[:100] {
				if _, err := p.unpack(nil, p.pack(nil, text)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// heapOf returns the bytes of heap that each of n things holds.
func heapOf(n int, thing func(i int) any) float64 {
	things := make([]any, n)
	before := liveHeap()
	for i := range things {
		things[i] = thing(i)
	}
	after := liveHeap()
	runtime.KeepAlive(things)
	return (float64(after) - float64(before)) / float64(n)
}

func liveHeap() uint64 {
	// What a sync.Pool holds survives the first collection.
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
