// Package wasmtest assembles small WebAssembly modules for tests: guests that do one wrong thing,
// or one thing only. It checks nothing, since most of what it makes is broken on purpose.
package wasmtest

import (
	"encoding/binary"
	"slices"
)

// Value types.
const (
	I32 byte = 0x7f
	I64 byte = 0x7e
	F64 byte = 0x7c
)

// Module collects the parts of a module. Functions are numbered in the order in which they are
// added, imports first.
type Module struct {
	types, imports, funcs, tables, mems, globals, exports, elements, codes, datas [][]byte
	start                                                                         []byte
	nfuncs                                                                        uint32
	custom                                                                        []byte
	// there is a data count
	counted  bool
	replaced map[byte][]byte
}

// Import adds an imported function and returns its number.
func (m *Module) Import(module, name, params, results string) uint32 {
	entry := cat(str(module), str(name), []byte{0}, Uint(m.typ(params, results)))
	m.imports = append(m.imports, entry)
	m.nfuncs++
	return m.nfuncs - 1
}

// ImportMemory adds an imported memory.
func (m *Module) ImportMemory(module, name string) {
	m.imports = append(m.imports, cat(str(module), str(name), []byte{2, 0, 1}))
}

// Func adds a function, exported if export is not empty, and returns its number. Types are written
// as one letter each: i for i32, I for i64.
func (m *Module) Func(export, params, results, locals string, code ...[]byte) uint32 {
	index := m.nfuncs
	m.nfuncs++
	m.funcs = append(m.funcs, Uint(m.typ(params, results)))
	var ls [][]byte
	for _, t := range letters(locals) {
		ls = append(ls, []byte{1, t})
	}
	m.RawFunc(cat(vec(ls), cat(code...), []byte{0x0b}))
	if export != "" {
		m.Export(export, 0, index)
	}
	return index
}

// RawFunc adds the body of a function, locals included.
func (m *Module) RawFunc(body []byte) {
	m.codes = append(m.codes, cat(Uint(uint32(len(body))), body))
}

// Export adds an export: kind 0 function, 1 table, 2 memory, 3 global.
func (m *Module) Export(name string, kind byte, index uint32) {
	m.exports = append(m.exports, cat(str(name), []byte{kind}, Uint(index)))
}

// Memory adds a memory of min pages; a max below 0 is none.
func (m *Module) Memory(min uint32, max int64) {
	m.mems = append(m.mems, limits(min, max))
}

// Table adds a table of functions; a max below 0 is none.
func (m *Module) Table(min uint32, max int64) {
	m.tables = append(m.tables, cat([]byte{0x70}, limits(min, max)))
}

// Global adds a mutable i32 and returns its number.
func (m *Module) Global(value int32) uint32 {
	m.globals = append(m.globals, cat([]byte{I32, 1}, Const(value), []byte{0x0b}))
	return uint32(len(m.globals) - 1)
}

// Data puts bytes into the memory.
func (m *Module) Data(at int32, text string) {
	m.datas = append(m.datas, cat([]byte{0}, Const(at), []byte{0x0b}, str(text)))
}

// Start names the start function.
func (m *Module) Start(index uint32) { m.start = Uint(index) }

// Custom adds a custom section.
func (m *Module) Custom(name string, content []byte) {
	m.custom = append(m.custom, Section(0, cat(str(name), content))...)
}

// Bytes returns the module's binary.
func (m *Module) Bytes() []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	for _, id := range []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11} {
		content := m.section(id)
		if other, ok := m.replaced[id]; ok {
			content = other
		}
		if content != nil {
			b = append(b, Section(id, content)...)
		}
	}
	return append(b, m.custom...)
}

// section returns the content of a section, nil if there is none.
func (m *Module) section(id byte) []byte {
	switch {
	case id == 8:
		return m.start
	case id == 12 && m.counted:
		return Uint(uint32(len(m.datas)))
	}
	items := map[byte][][]byte{1: m.types, 2: m.imports, 3: m.funcs, 4: m.tables, 5: m.mems,
		6: m.globals, 7: m.exports,
		9: m.elements, 10: m.codes, 11: m.datas}[id]
	if len(items) == 0 {
		return nil
	}
	return vec(items)
}

// Section frames a section's content.
func Section(id byte, content []byte) []byte {
	return cat([]byte{id}, Uint(uint32(len(content))), content)
}

func (m *Module) typ(params, results string) uint32 {
	t := cat([]byte{0x60}, counted(letters(params)), counted(letters(results)))
	for i, have := range m.types {
		if slices.Equal(have, t) {
			return uint32(i)
		}
	}
	m.types = append(m.types, t)
	return uint32(len(m.types) - 1)
}

func letters(s string) []byte {
	ts := make([]byte, len(s))
	for i := range s {
		ts[i] = I32
		if s[i] == 'I' {
			ts[i] = I64
		}
	}
	return ts
}

func limits(min uint32, max int64) []byte {
	if max < 0 {
		return cat([]byte{0}, Uint(min))
	}
	return cat([]byte{1}, Uint(min), Uint(uint32(max)))
}

// Uint encodes an unsigned number.
func Uint(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func counted(b []byte) []byte { return cat(Uint(uint32(len(b))), b) }

func str(s string) []byte { return counted([]byte(s)) }

func vec(items [][]byte) []byte { return cat(Uint(uint32(len(items))), cat(items...)) }

func cat(parts ...[]byte) []byte { return slices.Concat(parts...) }
