package meter

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// engines are the two that a module may run in.
var engines = []struct {
	name   string
	config func() wazero.RuntimeConfig
}{{"compiler", compiler}, {"interpreter", interpreter}}

// The names of instructions are short here, as tests are mostly made of them.
var (
	konst  = wasmtest.Const
	local  = wasmtest.Local
	invoke = wasmtest.Call
	drop   = wasmtest.Drop
	add    = wasmtest.Add
)

func cat(parts ...[]byte) []byte { return slices.Concat(parts...) }

func bulk(op byte, immediates ...byte) []byte { return append([]byte{opBulk, op}, immediates...) }

// guest is a module with a memory of a page, at most 16, two tables, and a function "run".
func guest(locals string, code ...[]byte) *wasmtest.Module {
	m := &wasmtest.Module{}
	m.Memory(1, 16)
	m.Table(10, 100)
	m.Table(10, -1)
	m.Func("run", "", "", locals, code...)
	return m
}

// TestEndlessModulesStop has whatever can go on without end. What is over the budget when it ends
// is what runs at most between two checks.
func TestEndlessModulesStop(t *testing.T) {
	null := []byte{wasmbin.RefNull, ref}
	for _, test := range []struct {
		name   string
		module *wasmtest.Module
		over   int64
	}{
		{"loop", guest("", wasmtest.Forever), 1},
		{"loop in a block, left by none", guest("", []byte{opBlock, 0x40}, wasmtest.Forever,
			[]byte{opEnd}), 1},
		{"loop that ends with a condition",
			guest("", []byte{opLoop, 0x40}, konst(1), []byte{opBrIf, 0, opEnd}), 2},
		{"loop that restarts from within", guest("", []byte{opLoop, 0x40}, konst(1),
			[]byte{opIf, 0x40, opBr, 1, opEnd, opEnd}), 3},
		{"loop of a br_table",
			guest("i", []byte{opLoop, 0x40}, local(0), []byte{opBrTable, 2, 0, 0, 0, opEnd}), 2},
		{"loop with blocks that a br_table leads to",
			guest("i", []byte{opLoop, 0x40, opBlock, 0x40, opBlock, 0x40}, local(0),
				konst(1), add, []byte{opLocalTee, 0}, konst(1), []byte{0x71, opBrTable, 1, 0, 1,
					opEnd, opBr, 1, opEnd, opBr, 0, opEnd}), 9},
		{"loop without code before its branches",
			guest("", cat([]byte{opLoop, 0x40, opLoop, 0x40, opBr, 1, opEnd, opEnd})), 1},
		{"loop with a value", func() *wasmtest.Module {
			m := guest("", invoke(1), drop)
			m.Func("", "", "i", "", []byte{opLoop, i32, opI32Const, 1, opBr, 0, opEnd})
			return m
		}(), 2},
		{"loop with a parameter", func() *wasmtest.Module {
			m := guest("", invoke(2))
			m.Func("", "i", "", "", local(0), drop, invoke(0)) // for its type, the second one
			m.Func("", "", "", "", konst(5), []byte{opLoop, 1, opBr, 0, opEnd})
			return m
		}(), 1},
		{"recursion", guest("", invoke(0)), 1},
		{"mutual recursion", func() *wasmtest.Module {
			m := guest("", invoke(1))
			m.Func("", "", "", "", konst(1), drop, invoke(0))
			return m
		}(), 3},
		{"recursion that returns a lot", func() *wasmtest.Module {
			m := guest("", konst(1000), invoke(1))
			m.Func("", "i", "", "", local(0),
				wasmtest.If(local(0), konst(1), []byte{0x6b}, invoke(1), local(0), konst(1),
					[]byte{0x6b}, invoke(1)))
			return m
		}(), 6},
		{"calls of large leaves", func() *wasmtest.Module {
			m := guest("", wasmtest.Loop(slices.Repeat(invoke(1), 20)))
			m.Func("", "", "", "", slices.Repeat(cat(konst(1), drop), 100))
			return m
		}(), 201},
		{"recursion before a loop", guest("i", invoke(0), wasmtest.Times(0, 9)), 1},
		{"recursion around a loop", guest("i", local(0), wasmtest.If(wasmtest.Times(0, 9)),
			invoke(0)), 3},
		{"memory.fill of more than there is",
			guest("", konst(0), konst(1), konst(-1), bulk(bulkMemoryFill, 0)), 1 << 28},
		{"memory.fill", guest("",
			wasmtest.Loop(konst(0), konst(1), konst(65536), bulk(bulkMemoryFill, 0))), 4096 + 5},
		{"memory.copy", guest("",
			wasmtest.Loop(konst(0), konst(1), konst(65535), bulk(bulkMemoryCopy, 0, 0))), 4096 + 5},
		{"table.fill", guest("", wasmtest.Loop(konst(0), null, konst(10), bulk(bulkTableFill, 1))),
			10 + 5},
		{"table.copy", guest("",
			wasmtest.Loop(konst(0), konst(0), konst(10), bulk(bulkTableCopy, 0, 1))), 10 + 5},
		{"table.grow", guest("", wasmtest.Loop(null, konst(100), bulk(bulkTableGrow, 1), drop)),
			100 + leave + 5},
		{"table.grow of more than there can be",
			guest("", wasmtest.Loop(null, konst(-1), bulk(bulkTableGrow, 1), drop)),
			DefaultMaxTable + leave + 5},
		{"memory.grow", guest("", wasmtest.Loop(wasmtest.Grow(1), drop)), leave + 4 + unitsPerPage},
		{"memory.grow of more than there can be", guest("", wasmtest.Loop(wasmtest.Grow(-1), drop)),
			leave + 4},
	} {
		module := test.module.Bytes()
		for _, engine := range engines {
			t.Run(test.name+"/"+engine.name, func(t *testing.T) {
				m := metered(t, engine.config(), module)
				const budget = 1500 // the interpreter allows for 2000 calls in one another
				m.tank.Slice = 100
				m.tank.Fill(budget, time.Now())
				_, err := m.call("run")
				if !errors.Is(err, ErrSpent) {
					t.Fatalf("ended with %v", err)
				}
				if used := m.tank.Used(); used <= budget || used > budget+test.over {
					t.Errorf("used %d of %d, at most %d more are right", used, budget, test.over)
				}
			})
		}
	}
}

