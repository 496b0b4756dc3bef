package meter

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func rewritten(t *testing.T, module []byte) Metered {
	t.Helper()
	m, err := rewrite(module, options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTablesGetAMaximum(t *testing.T) {
	m := &wasmtest.Module{}
	m.Table(5, -1)
	m.Table(5, 10)
	m.Table(5, 101)
	r, err := rewrite(m.Bytes(), options{maxTable: 100})
	if err != nil {
		t.Fatal(err)
	}
	file, err := wasmbin.Parse(r.Module)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{100, 10, 100} {
		if got := file.Tables[i].Limits; got != (wasmbin.Limits{Min: 5, Max: want, HasMax: true}) {
			t.Errorf("table %d has %+v, want a maximum of %d", i, got, want)
		}
	}
}

func TestGuestCannotNameWhatIsAdded(t *testing.T) {
	one := func(code ...[]byte) []byte {
		m := guest("i", code...)
		m.Global(0)
		return m.Bytes()
	}
	exporting := func(kind byte, index uint32) []byte {
		m := guest("")
		m.Export("x", kind, index)
		return m.Bytes()
	}
	started := guest("")
	started.Start(1)
	colliding := guest("")
	colliding.Import(HostModule, "visit", "", "")
	for _, test := range []struct {
		name   string
		module []byte
		want   string
	}{
		{"the fuel, read", one(wasmtest.GetGlobal(1), drop),
			"function 0, offset 58: there is no global 1"},
		{"the fuel, written", one(wasmtest.Const64(9), wasmtest.SetGlobal(1)),
			"function 0, offset 60: there is no global 1"},
		{"a helper", one(konst(0), bulk(bulkMemoryFill, 0), invoke(2)),
			"function 0, offset 63: there is no function 2"},
		{"a function's reference", one([]byte{opRefFunc, 1, 0x1a}),
			"function 0, offset 58: there is no function 1"},
		{"a type", one(konst(0), []byte{opCallIndirect, 1, 0}),
			"function 0, offset 60: there is no type 1"},
		{"a block's type", one([]byte{opBlock, 1, opEnd}),
			"function 0, offset 58: there is no type 1"},
		{"an exported function", exporting(0, 1), "offset 46: there is no function 1"},
		{"an exported global", exporting(3, 0), "offset 46: there is no global 0"},
		{"the start", started.Bytes(), "offset 45: there is no function 1"},
		{"the import", colliding.Bytes(),
			`offset 17: it imports from "informerd/meter", which is the meter's own`},
	} {
		_, err := rewrite(test.module, options{})
		var e *unmeterableError
		if want := "the module cannot be metered: " + test.want; !errors.As(err, &e) ||
			err.Error() != want {
			t.Errorf("%s: %v, want %s", test.name, err, want)
		}
	}
}

func TestReasons(t *testing.T) {
	code := func(b ...byte) []byte { return guest("", b).Bytes() }
	named := guest("", []byte{0x12, 0})
	named.Custom("name", []byte("\x01\x07\x01\x00\x04main"))
	big := &wasmtest.Module{}
	big.Table(101, -1)
	for _, test := range []struct {
		name   string
		module []byte
		want   string
	}{
		{"too large", make([]byte, MaxSize+1),
			"offset 0: the file has 67108865 bytes, at most 67108864 are allowed"},
		{"no module", []byte("MZ"), "offset 0: not a core WebAssembly module of version 1"},
		{"tail call", code(0x12, 0),
			"function 0, offset 48: instruction 0x12 is not part of WebAssembly 2.0"},
		{"in a function with a name", named.Bytes(),
			`function 0 ("main"), offset 48: instruction 0x12 is not part of WebAssembly 2.0`},
		{"atomics", code(0xfe, 0),
			"function 0, offset 48: instruction 0xfe is not part of WebAssembly 2.0"},
		{"bulk", code(opBulk, 18),
			"function 0, offset 48: instruction 0xfc 18 is not part of WebAssembly 2.0"},
		{"relaxed vectors", code(wasmbin.Vector, 0x80, 2),
			"function 0, offset 48: instruction 0xfd 0x80 0x2 is not part of WebAssembly 2.0"},
		{"a vector's number that is too long", code(wasmbin.Vector, 0x8c, 0),
			"function 0, offset 48: instruction 0xfd 0x8c 0x0 is not part of WebAssembly 2.0"},
		{"a second memory", code(opI32Const, 0, opMemoryGrow, 1),
			"function 0, offset 50: a memory other than the first one"},
		{"select of two types", code(wasmbin.SelectTyped, 2, i32, i32),
			"function 0, offset 48: select with 2 types, one is needed"},
		{"else", code(opElse), "function 0, offset 48: else without if"},
		{"branch", code(opBr, 1),
			"function 0, offset 48: a branch out of 1 blocks, only 1 are open"},
		{"code behind the end", code(opEnd),
			"function 0, offset 49: 1 bytes behind the end of the function"},
		{"no end", code(opBlock, 0x40), "function 0, offset 51: unexpected end"},
		{"overlong number", code(opI32Const, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x1a),
			"function 0, offset 48: number is too long"},
		{"a large table", big.Bytes(),
			"offset 12: a table of 101 elements, at most 100 are allowed"},
	} {
		_, err := rewrite(test.module, options{maxTable: 100})
		if want := "the module cannot be metered: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", test.name, err, want)
		}
	}
}

