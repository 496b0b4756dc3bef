package plugins

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// commandModule begins a WASI command.
func commandModule(imports ...abi.Function) *wasmtest.Module {
	m := &wasmtest.Module{}
	for _, f := range imports {
		m.Import(f.Module, f.Name, short(f.Params), short(f.Results))
	}
	m.Memory(1, 4)
	m.Export("memory", 2, 0)
	return m
}

// printingCommand is a command that writes a text to stdout, and does nothing else.
func printingCommand(text string) []byte {
	m := commandModule(imported(abi.ModuleWASI, "fd_write"))
	m.Data(0, string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 1024),
		uint32(len(text)))))
	m.Data(1024, text)
	m.Func("_start", "", "", "", konst(1), konst(0), konst(1), konst(100), invoke(0), drop)
	return m.Bytes()
}

func TestCommandVerdicts(t *testing.T) {
	for _, test := range []struct{ name, out, want string }{
		{"every verdict", `{"verdict":"done"}` + "\n" + `{"verdict":"drop"}` + "\n" +
			`{"verdict":"retry"}` + "\n" + `{"verdict":"fail"}` + "\n",
			"done, drop, retry, fail"},
		{"texts", `{"verdict":"fail","error":"no more"}` + "\n" +
			`{"error":"later","verdict":"retry","emit":[]}` + "\n", "fail no more, retry later"},
		{"emissions", `{"verdict":"done","emit":[{"type":"a.b","data":1},{"data":[2]},{"type":"c"}]}`,
			`done event {"type":"a.b","data":1} data [2] event {"type":"c"}`},
		{"emissions count only if done", `{"verdict":"drop","emit":[{"data":1}]}`, "drop"},
		{"the last line has no end", `{"verdict":"done"}` + "\n" + `{"verdict":"drop"}`,
			"done, drop"},
		{"space", "\n \r\n" + `  {"verdict" : "done"}` + "\r\n\n", "done"},
	} {
		t.Run(test.name, func(t *testing.T) {
			host, _ := testHost(t)
			i := instance(t, host, testSpec(printingCommand(test.out)))
			ops := make([]event.Op, strings.Count(test.out, "verdict"))
			for n := range ops {
				ops[n] = event.Add
			}
			for range 2 {
				results, err := i.HandleBatch(t.Context(), batchOf(t, ops...))
				if got := texts(results); err != nil || got != test.want {
					t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
				}
			}
		})
	}
}

