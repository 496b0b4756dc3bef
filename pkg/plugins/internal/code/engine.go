package code

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

// runtimeConfig returns the configuration of all runtimes that share compiled code, which depends
// on it.
func runtimeConfig(cache wazero.CompilationCache) wazero.RuntimeConfig {
	config := wazero.NewRuntimeConfig() // the compiler, wherever there is one
	config = config.WithCoreFeatures(api.CoreFeaturesV2).WithDebugInfoEnabled(false)
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	return config
}

// engine returns which engine there is on this machine, and the reason if it is not the compiler.
func engine(ctx context.Context) (name, reason string) {
	r := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(nil))
	defer r.Close(ctx)
	if name = engineOf(r); name == engineInterpreter {
		reason = interpreterReason(runtime.GOOS, runtime.GOARCH, tryCompiler(ctx))
	}
	return name, reason
}

// checkEngine refuses an unknown engine, whose bounds would be unknown, too.
func checkEngine(name string) error {
	if name == engineCompiler || name == engineInterpreter {
		return nil
	}
	return errors.New("this version of wazero cannot be used: " +
		"it does not have its engine where version 1.12 has it")
}

// engineOf returns the engine of a runtime. It reads unexported fields, as wazero has no way to
// ask.
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

// tryCompiler makes a compiler where none was chosen, and returns its error.
func tryCompiler(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler()).Close(ctx)
}

// interpreterReason returns why the compiler was not chosen, from the error of tryCompiler.
func interpreterReason(system, arch string, compiler error) string {
	systems := []string{"linux", "darwin", "freebsd", "netbsd", "windows"}
	if arch == "amd64" {
		systems = append(systems, "dragonfly", "solaris", "illumos")
	}
	switch {
	case arch != "amd64" && arch != "arm64", !slices.Contains(systems, system):
		return fmt.Sprintf("there is no compiler for %s on %s", system, arch)
	case compiler != nil:
		return "the system allows no memory for native code: " + compiler.Error()
	case arch == "amd64":
		return "the processor has no SSE4.1"
	}
	return "wazero does not say"
}
