package meter

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// farthest runs a module with a visit at each check that finds anything used, and returns the most
// units that were used between two of them.
func farthest(t *testing.T, module []byte, pass uint32) (most int64) {
	t.Helper()
	m := meteredWith(t, interpreter(), module, options{pass: pass})
	last := int64(0)
	note := func() error {
		used := m.tank.Used()
		most = max(most, used-last)
		last = used
		return nil
	}
	m.tank.Slice, m.tank.Check = 1, note
	m.tank.Fill(150_000, time.Now())
	_, _ = m.call("run") // it may end for want of fuel, or of stack
	_ = note()
	return most
}

// bound is the most between two checks: on the pass of a caller, on that of the function that
// returned to it, and on the straight code of one that begins with a loop; and a small function
// that is not counted yet.
func bound(pass int64) int64 { return 3*pass + smallFunction + 2 }

// passes makes modules of nothing but straight code, branches, calls and recursion, in which checks
// are easily passed by.
type passes struct {
	*rand.Rand
	functions uint32
	leaves    uint32
	self      uint32
	depth     int // of blocks
}

func (g *passes) straight(n int) []byte { return slices.Repeat(cat(konst(1), drop), n) }

// sometimes pushes a number that is 0 or not, by how deep the recursion is.
func (g *passes) sometimes() []byte {
	return cat(local(0), konst(int32(1+g.IntN(7))), []byte{0x71})
}

func (g *passes) statement() []byte {
	inner := func(code func() []byte) []byte {
		g.depth++
		defer func() { g.depth-- }()
		return code()
	}
	all := byte(g.depth) // the label of the function
	switch kind := g.IntN(10); {
	case kind < 2 || g.depth > 3:
		return g.straight(g.IntN(90))
	case kind == 2: // what is between is skipped
		return inner(func() []byte {
			return cat([]byte{opBlock, 0x40}, g.sometimes(), []byte{opBrIf, 0}, g.statements(),
				[]byte{opEnd})
		})
	case kind == 3:
		return inner(func() []byte {
			return cat(g.sometimes(), []byte{opIf, 0x40}, g.statements(), []byte{opElse},
				g.statements(), []byte{opEnd})
		})
	case kind == 4:
		return cat(g.sometimes(), []byte{opIf, 0x40, opReturn, opEnd})
	case kind == 5:
		return cat(g.sometimes(), []byte{opBrIf, all})
	case kind == 6:
		return inner(func() []byte {
			return cat([]byte{opBlock, 0x40}, g.statements(), g.sometimes(),
				[]byte{opBrTable, 1, 0, all + 1, opEnd})
		})
	case kind == 7:
		return slices.Repeat(invoke(g.functions+uint32(g.IntN(int(g.leaves)))), 1+g.IntN(10))
	default: // any function, itself included, less deep
		callee := 1 + uint32(g.IntN(int(g.functions-1)))
		return cat(local(0), wasmtest.If(local(0), konst(1), []byte{0x6b}, invoke(callee)))
	}
}

func (g *passes) statements() (code []byte) {
	for range 1 + g.IntN(4) {
		code = append(code, g.statement()...)
	}
	return code
}

func (g *passes) module() []byte {
	m := &wasmtest.Module{}
	m.Func("run", "", "", "", konst(int32(5+g.IntN(60))), invoke(1))
	for g.self = 1; g.self < g.functions; g.self++ {
		code := g.statements()
		if g.IntN(4) == 0 { // it begins with a loop, and has no check before
			code = cat(g.straight(g.IntN(40)),
				wasmtest.Times(1, int32(1+g.IntN(4)), g.straight(g.IntN(20))), code)
		}
		m.Func("", "i", "", "i", code)
	}
	for range g.leaves {
		m.Func("", "", "", "", g.straight(g.IntN(smallFunction)))
	}
	return m.Bytes()
}

// No way through a module is long without a check, whatever it calls, skips and returns from.
func TestNoPassIsLong(t *testing.T) {
	seeds, most := uint64(400), int64(0)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		g := &passes{Rand: rand.New(rand.NewPCG(seed, 5)), functions: 5, leaves: 3}
		pass := 100 + uint32(seed%200)
		got := farthest(t, g.module(), pass)
		if got > bound(int64(pass)) {
			t.Fatalf("seed %d: %d units between two checks of a pass of %d, at most %d are right",
				seed, got, pass, bound(int64(pass)))
		}
		most = max(most, got*100/bound(int64(pass)))
	}
	if t.Logf("the farthest took %d%% of what is allowed", most); most < 25 {
		t.Error("the modules do not come near the bound")
	}
}

func TestPassesThatLookHarmless(t *testing.T) {
	work := slices.Repeat(cat(konst(1), drop), 40)
	for name, module := range map[string]func() *wasmtest.Module{
		"many calls of small functions": func() *wasmtest.Module {
			m := guest("", slices.Repeat(invoke(1), 20_000))
			m.Func("", "", "", "", slices.Repeat(cat(konst(1), drop), smallFunction/2))
			return m
		},
		"straight code": func() *wasmtest.Module { return guest("", slices.Repeat(work, 500)) },
		"straight code, and all checks are skipped": func() *wasmtest.Module {
			skipped := cat([]byte{opBlock, 0x40}, konst(1), []byte{opBrIf, 0},
				slices.Repeat(work, 3), []byte{opEnd})
			return guest("", slices.Repeat(cat(slices.Repeat(konst(1), 30), slices.Repeat(drop, 30),
				skipped), 500))
		},
		"functions that return one after the other": func() *wasmtest.Module {
			m := guest("", konst(1000), invoke(1))
			m.Func("", "i", "", "", local(0),
				wasmtest.If(local(0), konst(1), []byte{0x6b}, invoke(1)), work)
			return m
		},
		"functions that branch to their ends": func() *wasmtest.Module {
			m := guest("", konst(1000), invoke(1))
			m.Func("", "i", "", "", local(0),
				wasmtest.If(local(0), konst(1), []byte{0x6b}, invoke(1)), work, konst(1),
				[]byte{wasmbin.BrIf, 0})
			return m
		},
		"straight code before a loop, called": func() *wasmtest.Module {
			m := guest("", slices.Repeat(cat(konst(1), invoke(1)), 300))
			m.Func("", "i", "", "i", slices.Repeat(work, 10), wasmtest.Times(1, 2),
				slices.Repeat(work, 10))
			return m
		},
	} {
		const pass = 200
		if got := farthest(t, module().Bytes(), pass); got > bound(pass) {
			t.Errorf("%s: %d units between two checks, at most %d are right", name, got,
				bound(pass))
		}
	}
}