// Whatever is no verdict is a crash of the run; it names the event that waits for one.
func TestCommandProtocol(t *testing.T) {
	const done = `{"verdict":"done"}` + "\n"
	verdict := func(text, reason string) (string, string) {
		return text, fmt.Sprintf("its verdict about event 1 is %.100q: %s", text, reason)
	}
	type test struct{ out, cause string }
	tests := []test{
		{done, "it ended with 1 verdicts for 2 events"},
		{done + done + done, `it writes more than one line for each of 2 events: "{\"verdict\":\"done\"}"`},
		{done + "{" + strings.Repeat(" ", 2000),
			`its verdict about event 1 is "{": it is not valid JSON`},
		{done + strings.Repeat("x", 66_000), "a line of its output has more than 65636 bytes"},
	}
	for _, text := range [][2]string{
		{`hello`, "it is not valid JSON"},
		{"\"\xff\"", "it is not valid JSON"},
		{`[]`, "json: cannot unmarshal array into Go value of type "},
		{`{}`, "verdict is missing"},
		{`{"verdict":null}`, "verdict is missing"},
		{`{"verdict":"ok"}`, `verdict "ok" is none of done, drop, retry and fail`},
		{`{"verdict":"done","emmit":[]}`, `json: unknown field "emmit"`},
		{`{"verdict":"done","emit":[{"data":1},{"data":1}]}`,
			"emit[1]: it is too much for one event"},
		{`{"verdict":"done","emit":[{"type":"a"},{"type":"a"},{"type":"a"}]}`,
			"emit[2]: it is too much for one event"},
		{`{"verdict":"done","emit":["` + strings.Repeat("y", 10) + `"]}`,
			"emit[0]: it is not a JSON object"},
		{`{"verdict":"done","emit":[null]}`, "emit[0]: it is not a JSON object"},
		{`{"verdict":"done","emit":[{"type":"dev.informerd.object.added"}]}`,
			"emit[0]: its type is reserved for informerd"},
		{`{"verdict":"drop","emit":[{"type":"a","subject":1}]}`,
			`emit[0]: emitted event: unknown field "subject"`},
	} {
		text, cause := verdict(text[0], text[1])
		tests = append(tests, test{done + text + "\n", cause})
	}
	for _, test := range tests {
		host, _ := testHost(t)
		m := printingCommand(test.out)
		if len(test.out) > 60_000 { // from one page it cannot be written
			m = func() []byte {
				m := commandModule(imported(abi.ModuleWASI, "fd_write"))
				m.Data(0, "\x00\x04\x00\x00\xe8\x03\x00\x00")
				m.Data(1024, done+strings.Repeat("x", 1000-len(done)))
				m.Func("_start", "", "", "i", konst(1), konst(0), konst(1), konst(100), invoke(0),
					drop,
					wasmtest.Store(0, konst(1024+int32(len(done)))), wasmtest.Store(4, konst(900)),
					wasmtest.Times(0, 100, konst(1), konst(0), konst(1), konst(100), invoke(0),
						drop))
				return m.Bytes()
			}()
		}
		spec := testSpec(m)
		spec.Grants.Emit = &EmitGrant{Count: 2, Bytes: 100}
		i := instance(t, host, spec)
		results, err := i.HandleBatch(t.Context(), batchOf(t, 1, 2))
		var crash *CrashError
		if results != nil || !errors.As(err, &crash) {
			t.Errorf("%s: got %v, %v", test.out, results, err)
			continue
		}
		if crash.Reason != ReasonProtocol || crash.Func != "_start" ||
			crash.Object.Name != "web-1" ||
			!strings.HasPrefix(crash.Cause.Error(), test.cause) {
			t.Errorf("got  %v\nwant %s", err, test.cause)
		}
		if !strings.HasSuffix(test.cause, " ") && crash.Cause.Error() != test.cause {
			t.Errorf("got  %v\nwant %s", err, test.cause)
		}
	}
}

func TestLoadRefusesCommands(t *testing.T) {
	start := func(m *wasmtest.Module) []byte {
		m.Func("_start", "", "", "")
		return m.Bytes()
	}
	bare := &wasmtest.Module{}
	typed := commandModule()
	typed.Func("_start", "i", "", "")
	marked := commandModule()
	marked.Func("informerd_abi_v1", "", "", "")
	eventful := commandModule()
	eventful.Func("on_event", "iiii", "i", "", konst(0))
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"host function", start(commandModule(imported(abi.ModuleConfig, "get"))),
			`import "get" of module "informerd/config.v1": it exports ` +
				`"_start" and not "informerd_abi_v1", which makes it a WASI command, and those may import wasi_snapshot_preview1 only`},
		{"socket", start(commandModule(abi.Import(abi.ModuleWASI, "sock_accept", "iii", "i"))),
			`import "sock_accept" of module "wasi_snapshot_preview1": handlers are not given this part of WASI`},
		{"no memory", start(bare), `it does not export its memory under the name "memory"`},
		{"_start of another type", typed.Bytes(),
			`export "_start" has type (i32) -> (), it must be () -> ()`},
		{"a guest that has _start too", start(marked),
			`it exports neither the function "on_event" of type (i32, i32, i32, i32) -> i32 ` +
				`nor "on_batch" of type (i32) -> i32`},
		{"a guest without the marker", start(eventful),
			`it does not export the function "informerd_abi_v1" of type () -> ()`},
	} {
		host, _ := testHost(t)
		_, err := host.Load(t.Context(), testSpec(test.wasm))
		if want := `listener "pods": handler guest.wasm: ` + test.want; err == nil ||
			err.Error() != want {
			t.Errorf("%s: got  %v\nwant %s", test.name, err, want)
		}
	}
}

