package meter

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"go.uber.org/goleak"
)

// machine runs one instance of a module.
type machine struct {
	instance api.Module
	tank     *Tank // nil if the module is not metered
	close    func()
}

// plenty is more than anything here uses up.
const plenty = 1 << 60

func compiler() wazero.RuntimeConfig { return wazero.NewRuntimeConfigCompiler() }

// cached is for Go guests, since compiling one takes seconds with the race detector.
func cached() wazero.RuntimeConfig { return compiler().WithCompilationCache(cache) }

var cache = wazero.NewCompilationCache()

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := cache.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "closing the cache:", err)
			code = 1
		}
		os.Exit(code)
	}))
}

func interpreter() wazero.RuntimeConfig { return wazero.NewRuntimeConfigInterpreter() }

// start instantiates a module as it is. A machine must be closed.
func start(t testing.TB, config wazero.RuntimeConfig, module []byte, tank *Tank) (*machine, error) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx,
		config.WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(2048))
	done := func() {
		if err := r.Close(ctx); err != nil {
			t.Errorf("closing the runtime: %v", err)
		}
	}
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	triple := func(x uint32) uint32 { return 3*x + 1 }
	if _, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(triple).Export(
		"host").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	if err := Instantiate(ctx, r, func(context.Context) *Tank { return tank }); err != nil {
		t.Fatal(err)
	}
	compiled, err := r.CompileModule(ctx, module)
	if err != nil {
		done()
		return nil, err
	}
	instance, err := r.InstantiateModule(ctx, compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		done()
		return nil, err
	}
	if tank != nil {
		tank.Bind(instance)
	}
	return &machine{instance, tank, done}, nil
}

// metered rewrites and instantiates a module.
func metered(t testing.TB, config wazero.RuntimeConfig, module []byte) *machine {
	t.Helper()
	return meteredWith(t, config, module, options{})
}

func meteredWith(t testing.TB, config wazero.RuntimeConfig, module []byte, o options) *machine {
	t.Helper()
	m, err := rewrite(module, o)
	if err != nil {
		t.Fatal(err)
	}
	tank := &Tank{Fuel: m.Fuel}
	tank.Fill(plenty, time.Now())
	ma, err := start(t, config, m.Module, tank)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ma.close)
	return ma
}

func plain(t testing.TB, config wazero.RuntimeConfig, module []byte) *machine {
	t.Helper()
	m, err := start(t, config, module, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

func (m *machine) call(f string, args ...uint64) ([]uint64, error) {
	return m.instance.ExportedFunction(f).Call(context.Background(), args...)
}
