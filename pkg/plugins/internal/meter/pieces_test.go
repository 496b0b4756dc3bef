package meter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// ranged is a guest with the functions fill and copy, and a memory of a page in which each byte
// says where it is.
func ranged() []byte {
	m := &wasmtest.Module{}
	m.Memory(1, 1)
	m.Export("memory", 2, 0)
	m.Func("fill", "iii", "", "", local(0), local(1), local(2), bulk(bulkMemoryFill, 0))
	m.Func("copy", "iii", "", "", local(0), local(1), local(2), bulk(bulkMemoryCopy, 0, 0))
	var text strings.Builder
	for i := range 1 << 16 {
		text.WriteByte(byte(i + i>>8*7))
	}
	m.Data(0, text.String())
	return m.Bytes()
}

// Ranges of all kinds of lengths and places are the same in pieces as at once, those that leave the
// memory included: they trap before they have written anything.
func TestPiecesMakeTheSame(t *testing.T) {
	const end = 1 << 16
	places := []uint64{0, 1, 99, 100, 101, 250, 1000, end - 1000, end - 100, end - 1, end, end + 1,
		1<<32 - 1, 1<<32 - 100}
	lengths := []uint64{0, 1, 99, 100, 101, 200, 201, 999, 1000, end - 100, end, end + 1, 1<<32 - 1}
	for _, engine := range engines {
		want := plain(t, engine.config(), ranged())
		got := meteredWith(t, engine.config(), ranged(), options{piece: 100})
		visits := 0
		got.tank.Check = func() error { visits++; return nil }
		for _, function := range []string{"fill", "copy"} {
			for _, to := range places {
				for _, from := range places {
					for _, n := range lengths {
						visits = 0
						got.tank.Fill(plenty, time.Now())
						_, wantErr := want.call(function, to, from, n)
						_, gotErr := got.call(function, to, from, n)
						name := fmt.Sprintf("%s: %s(%d, %d, %d)", engine.name, function, to, from,
							n)
						if kindOfTrap(gotErr) != kindOfTrap(wantErr) {
							t.Fatalf("%s: %v, want %v", name, gotErr, wantErr)
						}
						if !bytes.Equal(memoryOf(got), memoryOf(want)) {
							t.Fatalf("%s: the memory is another", name)
						}
						if least := int(n-1) / 100; gotErr == nil && n > 100 && visits < least {
							t.Fatalf("%s: %d visits, at least %d are right", name, visits, least)
						}
					}
				}
			}
		}
	}
}

func memoryOf(m *machine) []byte {
	memory := m.instance.Memory()
	b, _ := memory.Read(0, memory.Size())
	return b
}

// A visit between two pieces may end the call, even if there is fuel for all of them.
func TestVisitEndsALargeRange(t *testing.T) {
	for _, function := range []string{"fill", "copy"} {
		m := meteredWith(t, compiler(), ranged(), options{piece: 1000})
		stop, visits := errors.New("stopped by the test"), 0
		m.tank.Check = func() error {
			if visits++; visits == 3 {
				return stop
			}
			return nil
		}
		m.tank.Fill(plenty, time.Now())
		if _, err := m.call(function, 0, 100, 1<<16-100); !errors.Is(err, stop) {
			t.Errorf("%s ended with %v", function, err)
		}
		if visits != 3 {
			t.Errorf("%s: %d visits", function, visits)
		}
	}
}

func TestPieceOfTheMostThereCanBe(t *testing.T) {
	m := meteredWith(t, compiler(), ranged(), options{piece: 1<<32 - 1})
	for range 2 {
		if _, err := m.call("fill", 0, 1, 1<<16); err != nil {
			t.Error(err)
		}
	}
	if _, err := m.instance.ExportedFunction("fill").Call(context.Background(), 0, 1,
		api.EncodeI32(-1)); err == nil {
		t.Error("4 GiB were filled")
	}
}
