package hostile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// What is in the memory of guests that call host functions, and where. All behind Text is the
// letter a, but for the quotation mark it begins with.
const (
	atKey       = 0
	atPath      = 16
	atNamespace = 48
	atName      = 64
	atInformer  = 80
	atHandle    = 96 // of a path: 0
	atHead      = 128
	atText      = 65_536
	textLength  = 2 << 20
	memoryEnd   = grownPages << 16
)

// Where the cases look for objects: the informer and the index that a host has to have, and the
// object in it.
const (
	Informer  = "pods"
	Index     = "app"
	Namespace = "shop"
	Name      = "web-1"
	key       = "key"
	path      = "metadata.name"
)

// caller is a guest that has all host functions, a path with the handle 0, and in on_event an
// iterator with the number 0 and a stored value. Functions are numbered as in abi.Imports.
func caller(url string, change func(m *wasmtest.Module) (onEvent [][]byte)) func() []byte {
	return func() []byte {
		m := &wasmtest.Module{}
		for _, f := range abi.Imports {
			m.Import(f.Module, f.Name, letters(f.Params), letters(f.Results))
		}
		guest(m)
		m.Data(atKey, key)
		m.Data(atPath, path)
		m.Data(atNamespace, Namespace)
		m.Data(atName, Name)
		m.Data(atInformer, Informer)
		m.Data(atHead, head(url))
		code := change(m)
		return onEvent(m, cat(
			host(abi.ModuleCache, "get", konst(0), konst(atNamespace), size(Namespace),
				konst(atName), size(Name)), drop,
			host(abi.ModuleKV, "set", konst(atKey), size(key), konst(atName), size(Name),
				konst64(0)), drop,
			wasmtest.Grow(grownPages-1), drop,
			konst(atText), konst('a'), konst(textLength), bulk(11, 0),
			wasmtest.Store(atText, konst('"'|'a'<<8|'a'<<16|'a'<<24)),
		), cat(code...))
	}
}

// configured adds a configure that compiles the path and runs some code.
func configured(m *wasmtest.Module, code ...[]byte) {
	m.Func("configure", "", "i", "i", host(abi.ModuleEvent, "path", konst(atPath), size(path)),
		drop, cat(code...), konst(0))
}

func head(url string) string { return fmt.Sprintf(`{"method":"POST","url":%q}`, url) }

func size(s string) []byte { return konst(int32(len(s))) }

// host calls a function of abi.Imports.
func host(module, name string, args ...[]byte) []byte {
	return cat(cat(args...), call(number(module, name)))
}

func number(module, name string) uint32 {
	return uint32(slices.IndexFunc(abi.Imports, func(f abi.Function) bool {
		return f.Module == module && f.Name == name
	}))
}

func letters(types []abi.ValueType) string {
	var b strings.Builder
	for _, t := range types {
		if t == abi.I64 {
			b.WriteByte('I')
		} else {
			b.WriteByte('i')
		}
	}
	return b.String()
}

// forget drops the result of a function, if it has one.
func forget(f abi.Function) []byte {
	if len(f.Results) == 0 {
		return nil
	}
	return drop
}

// use is a call of a host function with its arguments: numbers, and what a case puts in for P, a
// pointer, and L, the length of what is there.
type use struct {
	module, name, args string
	configure          bool // it works in configure only
	// long is the length that makes it work most; 0 is all of the text.
	long int32
}

