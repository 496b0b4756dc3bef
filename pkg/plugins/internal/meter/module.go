package meter

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// split takes a file apart.
func split(file []byte) ([]section, error) {
	switch {
	case len(file) > MaxSize:
		return nil, &wasmbin.Error{
			Reason: fmt.Sprintf("the file has %d bytes, at most %d are allowed", len(file),
				MaxSize)}
	case !bytes.HasPrefix(file, []byte(wasmbin.Preamble)):
		return nil, &wasmbin.Error{Reason: "not a core WebAssembly module of version 1"}
	}
	return wasmbin.Split(file)
}

// part is a section of the rewritten module.
type part struct {
	id      byte
	content []byte
}

// join puts sections together. Custom ones come last.
func join(parts []part) []byte {
	size := len(wasmbin.Preamble)
	for _, p := range parts {
		size += len(p.content) + 6
	}
	out := append(make([]byte, 0, size), wasmbin.Preamble...)
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b part) int { return place(a.id) - place(b.id) })
	for _, p := range parts {
		out = wasmbin.AppendSection(out, p.id, p.content)
	}
	return out
}

func place(id byte) int {
	if id == wasmbin.SectionCustom {
		return wasmbin.SectionCount
	}
	return wasmbin.Order(id)
}

// module is what has to be known of a module to rewrite it. The counts are those of the original.
type module struct {
	file     []byte
	maxTable uint32
	pieces   uint32                         // the size of one
	parts    [wasmbin.SectionCount]*section // by number, custom ones not
	customs  []section

	types    uint32
	imported uint32 // functions
	funcs    uint32 // imported ones and own
	globals  uint32 // imported ones and own
	memories uint32
	fuel     string   // export
	pass     int      // the most on a pass without a check
	arities  []arity  // of the types
	typeOf   []uint32 // the functions
	helpers  [helpers]bool
}

// parse reads the counts.
func parse(file []byte, o options) (*module, error) {
	secs, err := split(file)
	if err != nil {
		return nil, err
	}
	m := &module{file: file, maxTable: o.maxTable, pieces: o.piece, pass: int(o.pass),
		fuel: fuelName}
	for i, s := range secs {
		if s.ID == wasmbin.SectionCustom {
			m.customs = append(m.customs, s)
			continue
		}
		m.parts[s.ID] = &secs[i]
	}
	var errs []error
	errs = append(errs,
		m.vector(wasmbin.SectionType, &m.types, m.readType),
		m.vector(wasmbin.SectionImport, nil, m.readImport),
		m.vector(wasmbin.SectionFunction, &m.funcs, func(r *reader) {
			m.typeOf = append(m.typeOf, r.Below(m.types, "type"))
		}),
		m.vector(wasmbin.SectionMemory, &m.memories, nil),
		m.vector(wasmbin.SectionGlobal, &m.globals, nil),
		m.vector(wasmbin.SectionExport, nil, m.readExport))
	return m, errors.Join(errs...)
}

// vector reads the number of items of a section, adds it to a count, and calls item for each.
func (m *module) vector(id int, count *uint32, item func(*reader)) error {
	s := m.parts[id]
	if s == nil {
		return nil
	}
	r := s.Reader(m.file)
	n := r.Count(1)
	if count != nil {
		*count += n
	}
	if item == nil {
		return r.Err
	}
	for range n {
		if item(r); r.Err != nil {
			return r.Err
		}
	}
	r.NothingLeft()
	return r.Err
}

func (m *module) readType(r *reader) {
	if form := r.Byte(); form != 0x60 {
		r.Fail("type %#x is no function type", form)
	}
	var counts [2]int // parameters and results
	for i := range counts {
		n := r.Count(1)
		counts[i] = int(n)
		for range n {
			r.ValueType()
		}
	}
	m.arities = append(m.arities, arity{counts[0], counts[1]})
}

func (m *module) readImport(r *reader) {
	start := r.Pos
	from := r.Name()
	r.Name()
	switch kind := r.Byte(); kind {
	case 0:
		m.typeOf = append(m.typeOf, r.Below(m.types, "type"))
		m.funcs++
		m.imported++
	case 1:
		r.RefType()
		r.Limits()
	case 2:
		r.Limits()
		m.memories++
	case 3:
		r.ValueType()
		r.Byte() // mutable or not
		m.globals++
	default:
		r.Fail("an import of kind %d", kind)
	}
	if from == HostModule && r.Err == nil {
		r.FailAt(start, "it imports from %q, which is the meter's own", HostModule)
	}
}

// readExport finds a name for the fuel that is not taken: one that is longer than all that begin
// like it.
func (m *module) readExport(r *reader) {
	if name := r.Name(); strings.HasPrefix(name, fuelName) && len(name) >= len(m.fuel) {
		m.fuel = name + "'"
	}
	r.Byte()
	r.U32()
}

// moved returns the index that a function has in the rewritten module: behind the imported ones
// there is one more.
func (m *module) moved(f uint32) uint32 {
	if f >= m.imported {
		return f + 1
	}
	return f
}
