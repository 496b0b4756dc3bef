package plugins

import (
	"errors"
	"reflect"

	"github.com/tetratelabs/wazero/api"
)

// maxCallStack is how many bytes a guest's nested calls may take in the engine. That memory is not the guest's own, so no
// limit of memory counts it. The engine itself stops at 100 MB; it doubles a stack that is full by copying it in one go, which
// held the garbage collector up for 70 ms at that size, and keeps it for as long as there is the instance. A stock Go guest
// takes less than 100 bytes for a call.
const maxCallStack = 16 << 20

var errCallStack = errors.New("its calls are nested too deeply: they take more than 16 MiB")

// exported gives a function that the guest exports, nil if there is none. Each has a call stack of its own.
func (g *guest) exported(name string) api.Function {
	f := g.mod.ExportedFunction(name)
	if f == nil {
		return nil
	}
	if stack := callStackOf(f); stack.IsValid() {
		g.stacks = append(g.stacks, stack)
	}
	return f
}

// callStackOf looks into a function of the compiler for its call stack, as nothing else tells how large that is. The
// interpreter bounds the number of calls.
func callStackOf(f api.Function) reflect.Value {
	v := reflect.Indirect(reflect.ValueOf(f))
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	stack := v.FieldByName("stack")
	if !stack.IsValid() || stack.Type() != reflect.TypeFor[[]byte]() {
		return reflect.Value{}
	}
	return stack
}

// check is asked again and again while a metered guest runs, by the guest's own goroutine: an error ends the call.
func (g *guest) check() error {
	for _, stack := range g.stacks {
		if stack.Len() > maxCallStack {
			return errCallStack
		}
	}
	return g.watch.check()
}