// echo is a command that reads stdin in pieces, two buffers at a time, keeps all of it from address
// 1024, and its length at address 0. It writes no verdicts.
func echo(pieces ...int32) []byte {
	m := commandModule(imported(abi.ModuleWASI, "fd_read"))
	var code [][]byte
	for _, p := range pieces {
		code = append(code,
			wasmtest.Store(16, append(append(wasmtest.Load(0), konst(1024)...), wasmtest.Add...)),
			wasmtest.Store(20, konst(p/2)),
			wasmtest.Store(24, append(append(wasmtest.Load(0), konst(1024+p/2)...),
				wasmtest.Add...)), wasmtest.Store(28, konst(p-p/2)),
			konst(0), konst(16), konst(2), konst(8), invoke(0), wasmtest.If(unreachable),
			wasmtest.Store(0, append(append(wasmtest.Load(0), wasmtest.Load(8)...),
				wasmtest.Add...)))
	}
	m.Func("_start", "", "", "", code...)
	return m.Bytes()
}

// held is an instance's guest, whose memory can be read after it is closed.
func held(t *testing.T, i *Instance) *guest {
	t.Helper()
	g := i.guest
	if !g.linear.enter() {
		t.Fatal("the guest is closed")
	}
	t.Cleanup(g.linear.leave)
	return g
}

