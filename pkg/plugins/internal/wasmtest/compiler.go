package wasmtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Compiler builds a command that compiles modules, without the race detector, with which the engine
// takes twenty times as long to compile a guest of Go. It is put into a folder of the caller's.
func Compiler(dir string) (path string, err error) {
	path = filepath.Join(dir, "compiler")
	// The engine's code is for one version of it, which is this in the binary of a test.
	version := "-X github.com/tetratelabs/wazero/internal/version.version=dev"
	command := exec.Command("go", "build", "-ldflags", version, "-o", path,
		"github.com/informerd/informerd/pkg/plugins/internal/wasmtest/testdata/compiler")
	// as make examples and the daemon's own build do, whose packages are used again
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building a compiler of modules: %w\n%s", err, text)
	}
	return path, nil
}
