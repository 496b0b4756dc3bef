package wasmbin

// kind is what an import or export is.
type kind byte

// The kinds.
const (
	KindFunc kind = iota
	KindTable
	KindMemory
	KindGlobal
)

// String names the kind.
func (k kind) String() string {
	switch k {
	case KindFunc:
		return "function"
	case KindTable:
		return "table"
	case KindMemory:
		return "memory"
	case KindGlobal:
		return "global"
	}
	return "unknown kind"
}

// FuncType is a function's type, with value types as in the file.
type FuncType struct {
	Params, Results []byte
}

// table is a table of functions or external references.
type table struct {
	Type byte
	Limits
}

// Import is one entry of the import section. Type is set for functions.
type Import struct {
	Module, Name string
	Kind         kind
	Type         FuncType
}

// export is one entry of the export section.
type export struct {
	Name  string
	Kind  kind
	Index uint32
}

// Module is the outline of a module.
type Module struct {
	Imports  []Import
	Exports  []export
	Tables   []table  // own and imported
	Memories []Limits // own and imported
	// Named reports whether Code has the functions' names.
	Named bool
	// Code is the file without custom sections other than the functions' names, with tables that
	// cannot grow beyond MaxTableElements, and with an export in place of a start function.
	Code []byte
	// Start is the name of this export, empty if there is none. Exports does not have it.
	Start string

	types []FuncType
	funcs []uint32 // type index of each function, imported ones first
}

// FuncType returns the type of a function by its index.
func (m *Module) FuncType(index uint32) (FuncType, bool) {
	if uint64(index) >= uint64(len(m.funcs)) {
		return FuncType{}, false
	}
	return m.types[m.funcs[index]], true
}

// Export finds an export by name.
func (m *Module) Export(name string) (export, bool) {
	for _, e := range m.Exports {
		if e.Name == name {
			return e, true
		}
	}
	return export{}, false
}
