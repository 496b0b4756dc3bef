package handlers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

// ErrNoCompiler means that a guest could not be built because its compiler is missing.
var ErrNoCompiler = errors.New("missing compiler")

// here returns the folder of this package.
var here = sync.OnceValue(func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
})

// built caches the built modules, by source.
var built sync.Map

// build runs a command that builds a module; it appends the output path as the last argument.
func build(source string, command ...string) ([]byte, error) {
	if wasm, ok := built.Load(source); ok {
		return wasm.([]byte), nil
	}
	dir, err := os.MkdirTemp("", "handlers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command(command[0], append(command[1:], out)...)
	cmd.Dir = filepath.Join(here(), "testdata", filepath.Dir(source))
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if filepath.Ext(source) == ".go" {
		cmd.Env = append(cmd.Env, "GOOS=wasip1", "GOARCH=wasm")
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		var exit *exec.ExitError
		if errors.Is(err, exec.ErrNotFound) || errors.As(err, &exit) && exit.ExitCode() == 3 {
			return nil, fmt.Errorf("building %s: %w: %s", source, ErrNoCompiler, text)
		}
		return nil, fmt.Errorf("building %s: %w\n%s", source, err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	built.Store(source, wasm)
	return wasm, nil
}

func buildC() ([]byte, error) {
	return build("guest.c", filepath.Join(here(), "../../plugins/sdk/c/build"), "guest.c")
}

func buildGo() ([]byte, error) {
	// go build takes the packages last, so -o comes before them.
	return build("goguest/main.go", "sh", "-c",
		`exec go build -trimpath -buildmode=c-shared -o "$0" .`)
}

// buildExtism builds a guest of Extism, with the flags of the C SDK.
func buildExtism(source string) ([]byte, error) {
	if _, err := exec.LookPath("wasm-ld"); err != nil {
		return nil, fmt.Errorf("building %s: %w: wasm-ld", source, ErrNoCompiler)
	}
	return build(source, "clang", "--target=wasm32", "-std=c11", "-O2", "-ffreestanding",
		"-nostdlib", "-mbulk-memory", "-Wall", "-Wextra",
		"-Wl,--no-entry", "-Wl,--strip-debug", "-Wl,-z,stack-size=65536", "-Wl,--stack-first",
		source, "-o")
}
