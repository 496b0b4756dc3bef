package meter

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// work is what the guest in testdata/cpu can do.
var work = []struct {
	function string
	n        uint64
}{{"hash", 100}, {"order", 5}, {"parse", 50}, {"match", 10}}

func TestGoGuestComputesTheSame(t *testing.T) {
	module := wasmtest.GoGuest(t, "testdata/cpu", ".")
	original, other := plain(t, cached(), module), metered(t, cached(), module)
	for _, w := range work {
		want, err := original.call(w.function, w.n)
		if err != nil {
			t.Fatal(err)
		}
		other.tank.Fill(plenty, time.Now())
		got, err := other.call(w.function, w.n)
		if err != nil || got[0] != want[0] {
			t.Errorf("%s: %v %v, want %v", w.function, got, err, want)
		}
		if other.tank.Used() < 1_000_000 {
			t.Errorf("%s used %d units only", w.function, other.tank.Used())
		}
	}
}

// A budget that is just enough is enough again, if the guest starts again.
func TestGoGuestNeedsTheSameFuelAgain(t *testing.T) {
	module := wasmtest.GoGuest(t, "testdata/cpu", ".")
	used := func(slice int64) int64 {
		m := metered(t, cached(), module)
		m.tank.Slice = slice
		m.tank.Fill(plenty, time.Now())
		if _, err := m.call("match", 3); err != nil {
			t.Fatal(err)
		}
		return m.tank.Used()
	}
	if a, b := used(0), used(12345); a != b {
		t.Errorf("first %d units, then %d", a, b)
	}
}

// The examples import host functions, which all return 0 here. The interpreter does not take long
// to compile them.
func TestExamplesComputeTheSame(t *testing.T) {
	for _, name := range []string{"crashloop", "label-audit"} {
		module := wasmtest.GoGuest(t, "../../../../plugins/examples", "./"+name)
		want := runWithZeros(t, interpreter(), module, nil)
		m := rewritten(t, module)
		tank := &Tank{Fuel: m.Fuel}
		tank.Fill(plenty, time.Now())
		if got := runWithZeros(t, interpreter(), m.Module, tank); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		if tank.Used() == 0 {
			t.Errorf("%s used nothing", name)
		}
	}
}

// runWithZeros runs a handler's exports, or that of a WASI command, with host functions that return
// 0, and tells all that it did.
func runWithZeros(t *testing.T, config wazero.RuntimeConfig, module []byte, tank *Tank) string {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx,
		config.WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(2048))
	defer r.Close(ctx)
	compiled, err := r.CompileModule(ctx, module)
	if err != nil {
		t.Fatal(err)
	}
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	if err := Instantiate(ctx, r, func(context.Context) *Tank { return tank }); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, f := range compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		if from == HostModule || from == wasi_snapshot_preview1.ModuleName {
			continue
		}
		if hosts[from] == nil {
			hosts[from] = r.NewHostModuleBuilder(from)
		}
		hosts[from].NewFunctionBuilder().WithGoModuleFunction(
			api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
				for i, param := range f.ParamTypes() {
					if param == api.ValueTypeI32 { // the upper half is anything
						stack[i] = uint64(uint32(stack[i]))
					}
				}
				fmt.Fprintln(&seen, name, stack[:len(f.ParamTypes())])
				clear(stack)
			}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, h := range hosts {
		if _, err := h.Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	instance, err := r.InstantiateModule(ctx, compiled,
		wazero.NewModuleConfig().WithName("").WithStdout(&seen).
			WithStderr(&seen).WithStdin(strings.NewReader("some text")).WithStartFunctions())
	fmt.Fprintln(&seen, "start", kindOfTrap(err))
	if err != nil {
		return seen.String()
	}
	if tank != nil {
		tank.Bind(instance)
	}
	for _, name := range []string{"_initialize", "_start", "configure", "on_event"} {
		if f := instance.ExportedFunction(name); f != nil {
			results, err := f.Call(ctx, make([]uint64, len(f.Definition().ParamTypes()))...)
			fmt.Fprintln(&seen, name, results, kindOfTrap(err))
		}
	}
	if memory := instance.ExportedMemory("memory"); memory != nil {
		b, _ := memory.Read(0, memory.Size())
		h := fnv.New64a()
		h.Write(b)
		fmt.Fprintln(&seen, len(b), h.Sum64())
	}
	return seen.String()
}

// guestsOfEngine are modules in the engine's own tests, by their path: made by other compilers than
// Go's, or of the specification's test suite.
func guestsOfEngine(t testing.TB, folders ...string) map[string][]byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string][]byte{}
	root := os.DirFS(strings.TrimSpace(string(dir)))
	for _, folder := range folders {
		err := fs.WalkDir(root, folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".wasm" {
				return err
			}
			modules[path], err = fs.ReadFile(root, path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return modules
}

func TestGuestsOfOtherCompilersComputeTheSame(t *testing.T) {
	run := 0
	for name, module := range guestsOfEngine(t, "examples", "cmd", "imports", "experimental",
		"testdata",
		"internal/integration_test/engine", "internal/integration_test/fuzzcases") {
		file, err := wasmbin.Parse(module)
		if err != nil || strings.Contains(name, "infinite") || len(module) > 300<<10 {
			continue
		}
		checkValidity(t, name, file.Code)
		m, err := rewrite(file.Code, options{})
		if err != nil || compiles(file.Code) != nil || !importsFunctionsOnly(file) {
			continue
		}
		run++
		want := runWithZeros(t, compiler(), file.Code, nil)
		tank := &Tank{Fuel: m.Fuel}
		tank.Fill(plenty, time.Now())
		if got := runWithZeros(t, compiler(), m.Module, tank); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	if run < 10 {
		t.Errorf("only %d modules were run", run)
	}
}

func importsFunctionsOnly(m *wasmbin.Module) bool {
	for _, i := range m.Imports {
		if i.Kind != wasmbin.KindFunc {
			return false
		}
	}
	return true
}

// checkValidity checks that a rewritten module is valid if the original is, and only then.
func checkValidity(t *testing.T, name string, module []byte) {
	t.Helper()
	valid := compiles(module)
	m, err := rewrite(module, options{})
	switch {
	case err != nil && valid == nil &&
		!strings.Contains(err.Error(), "is not part of WebAssembly 2.0"):
		t.Errorf("%s: %v", name, err) // the engine takes some of later versions
	case err == nil && (compiles(m.Module) == nil) != (valid == nil):
		t.Errorf("%s: original: %v, rewritten: %v", name, valid, compiles(m.Module))
	}
}

func compiles(module []byte) error {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, interpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	_, err := r.CompileModule(ctx, bytes.Clone(module))
	return err
}