func TestStartFunctionIsMetered(t *testing.T) {
	m := guest("", wasmtest.Forever)
	m.Start(0)
	rewritten, err := rewrite(m.Bytes(), options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range engines {
		tank := &Tank{Fuel: rewritten.Fuel}
		tank.Fill(1_000_000, time.Now())
		if _, err := start(t, engine.config(), rewritten.Module, tank); !errors.Is(err, ErrSpent) {
			t.Errorf("%s: ended with %v", engine.name, err)
		}
		if used := tank.Used(); used != 1_000_001 {
			t.Errorf("%s: used %d of 1000000", engine.name, used)
		}
	}
}

func TestHugeFillIsRefusedBeforeItIsDone(t *testing.T) {
	m := guest("", konst(0), konst(1), konst(65536), bulk(bulkMemoryFill, 0))
	m.Export("memory", 2, 0)
	ma := metered(t, compiler(), m.Bytes())
	ma.tank.Fill(4000, time.Now())
	if _, err := ma.call("run"); !errors.Is(err, ErrSpent) {
		t.Fatalf("ended with %v", err)
	}
	if b, _ := ma.instance.Memory().ReadByte(0); b != 0 {
		t.Error("the memory was filled")
	}
}

// The garbage collector stops the world, so that it must wait for a guest that does not leave
// native code.
func TestGarbageCollectorGetsThrough(t *testing.T) {
	stop := errors.New("stopped by the test")
	for name, module := range map[string]*wasmtest.Module{
		"loop":      guest("", wasmtest.Forever),
		"recursion": guest("", wasmtest.Loop(konst(25), invoke(1))),
		"no memory": func() *wasmtest.Module {
			m := &wasmtest.Module{}
			m.Func("run", "", "", "", wasmtest.Forever)
			return m
		}(),
	} {
		module.Func("", "i", "", "", local(0),
			wasmtest.If(local(0), konst(1), []byte{0x6b}, invoke(1), local(0), konst(1),
				[]byte{0x6b}, invoke(1)))
		m := metered(t, compiler(), module.Bytes())
		var stopped atomic.Bool
		running := make(chan struct{}, 1)
		m.tank.Check = func() error {
			select {
			case running <- struct{}{}:
			default:
			}
			if stopped.Load() {
				return stop
			}
			return nil
		}
		ended := make(chan error, 1)
		m.tank.Fill(20_000_000_000, time.Now()) // should it not get through, this ends in the end
		go func() {
			_, err := m.call("run")
			ended <- err
		}()
		<-running
		for range 5 {
			runtime.GC()
		}
		stopped.Store(true)
		if err := <-ended; !errors.Is(err, stop) {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
}
