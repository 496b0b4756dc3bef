package plugins

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmfile"
)

// hostFunction is one function that guests may import, with what it does. Arguments stand on the
// stack, as uint64 each; the result takes the place of the first.
type hostFunction struct {
	abi.Function
	call func(c call, stack []uint64)
}

// call is what a host function works on. The memory is the guest's; a view of it must not be kept,
// since it goes stale when the memory grows.
type call struct {
	*guest
	ctx context.Context
	mem api.Memory
}

// hostFunctions are all functions there are: those of package abi, and WASI.
var hostFunctions = append(informerdFunctions(), wasiFunctions...)

// informerdFunctions joins the functions of package abi with what they do.
func informerdFunctions() []hostFunction {
	bodies := map[string]func(call, []uint64){
		abi.ModuleEvent + " object":  eventObject,
		abi.ModuleEvent + " path":    eventPath,
		abi.ModuleEvent + " field":   eventField,
		abi.ModuleEvent + " changed": eventChanged,
		abi.ModuleResult + " emit":   resultEmit,
		abi.ModuleResult + " error":  resultError,
		abi.ModuleConfig + " get":    configGet,
		abi.ModuleLog + " log":       logLog,
		abi.ModuleLog + " enabled":   logEnabled,

		abi.ModuleEvent + " prefetch":   eventPrefetch,
		abi.ModuleEvent + " next":       eventNext,
		abi.ModuleKV + " get":           kvGet,
		abi.ModuleKV + " set":           kvSet,
		abi.ModuleKV + " delete":        kvDelete,
		abi.ModuleKV + " cas":           kvCAS,
		abi.ModuleClock + " now_ns":     clockNow,
		abi.ModuleRandom + " fill":      randomFill,
		abi.ModuleHTTP + " request":     httpRequest,
		abi.ModuleHTTP + " header":      httpHeader,
		abi.ModuleHTTP + " body":        httpBody,
		abi.ModuleCache + " resource":   cacheResource,
		abi.ModuleCache + " get":        cacheGet,
		abi.ModuleCache + " by_index":   cacheByIndex,
		abi.ModuleCache + " iter_next":  cacheNext,
		abi.ModuleCache + " iter_field": cacheField,
		abi.ModuleCache + " iter_close": cacheClose,
	}
	var fs []hostFunction
	for _, f := range abi.Imports {
		fs = append(fs, hostFunction{f, bodies[f.Module+" "+f.Name]})
	}
	return fs
}

// addHostModules adds the host modules that a guest imports to its runtime.
func addHostModules(ctx context.Context, r wazero.Runtime, file *wasmfile.Module) error {
	imported := map[string]bool{}
	for _, i := range file.Imports {
		imported[i.Module] = true
	}
	for name := range imported {
		builder := r.NewHostModuleBuilder(name)
		for n, f := range hostFunctions {
			if f.Module == name {
				builder.NewFunctionBuilder().
					WithGoModuleFunction(f.goFunction(n), apiTypes(f.Params), apiTypes(f.Results)).
					Export(f.Name)
			}
		}
		if _, err := builder.Instantiate(ctx); err != nil {
			return fmt.Errorf("host module %s: %w", name, err)
		}
	}
	return nil
}

// goFunction gives the function as the engine calls it; number is its place in hostFunctions.
func (f hostFunction) goFunction(number int) api.GoModuleFunc {
	body := f.call
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		g := guestOf(ctx)
		if g.calls != nil {
			g.calls[number]++
		}
		g.interrupt()
		body(call{g, ctx, mod.Memory()}, stack)
	}
}

func apiTypes(ts []abi.ValueType) []api.ValueType {
	out := make([]api.ValueType, len(ts))
	for i, t := range ts {
		out[i] = api.ValueType(t)
	}
	return out
}

// read gives a view of the guest's memory, valid until the host function returns.
func (c call) read(ptr, length uint32) []byte {
	b, ok := c.mem.Read(ptr, length)
	if !ok {
		c.badPointer(ptr, length)
	}
	c.works(len(b))
	return b
}

// bytesPerUnit is how many bytes the host reads, writes or walks through for a unit of fuel, as the
// guest does itself.
const bytesPerUnit = 16

// works charges for what the host does with some bytes.
func (g *guest) works(bytes int) { g.tank.Spend(int64(bytes / bytesPerUnit)) }

// write copies text to the guest.
func (c call) write(ptr uint32, text string) {
	if !c.mem.WriteString(ptr, text) {
		c.badPointer(ptr, uint32(len(text)))
	}
	c.works(len(text))
}

func (c call) badPointer(ptr, length uint32) {
	c.abort(ReasonProtocol, "it passed a range of %d bytes at address %d, its memory has %d bytes",
		length, ptr, sizeOf(c.mem))
}

// answer writes text if it fits and gives its length.
func (c call) answer(ptr, room uint32, text string) uint64 {
	if uint64(len(text)) <= uint64(room) {
		c.write(ptr, text)
	}
	return uint64(uint32(len(text)))
}

// status makes an i32 result of a status.
func status(s abi.Status) uint64 {
	return uint64(uint32(s))
}

// status64 makes an i64 result of a status.
func status64(s abi.Status) uint64 {
	return uint64(int64(s))
}
