package plugins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// The kinds of modules.
const (
	ModuleHandler = "handler" // of informerd/v1
	ModuleCommand = "command" // of WASI
	ModuleOther   = "other"   // no handler
)

// Inspection is what can be read of a module without running it. Its names are as they are in
// the module, which may be anything.
type Inspection struct {
	Kind string // ModuleHandler, ModuleCommand or ModuleOther
	// Refusal says why a module of kind ModuleOther would not be loaded, whatever it were granted.
	Refusal string
	Digest  string // SHA-256 of the file, in hexadecimal digits
	Size    int    // of the file, in bytes
	Imports []InspectedImport
	Exports []InspectedExport
	// Memory is the first memory, nil if there is none.
	Memory *InspectedRange
	Tables []InspectedRange
	// Named reports whether it has the functions' names, which the stack of a crash shows then.
	Named     bool
	Producers []Producer
	Sections  []InspectedSection
}

// InspectedImport is what a module asks for of one host module.
type InspectedImport struct {
	Module string
	Names  []string
	// Grant is what it needs; empty if it is given to everybody.
	Grant string
	// Unknown: there is no such host module.
	Unknown bool
}

// InspectedExport is one thing that a module exports.
type InspectedExport struct {
	Name string
	Kind string // function, table, memory or global
	Type string // of a function, as in (i32) -> i32
}

// InspectedRange is how large a memory, in bytes, or a table, in elements, may be.
type InspectedRange struct {
	Min, Max int64
	Bounded  bool // it has a Max
}

// InspectedSection is a custom section.
type InspectedSection struct {
	Name string
	Size int
}

// Producer is a tool that a module was made with.
type Producer struct {
	Field         string // language, processed-by or sdk
	Name, Version string
}

// Inspect looks at a module. The error is the one that Load returns for a file that is not a module
// or no valid one.
func Inspect(wasm []byte) (*Inspection, error) {
	file, err := wasmbin.Parse(wasm)
	if err != nil {
		return nil, err
	}
	if err := code.Validate(file); err != nil {
		return nil, err
	}
	in := &Inspection{Kind: ModuleHandler, Digest: fmt.Sprintf("%x", code.Digest(wasm)),
		Size: len(wasm), Named: file.Named}
	if code.IsCommand(file) {
		in.Kind = ModuleCommand
	}
	rules := code.Rules{Functions: hostFunctions, Memory: maxMemory}
	if err := rules.Check(file); err != nil {
		in.Kind, in.Refusal = ModuleOther, err.Error()
	}
	if err := code.CheckMetering(file); err != nil && in.Refusal == "" {
		in.Kind, in.Refusal = ModuleOther, err.Error()
	}
	in.outline(file)
	for _, c := range wasmbin.Customs(wasm) {
		in.Sections = append(in.Sections, InspectedSection{c.Name, len(c.Content)})
		if c.Name != "producers" || in.Producers != nil {
			continue
		}
		for _, p := range wasmbin.Producers(c.Content) {
			in.Producers = append(in.Producers, Producer(p))
		}
	}
	return in, nil
}

func (in *Inspection) outline(file *wasmbin.Module) {
	byModule := map[string]*InspectedImport{}
	for _, i := range file.Imports {
		found := byModule[i.Module]
		if found == nil {
			found = &InspectedImport{Module: i.Module, Grant: abi.Grants[i.Module],
				Unknown: !slices.ContainsFunc(hostFunctions,
					func(f abi.Function) bool { return f.Module == i.Module })}
			byModule[i.Module] = found
		}
		if !slices.Contains(found.Names, i.Name) {
			found.Names = append(found.Names, i.Name)
		}
	}
	for _, i := range byModule {
		slices.Sort(i.Names)
		in.Imports = append(in.Imports, *i)
	}
	slices.SortFunc(in.Imports, func(a, b InspectedImport) int {
		return strings.Compare(a.Module, b.Module)
	})
	for _, e := range file.Exports {
		found := InspectedExport{Name: e.Name, Kind: e.Kind.String()}
		if t, ok := file.FuncType(e.Index); ok && e.Kind == wasmbin.KindFunc {
			found.Type = code.Signature(t).String()
		}
		in.Exports = append(in.Exports, found)
	}
	for _, t := range file.Tables {
		in.Tables = append(in.Tables, InspectedRange{int64(t.Min), int64(t.Max), t.HasMax})
	}
	if len(file.Memories) > 0 {
		m := file.Memories[0]
		in.Memory = &InspectedRange{int64(m.Min) * wasmbin.PageSize,
			int64(m.Max) * wasmbin.PageSize, m.HasMax}
	}
}

// Grants names the grants that the module needs, sorted.
func (in *Inspection) Grants() (names []string) {
	for _, i := range in.Imports {
		if i.Grant != "" {
			names = append(names, i.Grant)
		}
	}
	slices.Sort(names)
	return names
}