func TestFuelIsExportedUnderANameOfItsOwn(t *testing.T) {
	m := guest("")
	m.Export("informerd.fuel'", 0, 0)
	m.Export("informerd.fuel", 0, 0)
	m.Export("informerd.fuel'", 0, 0) // invalid, but for the engine to say
	names := map[string]bool{"informerd.fuel": true, "informerd.fuel'": true}
	if r := rewritten(t, m.Bytes()); names[r.Fuel] {
		t.Errorf("the name %q is taken", r.Fuel)
	}
}

func TestNamesFollowTheirFunctions(t *testing.T) {
	m := &wasmtest.Module{}
	m.Import("env", "host", "i", "i")
	m.Memory(1, 1)
	m.Func("run", "", "", "", konst(0), konst(0), konst(0), bulk(bulkMemoryFill, 0), invoke(2))
	m.Func("", "", "", "", []byte{opUnreachable})
	m.Custom("name", []byte("\x01\x19\x03\x00\x06import\x01\x06caller\x02\x06callee\x02\x06\x01\x01\x01\x00\x01x"))
	m.Custom("producers", []byte("somebody"))
	m.Custom(".debug_line", []byte("offsets"))
	out := rewritten(t, m.Bytes()).Module
	for _, want := range []string{"\x03\x06callee\x04\x0bmeter.bytes",
		"\x00\x06import\x01\x0bmeter.visit\x02\x06caller", "\x02\x06\x01\x02\x01\x00\x01x",
		"producerssomebody"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is missing in %q", want, out)
		}
	}
	if bytes.Contains(out, []byte(".debug_line")) {
		t.Error("a section with offsets that are wrong now was kept")
	}
	_, err := metered(t, compiler(), m.Bytes()).call("run")
	if err == nil || !strings.Contains(err.Error(), ".callee()\n\t.caller()") {
		t.Errorf("the trace is %v", err)
	}
}

// The largest growth comes from the smallest loops and instructions.
func TestOutputIsBounded(t *testing.T) {
	for _, code := range [][]byte{
		{opLoop, 0x40, opBr, 0, opEnd},
		{opLoop, 0x40, opBr, 0, opEnd, opNop},
		{opBlock, 0x40, opBr, 0, opEnd},
		{opCall, 0},
		{opReturn, opEnd, opLoop, 0x40}, // broken
	} {
		m := guest("", slices.Repeat(code, 200_000))
		for range 17_000 { // so that the fuel has a long index
			m.Global(0)
		}
		module := m.Bytes()
		out, err := rewrite(module, options{})
		if err == nil && len(out.Module) > 8*len(module) {
			t.Errorf("%x: %d bytes became %d", code, len(module), len(out.Module))
		}
	}
}

func TestTankSplitsTheBudget(t *testing.T) {
	m := metered(t, compiler(), guest("i", wasmtest.Times(0, 1000)).Bytes())
	var visits int
	m.tank.Check = func() error { visits++; return nil }
	for _, test := range []struct {
		budget, slice int64
		visits        int
		err           error
	}{
		{7000, 100, 66, nil}, // all but the last slice; some charges go beyond a slice
		{7000, 7000, 0, nil},
		{7000, math.MaxInt64, 0, nil},
		{math.MaxInt64, 1000, 6, nil},
		{6999, 7000, 0, nil}, // the last run is paid when there is nothing more to check
		{6000, 7000, 0, ErrSpent},
		{0, 1, 0, ErrSpent},
	} {
		visits = 0
		m.tank.Slice = test.slice
		m.tank.Fill(test.budget, time.Now())
		_, err := m.call("run")
		if !errors.Is(err, test.err) || test.err == nil &&
			(m.tank.Used() != 7000 || visits != test.visits) {
			t.Errorf("budget %d by %d: %v, %d used, %d visits", test.budget, test.slice, err,
				m.tank.Used(), visits)
		}
	}
}

func TestHostFunctionsSpend(t *testing.T) {
	m := &wasmtest.Module{}
	m.Import("env", "spend", "", "")
	m.Func("run", "", "", "", wasmtest.Loop(invoke(0)))
	r := rewritten(t, m.Bytes())
	tank := &Tank{Fuel: r.Fuel}
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, compiler())
	defer runtime.Close(ctx)
	if err := Instantiate(ctx, runtime, func(context.Context) *Tank { return tank }); err != nil {
		t.Fatal(err)
	}
	spend := api.GoFunc(func(context.Context, []uint64) { tank.Spend(100) })
	if _, err := runtime.NewHostModuleBuilder("env").NewFunctionBuilder().WithGoFunction(spend, nil,
		nil).Export("spend").
		Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	instance, err := runtime.Instantiate(ctx, r.Module)
	if err != nil {
		t.Fatal(err)
	}
	tank.Bind(instance)
	tank.Fill(1000, time.Now())
	if _, err := instance.ExportedFunction("run").Call(ctx); !errors.Is(err, ErrSpent) ||
		tank.Used() != 1020 {
		t.Errorf("%v, %d used", err, tank.Used())
	}
}
