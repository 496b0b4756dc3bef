package abi

import (
	"slices"
	"strings"
)

// ValueType is the type of a parameter or result, with the number it has in a WebAssembly binary.
type ValueType byte

// The value types of the interface.
const (
	I32 ValueType = 0x7f
	I64 ValueType = 0x7e
)

// String returns the type's name in the WebAssembly text format.
func (t ValueType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case 0x7d:
		return "f32"
	case 0x7c:
		return "f64"
	case 0x7b:
		return "v128"
	case 0x70:
		return "funcref"
	case 0x6f:
		return "externref"
	}
	return "unknown"
}

// Signature is the type of a function.
type Signature struct {
	Params, Results []ValueType
}

// String returns the signature in the form (i32, i32) -> i64.
func (s Signature) String() string {
	result := list(s.Results)
	if len(s.Results) == 1 {
		result = s.Results[0].String()
	}
	return list(s.Params) + " -> " + result
}

// Equal compares two signatures.
func (s Signature) Equal(o Signature) bool {
	return slices.Equal(s.Params, o.Params) && slices.Equal(s.Results, o.Results)
}

// Function is a function that crosses the boundary. Module is empty for the guest's exports.
type Function struct {
	Module, Name string
	Signature
}

// Export is a function that a guest exports.
type Export struct {
	Function
	Required bool
}

// Exports are the functions of a guest that the host knows.
var Exports = []Export{
	{export(ExportMarker, "", ""), true},
	{export(ExportOnEvent, "iiii", "i"), false}, // one of the two is
	{export(ExportOnBatch, "i", "i"), false},
	{export(ExportConfigure, "", "i"), false},
	{export(ExportInitialize, "", ""), false},
}

// Imports are the functions of informerd that a guest may import, without those of WASI.
var Imports = []Function{
	Import(ModuleEvent, "object", "iiii", "i"),
	Import(ModuleEvent, "path", "ii", "i"),
	Import(ModuleEvent, "field", "iiii", "I"),
	Import(ModuleEvent, "changed", "i", "i"),
	Import(ModuleEvent, "prefetch", "iiii", "i"),
	Import(ModuleEvent, "next", "ii", "i"),
	Import(ModuleResult, "emit", "iii", "i"),
	Import(ModuleResult, "error", "ii", ""),
	Import(ModuleConfig, "get", "ii", "i"),
	Import(ModuleLog, "log", "iii", ""),
	Import(ModuleLog, "enabled", "i", "i"),
	Import(ModuleKV, "get", "iiii", "i"),
	Import(ModuleKV, "set", "iiiiI", "i"),
	Import(ModuleKV, "delete", "ii", "i"),
	Import(ModuleKV, "cas", "iiiiiiI", "i"),
	Import(ModuleClock, "now_ns", "", "I"),
	Import(ModuleRandom, "fill", "ii", "i"),
	Import(ModuleHTTP, "request", "iiii", "i"),
	Import(ModuleHTTP, "header", "iiii", "i"),
	Import(ModuleHTTP, "body", "iii", "i"),
	Import(ModuleCache, "resource", "ii", "i"),
	Import(ModuleCache, "get", "iiiii", "i"),
	Import(ModuleCache, "by_index", "iiiii", "i"),
	Import(ModuleCache, "iter_next", "i", "i"),
	Import(ModuleCache, "iter_field", "iiii", "I"),
	Import(ModuleCache, "iter_close", "i", "i"),
}

// Grants names the grant a host module needs. Modules that are always granted are not in it.
var Grants = map[string]string{
	ModuleLog:    "log",
	ModuleKV:     "kv",
	ModuleClock:  "clock",
	ModuleRandom: "random",
	ModuleHTTP:   "http",
	ModuleCache:  "cache",
}

// Import describes a host function. Params and results are written as one letter each: i for i32, I
// for i64.
func Import(module, name, params, results string) Function {
	return Function{Module: module, Name: name, Signature: Signature{types(params), types(results)}}
}

func export(name, params, results string) Function {
	return Import("", name, params, results)
}

func types(letters string) []ValueType {
	var ts []ValueType
	for _, c := range letters {
		if c == 'I' {
			ts = append(ts, I64)
		} else {
			ts = append(ts, I32)
		}
	}
	return ts
}

func list(ts []ValueType) string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.String()
	}
	return "(" + strings.Join(names, ", ") + ")"
}
