package meter

import (
	"bytes"
	"errors"
	"slices"
)

// section numbers, in the file's numbering.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	sections
)

// order is where each section has to stand.
var order = [sections]int{
	secType: 1, secImport: 2, secFunction: 3, secTable: 4, secMemory: 5, secGlobal: 6, secExport: 7, secStart: 8,
	secElement: 9, secDataCount: 10, secCode: 11, secData: 12,
}

// section is a part of the file. The content is that of the file until it is rewritten.
type section struct {
	id      byte
	at      int // offset of the content in the file
	size    int
	content []byte
}

func (s section) reader(file []byte) *reader {
	return &reader{file: file, pos: s.at, end: s.at + s.size}
}

// split takes a file apart.
func split(file []byte) ([]section, error) {
	r := &reader{file: file, end: len(file)}
	switch {
	case len(file) > MaxSize:
		r.failf("the file has %d bytes, at most %d are allowed", len(file), MaxSize)
	case !bytes.HasPrefix(file, []byte(preamble)):
		r.failf("this is no core WebAssembly module of version 1")
	}
	r.pos = len(preamble)
	var secs []section
	last := 0
	for r.more() {
		start := r.pos
		id := r.byte()
		body := r.sub(r.u32())
		switch {
		case id >= sections:
			r.pos = start
			r.failf("section %d is not part of WebAssembly 2.0", id)
		case id != secCustom && order[id] <= last:
			r.pos = start
			r.failf("section %d is out of order or stands twice", id)
		case id != secCustom:
			last = order[id]
		}
		secs = append(secs, section{id, body.pos, body.end - body.pos, file[body.pos:body.end]})
	}
	return secs, r.err
}

const preamble = "\x00asm\x01\x00\x00\x00"

// join puts sections together again. Custom ones come last.
func join(secs []section) []byte {
	size := len(preamble)
	for _, s := range secs {
		size += len(s.content) + 6
	}
	out := append(make([]byte, 0, size), preamble...)
	secs = slices.Clone(secs)
	slices.SortStableFunc(secs, func(a, b section) int { return place(a.id) - place(b.id) })
	for _, s := range secs {
		out = appendSection(out, s.id, s.content)
	}
	return out
}

func place(id byte) int {
	if id == secCustom {
		return sections
	}
	return order[id]
}

// module is what has to be known of a module to rewrite it. The counts are those of the original.
type module struct {
	file     []byte
	maxTable uint32
	parts    [sections]*section // by number, custom ones not
	customs  []section

	types    uint32
	imported uint32 // functions
	funcs    uint32 // imported ones and own
	globals  uint32 // imported ones and own
	memories uint32
	fuel     string // export
	helpers  [helpers]bool
}

// parse reads the counts.
func parse(file []byte, o Options) (*module, error) {
	secs, err := split(file)
	if err != nil {
		return nil, err
	}
	m := &module{file: file, maxTable: o.MaxTable, fuel: "informerd.fuel"}
	for i, s := range secs {
		if s.id == secCustom {
			m.customs = append(m.customs, s)
			continue
		}
		m.parts[s.id] = &secs[i]
	}
	var errs []error
	errs = append(errs,
		m.vector(secType, &m.types, readType),
		m.vector(secImport, nil, m.readImport),
		m.vector(secFunction, &m.funcs, func(r *reader) { r.below(m.types, "type") }),
		m.vector(secMemory, &m.memories, nil),
		m.vector(secGlobal, &m.globals, nil),
		m.vector(secExport, nil, m.readExport))
	return m, errors.Join(errs...)
}

// vector reads the number of items of a section, adds it to a count, and calls item for each.
func (m *module) vector(id int, count *uint32, item func(*reader)) error {
	s := m.parts[id]
	if s == nil {
		return nil
	}
	r := s.reader(m.file)
	n := r.count()
	if count != nil {
		*count += n
	}
	if item == nil {
		return r.err
	}
	for range n {
		if item(r); r.err != nil {
			return r.err
		}
	}
	if r.more() {
		r.failf("%d bytes too many", r.end-r.pos)
	}
	return r.err
}

func readType(r *reader) {
	if form := r.byte(); form != 0x60 {
		r.failf("type %#x is no function type", form)
	}
	for range 2 { // parameters and results
		for range r.count() {
			r.valueType()
		}
	}
}

func (m *module) readImport(r *reader) {
	start := r.pos
	from := r.name()
	r.name()
	switch kind := r.byte(); kind {
	case 0:
		r.below(m.types, "type")
		m.funcs++
		m.imported++
	case 1:
		r.refType()
		readLimits(r)
	case 2:
		readLimits(r)
		m.memories++
	case 3:
		r.valueType()
		r.byte() // mutable or not
		m.globals++
	default:
		r.failf("an import of kind %d", kind)
	}
	if from == HostModule && r.err == nil {
		r.pos = start
		r.failf("it imports from %q, which is the meter's own", HostModule)
	}
}

// readExport finds a name for the fuel that is not taken.
func (m *module) readExport(r *reader) {
	if r.name() == m.fuel {
		m.fuel += "'"
	}
	r.byte()
	r.u32()
}

func readLimits(r *reader) (least, most uint32, bounded bool) {
	switch flag := r.byte(); flag {
	case 0:
		return r.u32(), 0, false
	case 1:
		return r.u32(), r.u32(), true
	default:
		r.failf("limits of form %#x", flag)
		return 0, 0, false
	}
}

// moved gives the index that a function has in the rewritten module: behind the imported ones there is one more.
func (m *module) moved(f uint32) uint32 {
	if f >= m.imported {
		return f + 1
	}
	return f
}
