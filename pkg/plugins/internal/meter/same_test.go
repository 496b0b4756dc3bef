package meter

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

// outcome is what a run of a generated module leaves.
type outcome struct {
	results []uint64
	trap    string // its kind, "" for none
	globals []uint64
	memory  []byte
	used    int64 // by the tank
	counted int64 // by the module itself
}

// runGenerated instantiates a generated module, which may run a start function, and calls it.
func runGenerated(t *testing.T, config wazero.RuntimeConfig, module []byte,
	tank *Tank) (o outcome) {
	t.Helper()
	m, err := start(t, config, module, tank)
	if m != nil {
		defer m.close()
		o.results, err = m.instance.ExportedFunction("run").Call(context.Background())
		o.globals = []uint64{m.instance.ExportedGlobal("a").Get(),
			m.instance.ExportedGlobal("b").Get()}
		o.counted = int64(m.instance.ExportedGlobal(countName).Get())
		if memory := m.instance.ExportedMemory("memory"); memory != nil {
			b, _ := memory.Read(0, memory.Size())
			o.memory = slices.Clone(b)
		}
	}
	o.trap = kindOfTrap(err)
	if tank != nil {
		o.used = tank.Used()
	}
	return o
}

func kindOfTrap(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrSpent):
		return ErrSpent.Error()
	}
	kind := err.Error()
	if at := strings.Index(kind, "wasm error:"); at >= 0 {
		kind = kind[at:]
	}
	kind, _, _ = strings.Cut(kind, "\n")
	return kind
}

func (o outcome) same(other outcome) bool {
	return o.trap == other.trap && slices.Equal(o.results, other.results) &&
		slices.Equal(o.globals, other.globals) &&
		bytes.Equal(o.memory, other.memory)
}

// most is the fuel that a generated module gets: it may have loops in loops in functions called in
// loops.
const most = 200_000

// checkGenerated compares a generated module with its rewritten form.
func checkGenerated(t *testing.T, seed uint64, engine func() wazero.RuntimeConfig) {
	t.Helper()
	compiled := wazero.NewCompilationCache()
	defer compiled.Close(context.Background())
	config := engine().WithCompilationCache(compiled)
	module := generate(seed, false)
	// ranges are short here, and are cut up all the same
	m, err := rewrite(module, options{piece: 1 + uint32(seed%50)})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	run := func(budget, slice int64) outcome {
		tank := &Tank{Fuel: m.Fuel, Slice: slice}
		tank.Fill(budget, time.Now())
		return runGenerated(t, config, m.Module, tank)
	}
	got := run(most, 0)
	if got.trap == ErrSpent.Error() {
		if got.used <= most {
			t.Fatalf("seed %d: spent at %d of %d", seed, got.used, most)
		}
		return
	}
	want := runGenerated(t, config, module, nil)
	if !got.same(want) {
		t.Fatalf("seed %d: rewritten %.200v\noriginal %.200v", seed, got, want)
	}
	counted := runGenerated(t, config, generate(seed, true), nil)
	switch {
	case counted.memory == nil && counted.globals == nil: // it trapped in its start function
	case want.trap == "" && got.used != counted.counted, got.used > counted.counted:
		t.Fatalf("seed %d: %d used, but %d instructions executed", seed, got.used, counted.counted)
	case counted.counted-got.used > int64(len(module)):
		t.Fatalf("seed %d: at a trap %d used, but %d instructions executed", seed, got.used,
			counted.counted)
	}
	checkBudgets(t, seed, got, run)
}

// checkBudgets runs a module that uses some fuel with less, and with as much.
func checkBudgets(t *testing.T, seed uint64, want outcome, run func(budget, slice int64) outcome) {
	t.Helper()
	step := max(want.used/20, 1)
	for budget := want.used; budget > want.used-20*step && budget >= 0; budget -= step {
		slice := budget/7 + 1
		got := run(budget, slice)
		switch {
		case got.trap == ErrSpent.Error() && got.used > budget && budget < want.used:
		case got.same(want) && got.used == want.used:
		default:
			t.Fatalf("seed %d, budget %d of %d: %.200v, want %.200v", seed, budget, want.used, got,
				want)
		}
	}
}

// Every path pays for exactly what it executes, and computes the same.
func TestGeneratedModulesComputeTheSame(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		checkGenerated(t, seed, interpreter)
		if seed%10 == 0 {
			checkGenerated(t, seed, compiler)
		}
	}
}
