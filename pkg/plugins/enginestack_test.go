package plugins

import (
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// The engine's call stack is found by reflection: another version of wazero may keep it elsewhere.
func TestCallStackIsFound(t *testing.T) {
	var m wasmtest.Module
	m.Func("f", "", "", "")
	r := wazero.NewRuntime(t.Context())
	defer r.Close(t.Context())
	guest, err := r.Instantiate(t.Context(), m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	f, err := exportedFunction(guest, "f")
	if err != nil {
		t.Fatal(err)
	}
	if !f.stack.IsValid() {
		t.Skip("the interpreter has another stack, which it bounds itself")
	}
	if n := f.size(); n < 1<<10 || n > 1<<20 {
		t.Errorf("a guest that has done nothing has a call stack of %d bytes", n)
	}
	_, err = stackOf(f.function, "stacks")
	if want := `this version of wazero cannot be used: a call's stack is not in the field "stacks" ` +
		`of *wazevo.callEngine, so that nothing would bound it`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
