package wasmbin

import (
	"bytes"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func TestStartFunctionIsAnExport(t *testing.T) {
	for _, test := range []struct {
		name  string
		make  func(m *wasmtest.Module)
		start string // of Module
		index uint32
	}{
		{"none", func(m *wasmtest.Module) { m.Func("a", "", "", "") }, "", 0},
		{"one", func(m *wasmtest.Module) {
			m.Func("a", "", "", "")
			m.Start(m.Func("", "", "", ""))
		}, "start function", 1},
		{"behind an import", func(m *wasmtest.Module) {
			m.Import("m", "f", "", "")
			m.Start(m.Func("a", "", "", ""))
		}, "start function", 1},
		{"its name is taken", func(m *wasmtest.Module) {
			m.Start(m.Func("start function", "", "", ""))
		}, "start function'", 0},
		{"an import", func(m *wasmtest.Module) {
			m.Import("m", "f", "", "")
			m.Func("a", "", "", "")
			m.Start(0)
		}, "", 0},
		{"of another type", func(m *wasmtest.Module) { m.Start(m.Func("a", "i", "", "")) }, "", 0},
		{"not there", func(m *wasmtest.Module) { m.Func("a", "", "", ""); m.Start(9) }, "", 0},
		{"without exports", func(m *wasmtest.Module) { m.Start(m.Func("", "", "", "")) }, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &wasmtest.Module{}
			test.make(m)
			file := m.Bytes()
			got, err := Parse(file)
			if err != nil {
				t.Fatal(err)
			}
			if got.Start != test.start {
				t.Fatalf("its start function is exported as %q, want %q", got.Start, test.start)
			}
			if test.start == "" {
				if !bytes.Equal(got.Code, file) {
					t.Errorf("the code is %x, want %x", got.Code, file)
				}
				return
			}
			if _, listed := got.Export(test.start); listed {
				t.Error("it is one of the exports")
			}
			sections, err := Split(got.Code)
			if _, still := startOf(got.Code, sections); still || err != nil {
				t.Errorf("the code has a start function, %v", err)
			}
			again, err := Parse(got.Code)
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := again.Export(test.start); !ok || e.Kind != KindFunc || e.Index != test.index {
				t.Errorf("the code exports %+v, want function %d", e, test.index)
			}
			if len(again.Exports) != len(got.Exports)+1 {
				t.Errorf("the code has %d exports, the file %d", len(again.Exports),
					len(got.Exports))
			}
		})
	}
}
