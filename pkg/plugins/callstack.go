package plugins

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// What a guest's nested calls may take in the engine, in bytes. That memory is not the guest's own,
// so no limit of memory counts it. The engine itself stops at 100 MB. It doubles a stack that is
// full by copying it in one go, in which the garbage collector waits, and keeps it for as long as
// there is the function. A stock Go guest takes less than 100 bytes for a call.
//
// The size is looked at when the guest visits the host, when it calls a host function, and when the
// call ends. What can be added between two visits is bounded by package meter: 8 MiB of small
// frames and 2 MiB of others, and one frame more. So a stack that was allowed at the last look
// becomes one of 32 MiB at most, and there are 48 MiB while the engine copies it.
const (
	maxCallStack  = 16 << 20
	keptCallStack = 1 << 20 // after the call
)

var errCallStack = errors.New("its calls are nested too deeply: they take more than 16 MiB")

// stackField is where the compiler keeps a function's call stack.
const stackField = "stack"

// export is a function that the guest exports, with its call stack. The zero value is none.
type export struct {
	name     string
	function api.Function
	stack    reflect.Value // of the compiler; the interpreter bounds the number of calls
	initial  int           // bytes that the stack had before the first call
}

// exported finds a function that the guest exports. Each has a call stack of its own.
func (g *guest) exported(name string) (export, error) {
	f := g.mod.ExportedFunction(name)
	if f == nil {
		return export{}, nil
	}
	stack, err := callStackOf(f, stackField)
	e := export{name: name, function: f, stack: stack}
	e.initial = e.size()
	return e, err
}

// callStackOf looks into a function for its call stack, as nothing else says how large that is. A
// version of the engine that keeps it elsewhere must not be run, as nothing would bound it.
func callStackOf(f api.Function, field string) (reflect.Value, error) {
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
	return reflect.Value{}, fmt.Errorf(
		"this version of wazero cannot be used: a call's stack is not in the field %q of %T, "+
			"so that nothing would bound it", field, f)
}

func (e *export) exists() bool { return e.function != nil }

// size is how many bytes the call stack has.
func (e *export) size() int {
	if !e.stack.IsValid() {
		return 0
	}
	return e.stack.Len()
}

// grown is how many bytes the call stack has grown by.
func (e *export) grown() int64 { return int64(e.size() - e.initial) }

// trim drops a call stack that has grown.
func (g *guest) trim(e *export) error {
	if e.size() <= keptCallStack {
		return nil
	}
	fresh, err := g.exported(e.name)
	*e = fresh
	return err
}

// check is asked again and again while a guest runs, by its own goroutine: an error ends the call.
func (g *guest) check() error {
	if g.running != nil && g.running.size() > maxCallStack {
		return errCallStack
	}
	return g.watch.check()
}

// interrupt ends the call of a host function if the guest's time is up, or its calls are nested too
// deeply.
func (g *guest) interrupt() {
	if g.running != nil && g.running.size() > maxCallStack {
		panic(errCallStack)
	}
	g.watch.interrupt()
}
