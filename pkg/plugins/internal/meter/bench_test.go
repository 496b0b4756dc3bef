package meter

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// small is a guest with a recursion and tight loops, which metering costs the most.
func small() []byte {
	m := &wasmtest.Module{}
	m.Memory(16, 16)
	less := []byte{0x48}
	sub := []byte{0x6b}
	m.Func("fib", "i", "i", "", local(0), konst(2), less, []byte{opIf, i32}, local(0),
		[]byte{opElse},
		local(0), konst(1), sub, invoke(0), local(0), konst(2), sub, invoke(0), add, []byte{opEnd})
	m.Func("loop", "i", "i", "ii", wasmtest.Times(1, 1_000_000), local(1))
	m.Func("sum", "i", "i", "ii", wasmtest.Times(1, 1_000_000, local(1), []byte{0x2d, 0, 0},
		local(2), add, []byte{0x21, 2}), local(2))
	return m.Bytes()
}

// BenchmarkGuests runs the same work as it is, metered, and with the engine's own way to end a
// call.
func BenchmarkGuests(b *testing.B) {
	goGuest := wasmtest.GoGuest(b, "testdata/cpu", ".")
	for _, w := range []struct {
		function string
		n        uint64
		module   []byte
	}{
		{"fib", 27, small()}, {"loop", 0, small()}, {"sum", 0, small()},
		{"hash", 300, goGuest}, {"order", 10, goGuest}, {"parse", 100, goGuest}, {
			"match", 20, goGuest},
	} {
		for _, kind := range []struct {
			name  string
			start func() *machine
		}{
			{"plain", func() *machine { return plain(b, cached(), w.module) }},
			{"metered", func() *machine { return metered(b, cached(), w.module) }},
			{"close-on-context-done", func() *machine {
				return plain(b, compiler().WithCloseOnContextDone(true), w.module)
			}},
		} {
			b.Run(w.function+"/"+kind.name, func(b *testing.B) {
				m := kind.start()
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				f := m.instance.ExportedFunction(w.function)
				for b.Loop() {
					if m.tank != nil {
						m.tank.Fill(plenty, time.Now())
					}
					if _, err := f.Call(ctx, w.n); err != nil {
						b.Fatal(err)
					}
				}
				if m.tank != nil {
					b.ReportMetric(float64(m.tank.Used()), "fuel/op")
				}
			})
		}
	}
}

// BenchmarkRatio runs the work of Go guests plain and metered by turns, as a machine with others on
// it is not as fast all the time, and reports how many times as long the best metered turn takes as
// the best plain one. Run it for 30 turns with -benchtime=30x.
func BenchmarkRatio(b *testing.B) {
	guest := wasmtest.GoGuest(b, "testdata/cpu", ".")
	for _, w := range []struct {
		function string
		n        uint64
	}{{"hash", 300}, {"order", 10}, {"parse", 100}, {"match", 20}} {
		b.Run(w.function, func(b *testing.B) {
			machines := []*machine{plain(b, cached(), guest), metered(b, cached(), guest)}
			best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				for n, m := range machines {
					if m.tank != nil {
						m.tank.Fill(plenty, time.Now())
					}
					begun := time.Now()
					if _, err := m.instance.ExportedFunction(w.function).Call(b.Context(),
						w.n); err != nil {
						b.Fatal(err)
					}
					best[n] = min(best[n], time.Since(begun))
				}
			}
			b.ReportMetric(float64(best[1])/float64(best[0]), "x-plain")
		})
	}
}

func BenchmarkRewrite(b *testing.B) {
	module := wasmtest.GoGuest(b, "testdata/cpu", ".")
	b.SetBytes(int64(len(module)))
	for b.Loop() {
		m, err := rewrite(module, options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(m.Module))/float64(len(module)), "size")
	}
}