func TestCommandReadsEvents(t *testing.T) {
	small := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"1"},` + "\n\"spec\":\r{}}"
	line := strings.NewReplacer("\n", " ", "\r", " ").Replace(small)
	first := event.Event{Op: event.Add, Initial: true, Object: newObject(t, small)}
	second := event.Event{Op: event.Update, Missed: 7, Resumed: true, Object: newObject(t, small),
		Old: newObject(t, small)}
	third := event.Event{Op: event.Delete, FinalStateUnknown: true, Object: newObject(t, small)}
	want := `{"op":"add","initial":true,"config":{"a": 1},"object":` + line + "}\n" +
		`{"op":"update","missed":7,"resumed":true,"config":{"a": 1},"object":` + line + `,"old":` + line + "}\n" +
		`{"op":"delete","finalStateUnknown":true,"config":{"a": 1},"object":` + line + "}\n"
	for _, pieces := range [][]int32{{10_000}, {10_000, 10_000}, {1, 2, 3, 10_000, 5}, {
		int32(len(want)), 100}} {
		host, _ := testHost(t)
		spec := testSpec(echo(pieces...))
		spec.Config = []byte(" {\"a\":\n1}\n")
		i := instance(t, host, spec)
		g := held(t, i)
		if _, err := i.HandleBatch(t.Context(), []event.Event{first, second, third}); err == nil {
			t.Fatal("it has no verdicts")
		}
		n, _ := g.memory.ReadUint32Le(0)
		b, _ := g.memory.Read(1024, n)
		if seen := string(b); seen != want {
			t.Errorf("%v: got\n%s\nwant\n%s", pieces, seen, want)
		}
	}
}

func TestCommandBadReads(t *testing.T) {
	for _, test := range []struct {
		args []int64
		want string
	}{
		{[]int64{0, 65530, 1, 0},
			"it passed a range of 8 bytes at address 65530, its memory has 65536 bytes"},
		// as 2^32-1 is asked for
		{[]int64{0, 16, 1, 0},
			"it passed a range of 65536 bytes at address 4096, its memory has 65536 bytes"},
		{[]int64{0, 16, 1025, 0}, "28"},
		{[]int64{0, 16, -1, 0}, "28"},
	} {
		read := imported(abi.ModuleWASI, "fd_read")
		m := commandModule(read)
		m.Data(16, "\x00\x10\x00\x00\xff\xff\xff\xff")
		m.Func("_start", "", "", "", wasmtest.Store64(0, resultOf(read, 0, test.args)))
		host, _ := testHost(t)
		i := instance(t, host, testSpec(m.Bytes()))
		g := held(t, i)
		_, err := i.Handle(t.Context(), podAdd(t))
		status, _ := g.memory.ReadUint64Le(0)
		if cause := errors.Unwrap(err); fmt.Sprint(status) != test.want &&
			cause.Error() != test.want {
			t.Errorf("%v: got %d, %v", test.args, status, err)
		}
	}
}

// buildCommand builds a Go program for WASI, as anybody would.
func buildCommand(t testing.TB) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a program from Go, which takes seconds")
	}
	const dir = "testdata/command"
	if wasm, ok := built.Load(dir); ok {
		return wasm.([]byte)
	}
	out := filepath.Join(t.TempDir(), "command.wasm")
	build := exec.Command("go", "build", "-trimpath", "-o", out, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off",
		"CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", dir, err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	built.Store(dir, wasm)
	return wasm
}

func commandSpec(t testing.TB, do string) Spec {
	return Spec{Listener: "pods", Wasm: buildCommand(t), Config: fmt.Appendf(nil, `{"do":%q}`, do),
		Limits: Limits{Deadline: 20 * time.Second}}
}

// A Go program that knows nothing of informerd handles events; each run starts from nothing.
func TestGoCommand(t *testing.T) {
	goLog.Reset()
	i := instance(t, goHost(t), commandSpec(t, ""))
	events := batchOf(t, event.Add, event.Update, event.Delete)
	results, err := i.HandleBatch(t.Context(), events)
	want := `done event {"type":"seen","data":"1 add web-0"}, done event {"type":"seen","data":"2 update web-1"}, ` +
		`done event {"type":"seen","data":"3 delete web-2"}`
	if got := texts(results); err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if want := `level=WARN msg="seen 3" listener=pods from="handler stderr"`; !strings.Contains(
		goLog.String(), want) {
		t.Errorf("logged %s", goLog)
	}
	r, err := i.Handle(t.Context(), events[0])
	if want := `done event {"type":"seen","data":"1 add web-0"}`; err != nil ||
		texts([]Result{r}) != want {
		t.Errorf("got %v, %v", r, err)
	}
}

func TestGoCommandCrashes(t *testing.T) {
	for _, test := range []struct {
		do    string
		cause string
	}{
		{"panic", "exit: it called proc_exit(2)"},
		{"exit", "protocol: it ended with 1 verdicts for 2 events"},
		{"loop", "deadline: it ran longer than 2s"},
		{"fill the memory", "memory: its memory is at 1"},
	} {
		t.Run(test.do, func(t *testing.T) {
			goLog.Reset()
			spec := commandSpec(t, test.do)
			if test.do == "loop" {
				spec.Limits.Deadline = time.Second
			}
			i := instance(t, goHost(t), spec)
			results, err := i.HandleBatch(t.Context(), batchOf(t, event.Add, event.Add))
			var crash *CrashError
			if results != nil || !errors.As(err, &crash) || crash.Func != "_start" {
				t.Fatalf("got %v, %v", results, err)
			}
			if got := fmt.Sprintf("%s: %v", crash.Reason, crash.Cause); !strings.HasPrefix(got,
				test.cause) {
				t.Errorf("got  %s\nwant %s", got, test.cause)
			}
			if i.guest != nil {
				t.Error("the instance is still there")
			}
			if n := strings.Count(goLog.String(), `msg="handler crashed"`); n != 1 {
				t.Errorf("logged %d times:\n%s", n, goLog)
			}
		})
	}
}

func BenchmarkCommand(b *testing.B) {
	small := printingCommand(`{"verdict":"done"}`)
	for _, bench := range []struct {
		name string
		spec Spec
	}{{"small", Spec{Listener: "pods", Wasm: small}}, {"Go", commandSpec(b, "")}} {
		b.Run(bench.name, func(b *testing.B) {
			host, _ := testHost(b)
			i := instance(b, host, bench.spec)
			e := podAdd(b)
			for b.Loop() {
				if _, err := i.Handle(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
