package plugins

import (
	"reflect"
	"sync"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/internal/guest"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

// inside returns a field of a field of a value, whether it is exported or not.
func inside(v any, fields ...string) reflect.Value {
	x := reflect.ValueOf(v)
	for _, name := range fields {
		for x.Kind() == reflect.Pointer || x.Kind() == reflect.Interface {
			x = x.Elem()
		}
		x = x.FieldByName(name)
	}
	return x
}

// callerOf returns an instance's guest as host functions need it.
func callerOf(i *Instance) *hostfunc.Caller {
	return (*hostfunc.Caller)(inside(i.guest, "caller").UnsafePointer())
}

// linearOf returns what a guest's memory is in.
func linearOf(g *guest.Guest) *guest.Linear {
	return (*guest.Linear)(inside(g, "linear").UnsafePointer())
}

// configOf returns what a module's guests get.
func configOf(m *guest.Module) *guest.Config {
	return (*guest.Config)(inside(m, "cfg").Addr().UnsafePointer())
}

// storeOf returns what the guests of a module keep.
func storeOf(t testing.TB, m *guest.Module) *kv.Store {
	t.Helper()
	for _, group := range configOf(m).Groups {
		if group, ok := group.(*hostfunc.KVGroup); ok {
			return (*kv.Store)(inside(group, "store").UnsafePointer())
		}
	}
	t.Fatal("the module keeps nothing")
	return nil
}

// isRunning reports whether a guest is being called.
func isRunning(c *hostfunc.CallContext) bool {
	defer lock(c)()
	return inside(c, "running").Bool()
}

// codeCount is how many modules' code is in use or being made.
func codeCount(h *Host) int {
	defer lock(&h.compiler)()
	return inside(&h.compiler, "byKey").Len()
}

// compilingCount is how many processes compile.
func compilingCount(h *Host) int {
	defer lock(&h.compiler)()
	return int(inside(&h.compiler, "running").Int())
}

// lock locks the field mu of a value.
func lock(v any) (unlock func()) {
	mu := (*sync.Mutex)(inside(v, "mu").Addr().UnsafePointer())
	mu.Lock()
	return mu.Unlock
}
