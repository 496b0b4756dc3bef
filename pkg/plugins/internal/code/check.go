package code

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Rules are what a module is checked against, with the tables of package abi.
type Rules struct {
	// Functions are those that guests may import.
	Functions []abi.Function
	// Granted reports whether the configuration has a grant. Nil is all of them.
	Granted func(grant string) bool
	// Memory is how many bytes an instance may have.
	Memory int64
}

// Check returns how a module breaks the interface or the rules, before it is compiled.
func (r Rules) Check(m *wasmbin.Module) error {
	if IsCommand(m) {
		return r.checkCommand(m)
	}
	for _, i := range m.Imports {
		if err := r.checkImport(i); err != nil {
			var missing *MissingGrantsError
			if errors.As(err, &missing) {
				missing.addAll(r, m)
			}
			return err
		}
	}
	for _, e := range abi.Exports {
		if err := checkExport(m, e); err != nil {
			return err
		}
	}
	_, single := m.Export(abi.ExportOnEvent)
	if _, batch := m.Export(abi.ExportOnBatch); !single && !batch {
		return fmt.Errorf("it exports neither the function %q of type %s nor %q of type %s",
			abi.ExportOnEvent, exportType(abi.ExportOnEvent), abi.ExportOnBatch,
			exportType(abi.ExportOnBatch))
	}
	return r.checkMemory(m)
}

func exportType(name string) abi.Signature {
	for _, e := range abi.Exports {
		if e.Name == name {
			return e.Signature
		}
	}
	return abi.Signature{}
}

// checkCommand is Check for a WASI command.
func (r Rules) checkCommand(m *wasmbin.Module) error {
	for _, i := range m.Imports {
		if i.Module != abi.ModuleWASI {
			return fmt.Errorf(
				"import %q of module %q: it exports %q and not %q, which makes it a WASI command, and those may "+
					"import %s only", i.Name, i.Module, abi.ExportStart, abi.ExportMarker,
				abi.ModuleWASI)
		}
		if err := r.checkImport(i); err != nil {
			return err
		}
	}
	if err := checkExport(m, abi.Export{Function: abi.Import("", abi.ExportStart, "",
		"")}); err != nil {
		return err
	}
	return r.checkMemory(m)
}

// Imports reports whether a module imports a function of a host module.
func Imports(m *wasmbin.Module, hostModule string) bool {
	return slices.ContainsFunc(m.Imports,
		func(i wasmbin.Import) bool { return i.Module == hostModule })
}

func (r Rules) checkMemory(m *wasmbin.Module) error {
	if len(m.Memories) > 1 {
		return fmt.Errorf("it has %d memories, at most one is allowed", len(m.Memories))
	}
	e, ok := m.Export(abi.ExportMemory)
	if !ok {
		return fmt.Errorf("it does not export its memory under the name %q", abi.ExportMemory)
	}
	if e.Kind != wasmbin.KindMemory || len(m.Memories) == 0 {
		return fmt.Errorf("export %q is a %s, it must be a memory", abi.ExportMemory, e.Kind)
	}
	if minimum := int64(m.Memories[0].Min) * wasmbin.PageSize; minimum > r.Memory {
		return fmt.Errorf("it needs %s of memory to start, its limit is %s: raise limits.memory",
			wasmbin.MiB(minimum), wasmbin.MiB(r.Memory))
	}
	return nil
}

// MemoryRange returns how many bytes an instance of a checked module has at first, and how many it
// may have within a limit.
func MemoryRange(m *wasmbin.Module, limit int64) (first, last int64) {
	declared := m.Memories[0]
	last = limit / wasmbin.PageSize * wasmbin.PageSize
	if declared.HasMax {
		last = min(last, int64(declared.Max)*wasmbin.PageSize)
	}
	return int64(declared.Min) * wasmbin.PageSize, last
}

func (r Rules) checkImport(i wasmbin.Import) error {
	known := r.functionsOf(i.Module)
	if len(known) == 0 {
		return fmt.Errorf("import %q of module %q: there is no such module; guests may import %s",
			i.Name, i.Module, strings.Join(r.moduleNames(), ", "))
	}
	if grant, needed := abi.Grants[i.Module]; needed && r.Granted != nil && !r.Granted(grant) {
		return &MissingGrantsError{i.Name, i.Module, []string{grant}}
	}
	want, ok := known[i.Name]
	if !ok && i.Module == abi.ModuleWASI {
		return fmt.Errorf("import %q of module %q: handlers are not given this part of WASI",
			i.Name, i.Module)
	}
	if !ok {
		return fmt.Errorf("import %q of module %q: there is no such function; the module has %s",
			i.Name, i.Module, strings.Join(sortedKeys(known), ", "))
	}
	if i.Kind != wasmbin.KindFunc {
		return fmt.Errorf("import %q of module %q is a %s, it must be a function of type %s",
			i.Name, i.Module, i.Kind, want)
	}
	if found := Signature(i.Type); !found.Equal(want) {
		return fmt.Errorf("import %q of module %q has type %s, it must be %s", i.Name, i.Module,
			found, want)
	}
	return nil
}

func checkExport(m *wasmbin.Module, want abi.Export) error {
	e, ok := m.Export(want.Name)
	if !ok {
		if want.Required {
			return fmt.Errorf("it does not export the function %q of type %s", want.Name,
				want.Signature)
		}
		return nil
	}
	if e.Kind != wasmbin.KindFunc {
		return fmt.Errorf("export %q is a %s, it must be a function of type %s", want.Name, e.Kind,
			want.Signature)
	}
	t, ok := m.FuncType(e.Index)
	if !ok {
		return fmt.Errorf("export %q: there is no function %d", want.Name, e.Index)
	}
	if found := Signature(t); !found.Equal(want.Signature) {
		return fmt.Errorf("export %q has type %s, it must be %s", want.Name, found, want.Signature)
	}
	return nil
}

// Signature returns a function's type in the words of package abi.
func Signature(t wasmbin.FuncType) abi.Signature {
	return abi.Signature{Params: valueTypes(t.Params), Results: valueTypes(t.Results)}
}

func valueTypes(b []byte) []abi.ValueType {
	ts := make([]abi.ValueType, len(b))
	for i, t := range b {
		ts[i] = abi.ValueType(t)
	}
	return ts
}

// functionsOf returns the functions of a host module with their types.
func (r Rules) functionsOf(module string) map[string]abi.Signature {
	fs := map[string]abi.Signature{}
	for _, f := range r.Functions {
		if f.Module == module {
			fs[f.Name] = f.Signature
		}
	}
	return fs
}

func (r Rules) moduleNames() []string {
	names := map[string]bool{}
	for _, f := range r.Functions {
		names[f.Module] = true
	}
	return sortedKeys(names)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
