package plugins

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The engines there are.
const (
	engineCompiler    = "compiler"
	engineInterpreter = "interpreter"
)

// runtimeConfig is that of all runtimes which share compiled code: what is compiled depends on it.
func runtimeConfig(cache wazero.CompilationCache) wazero.RuntimeConfig {
	config := wazero.NewRuntimeConfig() // the compiler, wherever there is one
	config = config.WithCoreFeatures(api.CoreFeaturesV2).WithDebugInfoEnabled(false)
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	return config
}

// engine tells which engine there is on this machine, and why if it is not the compiler.
func engine(ctx context.Context) (name, why string) {
	r := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(nil))
	defer r.Close(ctx)
	if name = engineOf(r); name == engineInterpreter {
		why = whyInterpreter(runtime.GOOS, runtime.GOARCH, tryCompiler(ctx))
	}
	return name, why
}

// checkEngine refuses an engine that is not one of those that are known, as nothing would be known
// of its bounds.
func checkEngine(name string) error {
	if name == engineCompiler || name == engineInterpreter {
		return nil
	}
	return errors.New("this version of wazero cannot be used: it does not have its engine where version 1.12 has it")
}

// engineOf looks into a runtime, as nothing else tells which engine it has chosen.
func engineOf(r wazero.Runtime) string {
	v := reflect.ValueOf(r)
	for _, field := range []string{"store", "Engine"} {
		if v = reflect.Indirect(v); v.Kind() != reflect.Struct {
			return "unknown"
		}
		v = v.FieldByName(field)
	}
	if v.Kind() != reflect.Interface {
		return "unknown"
	}
	switch pkg, _, _ := strings.Cut(v.Elem().Type().String(), "."); pkg {
	case "*wazevo":
		return engineCompiler
	case "*interpreter":
		return engineInterpreter
	}
	return "unknown"
}

// tryCompiler makes the compiler where it was not chosen, and gives what it says to that.
func tryCompiler(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler()).Close(ctx)
}

// whyInterpreter gives the reason why the compiler was not chosen, from what it says when it is
// made all the same.
func whyInterpreter(system, arch string, compiler error) string {
	systems := []string{"linux", "darwin", "freebsd", "netbsd", "windows"}
	if arch == "amd64" {
		systems = append(systems, "dragonfly", "solaris", "illumos")
	}
	switch {
	case arch != "amd64" && arch != "arm64", !slices.Contains(systems, system):
		return fmt.Sprintf("there is no compiler for %s on %s", system, arch)
	case compiler != nil:
		return "the system gives no memory for native code: " + compiler.Error()
	case arch == "amd64":
		return "the processor has no SSE4.1"
	}
	return "wazero does not say"
}
