package code

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Compiling takes at most half of the memory that the container may have: the kernel would end all
// of it, and not only what compiles.
func TestHalfOfTheContainer(t *testing.T) {
	before := containerLimit
	t.Cleanup(func() { containerLimit = before })
	containerLimit = filepath.Join(t.TempDir(), "memory.max")
	for text, want := range map[string]int64{"": math.MaxInt64, "max\n": math.MaxInt64,
		"536870912\n": 256 << 20, "62914560\n": 30 << 20} {
		if err := os.WriteFile(containerLimit, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := halfOfContainer(); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if err := os.WriteFile(containerLimit, []byte("62914560\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := &Code{limits: Limits{Time: time.Minute, Memory: 1 << 30}}
	err := (&Compiler{}).compileApart(t.Context(), x, 1000, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "30 MiB of memory, half of what the container may have") {
		t.Errorf("it ended with %v", err)
	}
}
