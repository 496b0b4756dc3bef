package plugins

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// nested calls itself as many times as the object has bytes, times a factor.
func nested(factor int32) []byte {
	m := guestModule()
	deep := m.Func("deep", "i", "", "")
	m.Body(deep, "", wasmtest.Local(0),
		wasmtest.If(wasmtest.Local(0), konst(-1), []byte{0x6a /* i32.add */}, wasmtest.Call(deep)))
	return onEvent(m, local(2), konst(factor),
		[]byte{0x6c /* i32.mul */}, wasmtest.Call(deep), konst(0))
}

// Tens of thousands of nested calls are fine, and those without end are not; the next event is
// taken by a fresh guest.
func TestCallsAreNested(t *testing.T) {
	host, _ := testHost(t)
	e := podAdd(t)
	object := int32(e.Object.Size())
	expectVerdict(t, instance(t, host, testSpec(nested(20_000/object+1))), e, Done)

	i := instance(t, host, testSpec(nested(50_000_000/object)))
	for range 2 {
		_, err := i.Handle(t.Context(), event.Event{Op: event.Add, Object: e.Object})
		if err == nil || !strings.HasSuffix(err.Error(), ": trap: "+errTooDeep.Error()) {
			t.Errorf("got %v", err)
		}
	}
}

// A start function is bounded like all others, and its work is done before configure.
func TestStartFunction(t *testing.T) {
	m := guestModule()
	m.Global(1)
	m.Start(m.Func("", "", "", "", konst(7), wasmtest.SetGlobal(0)))
	m.Func("configure", "", "i", "", wasmtest.GetGlobal(0), konst(7), []byte{0x47 /* i32.ne */})
	host, _ := testHost(t)
	expectVerdict(t, instance(t, host,
		testSpec(onEvent(m, wasmtest.GetGlobal(0), konst(-6),
			[]byte{0x6a /* i32.add */}))), podAdd(t), Drop)

	m = guestModule()
	deep := m.Func("", "", "", "")
	m.Body(deep, "", wasmtest.Call(deep))
	m.Start(deep)
	_, err := host.Load(t.Context(), testSpec(onEvent(m, konst(0))))
	want := `listener "pods": handler guest.wasm: handler crashed in start: trap: ` +
		errTooDeep.Error()
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
