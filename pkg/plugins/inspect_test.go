package plugins

import (
	"reflect"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func TestInspect(t *testing.T) {
	m := guestModule(imported(abi.ModuleKV, "set"), imported(abi.ModuleKV, "get"),
		imported(abi.ModuleLog, "log"), imported(abi.ModuleEvent, "field"))
	in, err := Inspect(onEvent(m, konst(0)))
	if err != nil {
		t.Fatal(err)
	}
	if in.Kind != ModuleHandler || in.Refusal != "" || in.Named || len(in.Digest) != 64 {
		t.Errorf("got %+v", in)
	}
	want := []InspectedImport{
		{Module: abi.ModuleEvent, Names: []string{"field"}},
		{Module: abi.ModuleKV, Names: []string{"get", "set"}, Grant: "kv"},
		{Module: abi.ModuleLog, Names: []string{"log"}, Grant: "log"},
	}
	if !reflect.DeepEqual(in.Imports, want) {
		t.Errorf("imports %+v, want %+v", in.Imports, want)
	}
	if got := strings.Join(in.Grants(), " "); got != "kv log" {
		t.Errorf("grants %q", got)
	}
	exports := []InspectedExport{{"memory", "memory", ""}, {
		"informerd_abi_v1", "function", "() -> ()"},
		{"on_event", "function", "(i32, i32, i32, i32) -> i32"}}
	if !reflect.DeepEqual(in.Exports, exports) {
		t.Errorf("exports %+v", in.Exports)
	}
	if *in.Memory != (InspectedRange{1 << 16, 4 << 16, true}) {
		t.Errorf("memory %+v", in.Memory)
	}
}

func TestInspectKinds(t *testing.T) {
	command := &wasmtest.Module{}
	command.Memory(1, 4)
	command.Export("memory", 2, 0)
	command.Func("_start", "", "", "")

	unknown := &wasmtest.Module{}
	unknown.Import("env", "abort", "i", "")

	for name, test := range map[string]struct {
		wasm          []byte
		kind, refusal string
	}{
		"command": {command.Bytes(), ModuleCommand, ""},
		"nothing": {(&wasmtest.Module{}).Bytes(), ModuleOther,
			`it does not export the function "informerd_abi_v1" of type () -> ()`},
		"unknown": {unknown.Bytes(), ModuleOther,
			`import "abort" of module "env": there is no such module; guests may import `},
	} {
		in, err := Inspect(test.wasm)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if in.Kind != test.kind || !strings.HasPrefix(in.Refusal, test.refusal) ||
			test.refusal == "" && in.Refusal != "" {
			t.Errorf("%s: got %s, %q", name, in.Kind, in.Refusal)
		}
		if name == "unknown" && !in.Imports[0].Unknown {
			t.Errorf("%s: %+v", name, in.Imports)
		}
	}
}

// Inspect refuses what Load refuses for the file's own sake, with the same words.
func TestInspectGivesTheLoadersError(t *testing.T) {
	invalid := onEvent(guestModule(), drop) // there is nothing to drop
	host, _ := testHost(t)
	for name, wasm := range map[string][]byte{
		"empty": nil, "text": []byte("hello, world"), "cut off": onEvent(guestModule(),
			konst(0))[:30], "invalid": invalid,
		"component": []byte("\x00asm\x0d\x00\x01\x00"),
	} {
		_, err := Inspect(wasm)
		_, loading := host.Load(t.Context(), testSpec(wasm))
		if err == nil || loading == nil {
			t.Fatalf("%s: got %v and %v", name, err, loading)
		}
		if want := loading.(*LoadError).Err.Error(); !sameError(err.Error(), want) {
			t.Errorf("%s: got  %v\nwant %v", name, err, want)
		}
	}
}

// sameError leaves out the number of the function, which metering moves by one.
func sameError(got, want string) bool {
	return got == want || strings.HasPrefix(got, "the module is not valid: ") &&
		strings.HasPrefix(want, "the module is not valid: ")
}

func TestInspectToolchains(t *testing.T) {
	in, err := Inspect(wasmtest.GoGuest(t, "testdata/guest", "."))
	if err != nil {
		t.Fatal(err)
	}
	if in.Kind != ModuleHandler || !in.Named || len(in.Producers) == 0 ||
		in.Producers[0].Name != "Go" {
		t.Errorf("kind %s, named %v, producers %+v, sections %+v, %s", in.Kind, in.Named,
			in.Producers, in.Sections, in.Refusal)
	}
}
