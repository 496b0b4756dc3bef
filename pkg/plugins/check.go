package plugins

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmfile"
)

// checkModule tells whether a module keeps to the interface and to its grants and limits, before it
// is compiled.
func checkModule(m *wasmfile.Module, limits Limits, grants Grants) error {
	if isCommand(m) {
		return checkCommand(m, limits, grants)
	}
	for _, i := range m.Imports {
		if err := checkImport(i, grants); err != nil {
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
	return checkMemory(m, limits)
}

func exportType(name string) abi.Signature {
	for _, e := range abi.Exports {
		if e.Name == name {
			return e.Signature
		}
	}
	return abi.Signature{}
}

// checkCommand is checkModule for a WASI command.
func checkCommand(m *wasmfile.Module, limits Limits, grants Grants) error {
	for _, i := range m.Imports {
		if i.Module != abi.ModuleWASI {
			return fmt.Errorf(
				"import %q of module %q: it exports %q and not %q, which makes it a WASI command, and those may "+
					"import %s only", i.Name, i.Module, abi.ExportStart, abi.ExportMarker,
				abi.ModuleWASI)
		}
		if err := checkImport(i, grants); err != nil {
			return err
		}
	}
	if err := checkExport(m, abi.Export{Function: abi.Import("", abi.ExportStart, "",
		"")}); err != nil {
		return err
	}
	return checkMemory(m, limits)
}

// importsModule tells whether a module asks for a host module.
func importsModule(m *wasmfile.Module, name string) bool {
	return slices.ContainsFunc(m.Imports, func(i wasmfile.Import) bool { return i.Module == name })
}

func checkMemory(m *wasmfile.Module, limits Limits) error {
	if len(m.Memories) > 1 {
		return fmt.Errorf("it has %d memories, at most one is allowed", len(m.Memories))
	}
	e, ok := m.Export(abi.ExportMemory)
	if !ok {
		return fmt.Errorf("it does not export its memory under the name %q", abi.ExportMemory)
	}
	if e.Kind != wasmfile.Memory || len(m.Memories) == 0 {
		return fmt.Errorf("export %q is a %s, it must be a memory", abi.ExportMemory, e.Kind)
	}
	if minimum := int64(m.Memories[0].Min) * pageSize; minimum > limits.Memory {
		return fmt.Errorf("it needs %s of memory to start, its limit is %s: raise limits.memory",
			mebibytes(minimum), mebibytes(limits.Memory))
	}
	return nil
}

// memoryRange gives the bytes an instance has in the beginning and may have in the end, for a
// module that was checked.
func memoryRange(m *wasmfile.Module, limits Limits) (from, to int64) {
	own := m.Memories[0]
	to = int64(limits.pages()) * pageSize
	if own.HasMax {
		to = min(to, int64(own.Max)*pageSize)
	}
	return int64(own.Min) * pageSize, to
}

func mebibytes(n int64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
}

func checkImport(i wasmfile.Import, grants Grants) error {
	known := functionsOf(i.Module)
	if len(known) == 0 {
		return fmt.Errorf("import %q of module %q: there is no such module; guests may import %s",
			i.Name, i.Module, strings.Join(moduleNames(), ", "))
	}
	if grant, needed := abi.Grants[i.Module]; needed && !grants.has(grant) {
		return fmt.Errorf("import %q of module %q: this needs the grant %q, which the configuration does not have",
			i.Name, i.Module, grant)
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
	if i.Kind != wasmfile.Func {
		return fmt.Errorf("import %q of module %q is a %s, it must be a function of type %s",
			i.Name, i.Module, i.Kind, want)
	}
	if found := signature(i.Type); !found.Equal(want) {
		return fmt.Errorf("import %q of module %q has type %s, it must be %s", i.Name, i.Module,
			found, want)
	}
	return nil
}

func checkExport(m *wasmfile.Module, want abi.Export) error {
	e, ok := m.Export(want.Name)
	if !ok {
		if want.Required {
			return fmt.Errorf("it does not export the function %q of type %s", want.Name,
				want.Signature)
		}
		return nil
	}
	if e.Kind != wasmfile.Func {
		return fmt.Errorf("export %q is a %s, it must be a function of type %s", want.Name, e.Kind,
			want.Signature)
	}
	t, ok := m.FuncType(e.Index)
	if !ok {
		return fmt.Errorf("export %q: there is no function %d", want.Name, e.Index)
	}
	if found := signature(t); !found.Equal(want.Signature) {
		return fmt.Errorf("export %q has type %s, it must be %s", want.Name, found, want.Signature)
	}
	return nil
}

func signature(t wasmfile.FuncType) abi.Signature {
	return abi.Signature{Params: valueTypes(t.Params), Results: valueTypes(t.Results)}
}

func valueTypes(b []byte) []abi.ValueType {
	ts := make([]abi.ValueType, len(b))
	for i, t := range b {
		ts[i] = abi.ValueType(t)
	}
	return ts
}

// functionsOf gives the functions of a host module with their types.
func functionsOf(module string) map[string]abi.Signature {
	fs := map[string]abi.Signature{}
	for _, f := range hostFunctions {
		if f.Module == module {
			fs[f.Name] = f.Signature
		}
	}
	return fs
}

func moduleNames() []string {
	names := map[string]bool{}
	for _, f := range hostFunctions {
		names[f.Module] = true
	}
	return sortedKeys(names)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
