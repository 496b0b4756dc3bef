// Package guesttest makes small guests for the tests of what uses package plugins, without a
// compiler.
package guesttest

import (
	"fmt"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// Guest is what a module does. What it does at an event goes by the event's op; without a Verdict
// it is done.
type Guest struct {
	Configure []Action
	Events    map[int][]Action // by op: 1 add, 2 update, 3 delete, 4 resync
	Sections  map[string]string
	// Pages is the memory it has at first; default 1.
	Pages uint32
}

// Action is one thing that a module does.
type Action func(*assembler) []byte

// Call calls a function of the host, whose result is not looked at. An argument is an int for an
// i32, an int64 for an i64, or a string for a pointer and a length.
func Call(module, name string, args ...any) Action {
	return func(a *assembler) (code []byte) {
		for _, arg := range args {
			switch v := arg.(type) {
			case int:
				code = append(code, wasmtest.Const(int32(v))...)
			case int64:
				code = append(code, wasmtest.Const64(v)...)
			case string:
				code = append(code, wasmtest.Const(a.text(v))...)
				code = append(code, wasmtest.Const(int32(len(v)))...)
			default:
				panic(fmt.Sprintf("an argument of type %T", arg))
			}
		}
		f := a.function(module, name)
		code = append(code, wasmtest.Call(f.number)...)
		if f.gives {
			code = append(code, wasmtest.Drop...)
		}
		return code
	}
}

// Return ends the function with a result, such as a verdict.
func Return(result int) Action {
	return func(*assembler) []byte {
		return append(wasmtest.Const(int32(result)), wasmtest.Return...)
	}
}

// Trap crashes the guest with an unreachable instruction.
func Trap() Action { return func(*assembler) []byte { return wasmtest.Unreachable } }

// Forever loops without end.
func Forever() Action { return func(*assembler) []byte { return wasmtest.Forever } }

// Emit emits an event, given as JSON with type and data.
func Emit(text string) Action { return Call(abi.ModuleResult, "emit", int(abi.EmitEvent), text) }

// Reason passes the reason of a verdict to the host.
func Reason(text string) Action { return Call(abi.ModuleResult, "error", text) }

// Log writes a line of level info.
func Log(text string) Action { return Call(abi.ModuleLog, "log", int(abi.LogInfo), text) }

type assembler struct {
	m         wasmtest.Module
	functions map[string]function
	texts     map[string]int32
	next      int32 // address
}

type function struct {
	number uint32
	gives  bool
}

func (a *assembler) function(module, name string) function {
	if f, ok := a.functions[module+name]; ok {
		return f
	}
	for _, i := range abi.Imports {
		if i.Module == module && i.Name == name {
			f := function{a.m.Import(module, name, letters(i.Params), letters(i.Results)),
				len(i.Results) > 0}
			a.functions[module+name] = f
			return f
		}
	}
	f := function{a.m.Import(module, name, "", ""), false} // one that the host does not have
	a.functions[module+name] = f
	return f
}

func letters(types []abi.ValueType) (s string) {
	for _, t := range types {
		if t == abi.I64 {
			s += "I"
		} else {
			s += "i"
		}
	}
	return s
}

func (a *assembler) text(s string) int32 {
	if at, ok := a.texts[s]; ok {
		return at
	}
	at := a.next
	a.m.Data(at, s)
	a.texts[s] = at
	a.next += int32(len(s))
	return at
}

func (a *assembler) code(actions []Action) (code []byte) {
	for _, do := range actions {
		code = append(code, do(a)...)
	}
	return code
}

// Bytes returns the module.
func (g Guest) Bytes() []byte {
	a := &assembler{functions: map[string]function{}, texts: map[string]int32{}, next: 1024}
	configure := a.code(g.Configure)
	var handle []byte
	for op := 1; op <= 4; op++ {
		if actions := g.Events[op]; actions != nil {
			same := []byte{0x46} // i32.eq
			condition := append(append(wasmtest.Local(0), wasmtest.Const(int32(op))...), same...)
			handle = append(append(handle, condition...), wasmtest.If(a.code(actions))...)
		}
	}
	a.m.Memory(max(1, g.Pages), -1)
	a.m.Export(abi.ExportMemory, 2, 0)
	a.m.Func(abi.ExportMarker, "", "", "")
	a.m.Func(abi.ExportConfigure, "", "i", "", configure, wasmtest.Const(0))
	a.m.Func(abi.ExportOnEvent, "iiii", "i", "", handle, wasmtest.Const(0))
	for name, content := range g.Sections {
		a.m.Custom(name, []byte(content))
	}
	return a.m.Bytes()
}
