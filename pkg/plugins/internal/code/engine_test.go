package code

import (
	"errors"
	"runtime"
	"testing"

	"github.com/tetratelabs/wazero"
)

// The engine that wazero has chosen is read from its insides: another version of it may need
// another engineOf.
func TestEngineOf(t *testing.T) {
	for _, test := range []struct {
		config wazero.RuntimeConfig
		want   string
	}{
		{wazero.NewRuntimeConfigInterpreter(), engineInterpreter},
		{wazero.NewRuntimeConfigCompiler(), engineCompiler},
	} {
		if test.want == engineCompiler && tryCompiler(t.Context()) != nil {
			continue
		}
		r := wazero.NewRuntimeWithConfig(t.Context(), test.config)
		if got := engineOf(r); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
		r.Close(t.Context())
	}
	if got := engineOf(strange{}); got != "unknown" {
		t.Errorf("of something else: %s", got)
	}
	if name, why := engine(t.Context()); runtime.GOOS == "linux" && runtime.GOARCH == "amd64" &&
		(name != engineCompiler || why != "") {
		t.Errorf("here it is %s, %s", name, why)
	}
}

type strange struct{ wazero.Runtime }

func TestInterpreterReason(t *testing.T) {
	refused := errors.New("mmap: operation not permitted")
	for _, test := range []struct {
		system, arch string
		compiler     error
		want         string
	}{
		{"linux", "riscv64", nil, "there is no compiler for linux on riscv64"},
		{"openbsd", "amd64", nil, "there is no compiler for openbsd on amd64"},
		{"illumos", "arm64", nil, "there is no compiler for illumos on arm64"},
		{"illumos", "amd64", refused,
			"the system allows no memory for native code: mmap: operation not permitted"},
		{"linux", "arm64", refused,
			"the system allows no memory for native code: mmap: operation not permitted"},
		{"linux", "amd64", nil, "the processor has no SSE4.1"},
		{"linux", "arm64", nil, "wazero does not say"},
	} {
		if got := interpreterReason(test.system, test.arch, test.compiler); got != test.want {
			t.Errorf("%s on %s: got %q, want %q", test.system, test.arch, got, test.want)
		}
	}
}

// A compiler says which engine it has, whether it has compiled a module or not.
func TestEngineOfAHost(t *testing.T) {
	name, why := new(Compiler).Engine(t.Context())
	if n, w := engine(t.Context()); name != n || why != w {
		t.Errorf("got %q, %q, want %q, %q", name, why, n, w)
	}
}

func TestUnknownEnginesAreRefused(t *testing.T) {
	for name, known := range map[string]bool{engineCompiler: true, engineInterpreter: true,
		"unknown": false, "": false} {
		if err := checkEngine(name); (err == nil) != known {
			t.Errorf("%q: %v", name, err)
		}
	}
}
