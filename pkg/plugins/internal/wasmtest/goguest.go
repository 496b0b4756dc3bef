package wasmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// goGuests holds what was built, by folder and package.
var goGuests sync.Map

// GoGuest builds a guest from Go source with the stock toolchain, as make examples does, once for
// all tests of a package. With -short the test is skipped.
func GoGuest(t testing.TB, dir, pkg string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a guest from Go, which takes seconds")
	}
	if wasm, ok := goGuests.Load(dir + pkg); ok {
		return wasm.([]byte)
	}
	out := filepath.Join(t.TempDir(), "guest.wasm")
	command := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-o", out, pkg)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off",
		"CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building %s in %s: %v\n%s", pkg, dir, err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	goGuests.Store(dir+pkg, wasm)
	return wasm
}
