package wasmbin

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// crowds are modules with n of something, all of which Parse takes up to 8,000.
var crowds = map[string]func(n int) []byte{
	"functions": func(n int) []byte {
		m := &wasmtest.Module{}
		for range n {
			m.Func("", "", "", "")
		}
		return m.Bytes()
	},
	"exports": func(n int) []byte {
		m := &wasmtest.Module{}
		for i := range n {
			m.Func(fmt.Sprint("f", i), "", "", "")
		}
		return m.Bytes()
	},
	"globals": func(n int) []byte {
		m := &wasmtest.Module{}
		for i := range n {
			m.Global(int32(i))
		}
		return m.Bytes()
	},
	"segments": func(n int) []byte {
		m := &wasmtest.Module{}
		m.Memory(1, 1)
		for i := range n {
			m.Data(int32(i), "x")
		}
		return m.Bytes()
	},
	"names": func(n int) []byte {
		m := &wasmtest.Module{}
		names := wasmtest.Uint(uint32(n))
		for i := range n {
			m.Func("", "", "", "")
			names = append(append(names, wasmtest.Uint(uint32(i))...), wasmtest.Text("name")...)
		}
		m.Custom("name", section(1, string(names)))
		return m.Bytes()
	},
	"branches": func(n int) []byte {
		return withFunction([]byte("\x00" + strings.Repeat("\x02\x40\x0b", n) + "\x0b"))
	},
	"instructions": func(n int) []byte {
		return withFunction([]byte("\x00" + strings.Repeat("\x41\x00\x1a", n) + "\x0b"))
	},
}

func TestParseTakesNoMoreThanTheFileIsWorth(t *testing.T) {
	for name, of := range crowds {
		t.Run(name, func(t *testing.T) {
			file := of(8000)
			taken := allocated(t, file, true)
			if most := uint64(20*len(file) + 64<<10); taken > most {
				t.Errorf("a file of %d bytes takes %d, at most %d", len(file), taken, most)
			}
			made := map[int][]byte{1000: of(1000), 8000: file}
			growth.Linear(t, 1000, func(n int) {
				for range 20 {
					if _, err := Parse(made[n]); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// A count that no bytes follow reserves nothing, whatever it counts.
func TestParseReservesNothingForCounts(t *testing.T) {
	for id := byte(SectionType); id <= SectionDataCount; id++ {
		for _, count := range []string{"\xff\xff\xff\xff\x0f", "\x80\x80\x80\x01", "\xa0\x8d\x06"} {
			for _, rest := range []string{"", "\x00", strings.Repeat("\x00", 64),
				strings.Repeat("\x60\x00\x00", 64)} {
				if taken := allocated(t, file(section(id, count+rest)), false); taken > 64<<10 {
					t.Errorf("section %d, count %q: %d bytes", id, count, taken)
				}
			}
		}
	}
}

// allocated returns how many bytes Parse asks for.
func allocated(t *testing.T, file []byte, good bool) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse(file)
	runtime.ReadMemStats(&after)
	if good && err != nil {
		t.Fatal(err)
	}
	return after.TotalAlloc - before.TotalAlloc
}
