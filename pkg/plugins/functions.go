package plugins

import (
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// The functions that guests call. Those of one or two host modules are one file: event.v1 with
// result.v1 (hostfunc_event*.go, hostfunc_emit.go, hostfunc_prefetch.go), cache.v1, http.v1, kv.v1,
// log.v1, the small ones below, and the part of WASI preview 1 that the runtimes of stock
// toolchains call (hostfunc_wasi.go). What one of them keeps for a guest is a field of guest, that
// no other one looks at.
//
// The guest calls, and wazero leaves native code with the context of the call, which leads to the
// guest. Functions are bound when the handler is loaded: a call looks nothing up by a name.
//
// WASI is our own and not the engine's, since that one brings files, sockets and real sleeping, and
// this one must not be able to.

// function is a function that guests may import, with what it does. Its arguments are on the stack,
// as a uint64 each; the result takes the place of the first.
type function struct {
	abi.Function
	body func(call, []uint64)
}

// define returns the function of package abi with that name, and what it does.
func define(module, name string, body func(call, []uint64)) function {
	for _, f := range abi.Imports {
		if f.Module == module && f.Name == name {
			return function{f, body}
		}
	}
	panic("no function " + module + " " + name)
}

// smallFunctions are those of config.v1, clock.v1 and random.v1, which keep nothing.
var smallFunctions = []function{
	define(abi.ModuleConfig, "get", func(c call, stack []uint64) {
		stack[0] = c.answer(uint32(stack[0]), uint32(stack[1]), c.guest.handler.config)
	}),
	define(abi.ModuleClock, "now_ns", func(c call, stack []uint64) {
		stack[0] = uint64(c.now().UnixNano())
	}),
	define(abi.ModuleRandom, "fill", func(c call, stack []uint64) {
		ptr, length := uint32(stack[0]), uint32(stack[1])
		if length > abi.MaxRandom {
			stack[0] = i32(abi.BadArgument)
			return
		}
		c.randomize(c.read(ptr, length))
		stack[0] = 0
	}),
}

// functions are all that guests may import, those of a host module together.
var functions = slices.Concat(eventFunctions, smallFunctions, logFunctions, kvFunctions,
	httpFunctions, cacheFunctions, wasiFunctions)

// hostFunctions are functions by their types. They are counted in this order.
var hostFunctions = func() (all []abi.Function) {
	for _, f := range functions {
		all = append(all, f.Function)
	}
	return all
}()

// bound returns what the engine calls for a function with that place in hostFunctions.
func (f function) bound(number int) api.GoModuleFunc {
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		g := guestOf(ctx)
		if g.counts != nil {
			g.counts[number]++
		}
		g.interrupt()
		f.body(call{g, mod.Memory()}, stack)
	}
}

// instantiateFunctions adds the host modules that a guest imports to a runtime.
func instantiateFunctions(ctx context.Context, r wazero.Runtime, file *wasmbin.Module) error {
	builders := map[string]wazero.HostModuleBuilder{}
	for number, f := range functions {
		if !code.Imports(file, f.Module) {
			continue
		}
		if builders[f.Module] == nil {
			builders[f.Module] = r.NewHostModuleBuilder(f.Module)
		}
		builders[f.Module].NewFunctionBuilder().
			WithGoModuleFunction(f.bound(number), apiTypes(f.Params), apiTypes(f.Results)).
			Export(f.Name)
	}
	for module, builder := range builders {
		if _, err := builder.Instantiate(ctx); err != nil {
			return fmt.Errorf("host module %s: %w", module, err)
		}
	}
	return nil
}

func apiTypes(ts []abi.ValueType) []api.ValueType {
	out := make([]api.ValueType, len(ts))
	for i, t := range ts {
		out[i] = api.ValueType(t)
	}
	return out
}
