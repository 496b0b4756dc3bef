package plugins

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// What a guest's nested calls may take, in bytes. The engine doubles a stack that is full by
// copying it in one go, in which the garbage collector waits, and keeps it for as long as there is
// the function. A stock Go guest takes less than 100 bytes for a call. The default of wasmtime's
// max_wasm_stack is 512 KiB.
//
// The memory is not the guest's own, so no limit of memory counts it; the engine itself stops at
// 100 MB, and endless recursion held the collector up for 70 ms. Where a page of memory costs 12 us
// to get, as in some virtual machines, 16 MiB held up all other guests for 35 to 55 ms, and 4 MiB
// do for 20 to 30.
//
// The size is looked at when the guest visits the host, when it calls a host function, and when the
// call ends. What can be added between two visits is bounded by package meter: 8 MiB of small
// frames and half a MiB of others, and one frame more. So a stack that was allowed at the last look
// becomes one of 25 MiB at most, and there are 38 MiB while the engine copies it.
const (
	stackLimit = 4 << 20
	stackKept  = 1 << 20 // after the call
)

// errTooDeep ends a call whose stack is too large.
var errTooDeep = errors.New("its calls are nested too deeply: they take more than 4 MiB")

// stackField is where the compiler keeps a function's call stack.
const stackField = "stack"

// guestFunction is a function that a guest exports, with its call stack. The zero value is none.
type guestFunction struct {
	name     string
	function api.Function
	stack    reflect.Value // of the compiler; the interpreter bounds the number of calls
	initial  int           // bytes that the stack had before the first call
}

// exportedFunction returns a function that a guest exports, the zero value if there is none.
// Each has a call stack of its own.
func exportedFunction(guest api.Module, name string) (guestFunction, error) {
	f := guest.ExportedFunction(name)
	if f == nil {
		return guestFunction{}, nil
	}
	stack, err := stackOf(f, stackField)
	e := guestFunction{name: name, function: f, stack: stack}
	e.initial = e.size()
	return e, err
}

// stackOf returns the call stack of a function from its unexported fields, as wazero has no way to
// ask. A version of the engine that keeps it elsewhere must not be run, as nothing would bound it.
func stackOf(f api.Function, field string) (reflect.Value, error) {
	v := reflect.Indirect(reflect.ValueOf(f))
	if v.Kind() == reflect.Struct && (strings.HasSuffix(v.Type().PkgPath(), "/interpreter") ||
		v.Type().Name() == "hostFunction") {
		return reflect.Value{}, nil // the latter is an import that is exported again
	}
	if v.Kind() == reflect.Struct {
		if stack := v.FieldByName(field); stack.IsValid() &&
			stack.Type() == reflect.TypeFor[[]byte]() {
			return stack, nil
		}
	}
	return reflect.Value{}, fmt.Errorf("this version of wazero cannot be used: "+
		"a call's stack is not in the field %q of %T, so that nothing would bound it", field, f)
}

// call calls the function. The stack has its arguments, and its result afterwards.
func (f *guestFunction) call(ctx context.Context, stack []uint64) error {
	return f.function.CallWithStack(ctx, stack)
}

// size returns how many bytes the call stack has.
func (f *guestFunction) size() int {
	if !f.stack.IsValid() {
		return 0
	}
	return f.stack.Len()
}

// check returns errTooDeep if the call stack is too large.
func (f *guestFunction) check() error {
	if f.size() > stackLimit {
		return errTooDeep
	}
	return nil
}

// grown returns how many bytes the call stack has grown by.
func (f *guestFunction) grown() int64 { return int64(f.size() - f.initial) }

// trim replaces the function by a fresh one of the same guest if its call stack has grown.
func (f *guestFunction) trim(guest api.Module) error {
	if f.size() <= stackKept {
		return nil
	}
	fresh, err := exportedFunction(guest, f.name)
	*f = fresh
	return err
}