// uses has each function of abi.Imports at least once, and each pointer of its exactly once.
func uses(url string) []use {
	h := fmt.Sprintf("%d %d", atHead, len(head(url)))
	return []use{
		{module: abi.ModuleEvent, name: "object", args: "0 0 P L"},
		{module: abi.ModuleEvent, name: "path", args: "P L", configure: true, long: 1024},
		{module: abi.ModuleEvent, name: "field", args: "0 0 P L"},
		{module: abi.ModuleEvent, name: "changed", args: "0"},
		{module: abi.ModuleEvent, name: "prefetch", args: "P L 96 1", configure: true},
		{module: abi.ModuleEvent, name: "prefetch", args: "0 8192 P 64", configure: true},
		{module: abi.ModuleEvent, name: "next", args: "P L"},
		{module: abi.ModuleResult, name: "emit", args: "1 P L", long: 1 << 20},
		{module: abi.ModuleResult, name: "emit", args: "2 P L", long: 1 << 20},
		{module: abi.ModuleResult, name: "error", args: "P L"},
		{module: abi.ModuleConfig, name: "get", args: "P L"},
		{module: abi.ModuleLog, name: "log", args: "3 P L"},
		{module: abi.ModuleLog, name: "enabled", args: "0"},
		{module: abi.ModuleKV, name: "get", args: "P L 0 0", long: abi.MaxKVKey},
		{module: abi.ModuleKV, name: "get", args: "0 3 P L"},
		{module: abi.ModuleKV, name: "set", args: "P L 0 3 0", long: abi.MaxKVKey},
		{module: abi.ModuleKV, name: "set", args: "0 3 P L 0", long: abi.MaxKVValue},
		{module: abi.ModuleKV, name: "delete", args: "P L", long: abi.MaxKVKey},
		{module: abi.ModuleKV, name: "cas", args: "P L 0 3 0 3 0", long: abi.MaxKVKey},
		{module: abi.ModuleKV, name: "cas", args: "0 3 P L 0 3 0", long: abi.MaxKVValue},
		{module: abi.ModuleKV, name: "cas", args: "0 3 0 3 P L 0", long: abi.MaxKVValue},
		{module: abi.ModuleClock, name: "now_ns", args: ""},
		{module: abi.ModuleRandom, name: "fill", args: "P L", long: abi.MaxRandom},
		{module: abi.ModuleHTTP, name: "request", args: "P L 0 0", long: abi.MaxHTTPHead},
		{module: abi.ModuleHTTP, name: "request", args: h + " P L"},
		{module: abi.ModuleHTTP, name: "header", args: "P L 0 0", long: abi.MaxHTTPHead},
		{module: abi.ModuleHTTP, name: "header", args: "0 3 P L"},
		{module: abi.ModuleHTTP, name: "body", args: "0 P L"},
		{module: abi.ModuleCache, name: "resource", args: "P L"},
		{module: abi.ModuleCache, name: "get", args: "0 P L 64 5", long: abi.MaxLookup},
		{module: abi.ModuleCache, name: "get", args: "0 48 4 P L", long: abi.MaxLookup},
		{module: abi.ModuleCache, name: "by_index", args: "0 P L 64 5", long: abi.MaxLookup},
		{module: abi.ModuleCache, name: "by_index", args: "0 0 3 P L", long: abi.MaxLookup},
		{module: abi.ModuleCache, name: "iter_next", args: "0"},
		{module: abi.ModuleCache, name: "iter_field", args: "0 -1 P L"},
		{module: abi.ModuleCache, name: "iter_close", args: "0"},
	}
}

func (u use) function() abi.Function { return abi.Imports[number(u.module, u.name)] }

// call makes the call, with a pointer and a length.
func (u use) call(pointer, length int32) []byte {
	var args [][]byte
	for i, word := range strings.Fields(u.args) {
		var v int32
		switch word {
		case "P":
			v = pointer
		case "L":
			v = length
		default:
			fmt.Sscan(word, &v)
		}
		if u.function().Params[i] == abi.I64 {
			args = append(args, konst64(int64(v)))
			continue
		}
		args = append(args, konst(v))
	}
	return host(u.module, u.name, args...)
}

func (u use) String() string {
	_, module, _ := strings.Cut(u.module, "/")
	return fmt.Sprintf("%s %s(%s)", module, u.name, strings.Join(strings.Fields(u.args), ", "))
}

// where puts code into configure or on_event.
func (u use) where(url string, code []byte) func() []byte {
	return caller(url, func(m *wasmtest.Module) [][]byte {
		if u.configure {
			configured(m, code)
			return nil
		}
		configured(m)
		return [][]byte{code}
	})
}

func (u use) export() string {
	if u.configure {
		return abi.ExportConfigure
	}
	return abi.ExportOnEvent
}

// pointers are cases that pass ranges beyond the guest's memory.
func pointers() []Case {
	var cases []Case
	for _, u := range uses("http://127.0.0.1:1/") {
		if !strings.Contains(u.args, "P") {
			continue
		}
		end := int32(memoryEnd)
		if u.configure {
			end = 1 << 16
		}
		for _, bad := range []struct {
			name            string
			pointer, length int32
		}{
			{"one byte behind the end", end, 1},
			{"across the end", end - 1, 1000},
			{"4 GiB long", 0, -1},
			{"at the end of all addresses", -1, 1},
			{"around the end of all addresses", -4, 32},
			{"both as large as can be", -1, -1},
			{"both 2 GiB", -1 << 31, -1 << 31},
			{"negative", -1 << 31, 20},
		} {
			// A result of 0 or more would say that it was taken. Some return a length that was not
			// written; those lengths are smaller than the room, so that it must be written.
			cases = append(cases,
				Case{Name: u.String() + ": " + bad.name, Want: u.export() + ": protocol | verdict",
					Module: u.where("http://127.0.0.1:1/",
						cat(u.call(bad.pointer, bad.length), u.refused()))})
		}
	}
	return cases
}

// refused traps if a function took what it was given. Functions that write little, or none of it,
// may return a length.
func (u use) refused() []byte {
	f := u.function()
	switch {
	case len(f.Results) == 0:
		return nil
	case f.Results[0] == abi.I64, u.name == "object", u.name == "get", u.name == "cas",
		u.name == "header", u.name == "body":
		return drop
	}
	return cat(konst(0), op(0x4e), wasmtest.If(unreachable)) // ge_s
}

// Functions are the host functions that there are cases for, each with its module.
func Functions() (names []string) {
	for _, u := range uses("") {
		names = append(names, u.module+" "+u.name)
	}
	return names
}
