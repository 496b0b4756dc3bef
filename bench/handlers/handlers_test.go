package handlers

import (
	"errors"
	"os"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// opened opens a contender, and closes it with the test. If the compiler of its guest is missing,
// the test is skipped, unless GUESTS=required.
func opened(t testing.TB, c Contender) call {
	t.Helper()
	run, end, err := c.open(t.Context())
	if errors.Is(err, ErrNoCompiler) && os.Getenv("GUESTS") != "required" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return run
}

func pod(t testing.TB, seed uint64) *object.Object {
	t.Helper()
	o, err := Pod(seed)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestAllAnswerTheSame(t *testing.T) {
	for _, c := range Contenders() {
		t.Run(c.Name(), func(t *testing.T) {
			if c.Guest == goGuest && testing.Short() {
				t.Skip("compiling a Go guest takes seconds")
			}
			run := opened(t, c)
			seen := map[int32]int{}
			for seed := range uint64(100) {
				o := pod(t, seed)
				want := answer(phasePath.Lookup(o).Text(), imagePath.Lookup(o).Text())
				got, err := run(o)
				if err != nil || got != want {
					t.Fatalf("pod %d: got %d, %v, want %d", seed, got, err, want)
				}
				seen[got]++
			}
			if len(seen) != 4 {
				t.Errorf("the answers are too much alike: %v", seen)
			}
		})
	}
}

func TestPodsHaveTheSizeTheyShould(t *testing.T) {
	for seed := range uint64(20) {
		if size := pod(t, seed).Size(); size < 9_500 || size > 11_000 {
			t.Errorf("pod %d has %d bytes", seed, size)
		}
	}
}

func BenchmarkTwoFields(b *testing.B) {
	o := pod(b, 7)
	for _, c := range Contenders() {
		b.Run(c.Name(), func(b *testing.B) {
			run := opened(b, c)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := run(o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
