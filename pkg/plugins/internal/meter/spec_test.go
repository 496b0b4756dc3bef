package meter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// specification holds the modules of the specification's test suite.
const specification = "internal/integration_test/spectest/v2/testdata"

// TestSpecificationsModulesComputeTheSame rewrites every module of the specification's test suite
// and calls all their exports with a few arguments.
func TestSpecificationsModulesComputeTheSame(t *testing.T) {
	host := guestsOfEngine(t, "internal/integration_test/spectest/testdata")
	var imports []byte
	for name, module := range host {
		if strings.HasSuffix(name, "spectest.wasm") {
			imports = module
		}
	}
	run, nth := 0, 0
	for name, module := range guestsOfEngine(t, specification) {
		if nth++; testing.Short() && nth%10 > 0 {
			continue
		}
		checkValidity(t, name, module)
		m, err := rewrite(module, options{})
		if err != nil || compiles(module) != nil {
			continue
		}
		got, spent := runAll(t, imports, m.Module, &Tank{Fuel: m.Fuel})
		if spent {
			continue
		}
		run++
		if want, _ := runAll(t, imports, module, nil); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	if t.Logf("%d modules were run", run); run < 100 {
		t.Errorf("only %d modules were run", run)
	}
}

// runAll calls all exported functions and tells what they gave.
func runAll(t *testing.T, imports, module []byte, tank *Tank) (seen string, spent bool) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx,
		interpreter().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(512))
	defer r.Close(ctx)
	if _, err := r.InstantiateWithConfig(ctx, imports,
		wazero.NewModuleConfig().WithName("spectest")); err != nil {
		t.Fatal(err)
	}
	if err := Instantiate(ctx, r, func(context.Context) *Tank { return tank }); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fill := func() {
		if tank != nil {
			tank.Fill(100_000, time.Now())
		}
	}
	note := func(name string, results []uint64, err error) {
		kind := kindOfTrap(err)
		spent = spent || kind == ErrSpent.Error()
		fmt.Fprintln(&b, name, results, kind)
	}
	fill()
	instance, err := r.Instantiate(ctx, module)
	note("start", nil, err)
	if err != nil {
		return b.String(), spent
	}
	if tank != nil {
		tank.Bind(instance)
	}
	exports := instance.ExportedFunctionDefinitions()
	names := make([]string, 0, len(exports))
	for name := range exports {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := instance.ExportedFunction(name)
		if slices.Contains(f.Definition().ParamTypes(), api.ValueTypeExternref) {
			continue
		}
		for seed := range uint64(3) {
			args := make([]uint64, paramSlots(f.Definition()))
			for i := range args {
				args[i] = seed * uint64(i+3) * 0x3ff
			}
			fill()
			results, err := f.Call(ctx, args...)
			for i, at := 0, 0; i < len(f.Definition().ResultTypes()) && err == nil; i++ {
				switch f.Definition().ResultTypes()[i] {
				case 0x70: // an address
					results[at] = min(results[at], 1)
				case 0x7b:
					at++
				}
				at++
			}
			note(name, results, err)
		}
	}
	return b.String(), spent
}

// paramSlots is how many numbers a function takes; a vector is two.
func paramSlots(d api.FunctionDefinition) (n int) {
	for _, t := range d.ParamTypes() {
		if n++; t == 0x7b {
			n++
		}
	}
	return n
}
