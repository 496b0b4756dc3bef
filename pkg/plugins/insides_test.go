package plugins

import (
	"reflect"
	"sync"
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

// isRunning reports whether a guest is being called.
func isRunning(c *callContext) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
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
