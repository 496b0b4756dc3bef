// Package hostile makes WebAssembly modules that try to do harm: to never end, to take memory, to
// stop others, to break the host or to have more than they were granted. Its tests load and run all
// of them in a real host.
//
// What is promised of the corpus:
//   - All returns the same modules each time. Their names are unique.
//   - Each case states how it must end. A host in which it ends in another way, or later than its
//     deadlines say, is broken.
//   - Mutant makes the same damage for the same seed.
//
// The modules are made by hand and hold nothing but what they are about. The limits they are made
// for are Memory, Deadline and LoadDeadline.
//
// A Program is made by chance. A search over them looks for what holds up the host the longest, or
// takes the most of the engine's stack.
package hostile

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// The limits that the cases are to be run with.
const (
	Memory       = 4 << 20
	Deadline     = 100 * time.Millisecond
	LoadDeadline = time.Second
)

// grownPages is the memory of guests that grow it: not so much that the host takes a trap for a
// lack of memory.
const grownPages = 40

// Case is one module and how it must end.
type Case struct {
	Name   string
	Module func() []byte
	// Want is one of
	//
	//	refused: TEXT           Load returns an error that is not a crash and has TEXT
	//	FUNCTION: REASON        the guest crashes in FUNCTION, at load or at an event
	//	verdict                 it returns a verdict for the event: what it tries came to nothing
	//
	// or several of them with " | " between, where it is a matter of time or of the engine which
	// comes first.
	Want string
	// Events are how many it is given at once; 0 is one.
	Events int
	// Slow is set for those that the engine compiles for seconds, which the limit of starting does
	// not bound.
	Slow bool
	// Memory is the limit it is run with; 0 is the one above.
	Memory int64
}

// All is the corpus. URL is that of a server which takes connections and never answers.
func All(url string) []Case {
	return slices.Concat(loops(), recursions(), growth(), ranges(), claims(), sizes(), binaries(),
		features(), imports(), exports(),
		phases(), straight(), floods(url), pointers(), wasi(), commands(), numbers())
}

// invalid is how a module ends that is not valid: the meter refuses it, or the engine.
const invalid = "refused: not valid | refused: cannot be metered"

// The names of instructions are short here, as the modules are made of them.
var (
	konst       = wasmtest.Const
	konst64     = wasmtest.Const64
	call        = wasmtest.Call
	local       = wasmtest.Local
	forever     = wasmtest.Forever
	unreachable = wasmtest.Unreachable
	drop        = wasmtest.Drop
	loop        = wasmtest.Loop
)

func cat(parts ...[]byte) []byte { return slices.Concat(parts...) }

// op is an instruction as bytes.
func op(b ...byte) []byte { return b }

// bulk is an instruction on a range of the memory or of a table.
func bulk(op byte, immediates ...byte) []byte { return append([]byte{0xfc, op}, immediates...) }

// guest begins a module that has what every guest needs but on_event. Imports come before it.
func guest(m *wasmtest.Module) *wasmtest.Module {
	m.Memory(1, -1)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	return m
}

// marker is the number of the first own function of a module without imports.
const marker = 0

// onEvent ends a module with on_event, which runs the code and returns the verdict done. It has two
// local variables behind its four parameters, the first of the last two for counting.
func onEvent(m *wasmtest.Module, code ...[]byte) []byte {
	m.Func("on_event", "iiii", "i", "iI", cat(code...), konst(0))
	return m.Bytes()
}

// runs makes a module whose on_event runs some code.
func runs(code ...[]byte) func() []byte {
	return func() []byte { return onEvent(guest(&wasmtest.Module{}), code...) }
}

// with makes a module with some changes.
func with(change func(m *wasmtest.Module) (onEvent [][]byte)) func() []byte {
	return func() []byte {
		m := guest(&wasmtest.Module{})
		return onEvent(m, change(m)...)
	}
}

// nothing is a guest that returns the verdict done at once.
func nothing() []byte { return onEvent(guest(&wasmtest.Module{})) }

// bytes is a module as it is.
func bytes(b []byte) func() []byte { return func() []byte { return b } }
