package wasmbin

import (
	"encoding/binary"
	"fmt"
)

// Section numbers, in the file's numbering.
const (
	SectionCustom = iota
	SectionType
	SectionImport
	SectionFunction
	SectionTable
	SectionMemory
	SectionGlobal
	SectionExport
	SectionStart
	SectionElement
	SectionCode
	SectionData
	SectionDataCount
	SectionCount
)

// Preamble begins each module.
const Preamble = "\x00asm\x01\x00\x00\x00"

// sectionKinds are the sections' names, and the order in which they have to stand; custom ones
// stand anywhere.
var sectionKinds = [SectionCount]struct {
	name  string
	order int
}{
	{"custom", 0}, {"type", 1}, {"import", 2}, {"function", 3}, {"table", 4}, {"memory", 5}, {
		"global", 6},
	{"export", 7}, {"start", 8}, {"element", 9}, {"code", 11}, {"data", 12}, {"data count", 10},
}

// sectionName names a section by its number.
func sectionName(id byte) string {
	if id < SectionCount {
		return sectionKinds[id].name
	}
	return fmt.Sprintf("unknown (%d)", id)
}

// Order is where a section has to stand; 0 is anywhere.
func Order(id byte) int { return sectionKinds[id].order }

// Section is a part of a file.
type Section struct {
	ID             byte
	Begin, At, End int // offsets of the section and its content, and behind it
}

// Reader reads the content.
func (s Section) Reader(file []byte) *Reader { return &Reader{File: file, Pos: s.At, End: s.End} }

// CutOff is the error of a file that ends too early.
type CutOff struct{ Err error }

func (e *CutOff) Error() string { return fmt.Sprintf("the file is cut off: %v", e.Err) }

// Unwrap returns the reason.
func (e *CutOff) Unwrap() error { return e.Err }

// Split takes a file apart that begins with the preamble. Each section but custom ones stands once
// at most, and in order.
func Split(file []byte) ([]Section, error) {
	r := &Reader{File: file, Pos: len(Preamble), End: len(file)}
	var secs []Section
	last := 0
	for r.More() {
		s := Section{Begin: r.Pos}
		s.ID = r.Byte()
		size := r.U32()
		if r.Err == nil && uint64(size) > uint64(r.left()) {
			return nil, &CutOff{
				fmt.Errorf("the %s section at offset %d states %d bytes, %d are left",
					sectionName(s.ID), s.Begin, size, r.left())}
		}
		s.At = r.Pos
		if r.Take(size); r.Err != nil {
			return nil, &CutOff{r.Err}
		}
		s.End = r.Pos
		switch {
		case s.ID >= SectionCount:
			r.FailAt(s.Begin, "section %d is not part of WebAssembly 2.0", s.ID)
		case s.ID != SectionCustom && Order(s.ID) <= last:
			r.FailAt(s.Begin, "the %s section is out of order or a duplicate", sectionName(s.ID))
		case s.ID != SectionCustom:
			last = Order(s.ID)
		}
		secs = append(secs, s)
	}
	return secs, r.Err
}

// AppendUint appends an unsigned LEB128 number.
func AppendUint(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }

// AppendSigned appends a signed LEB128 number.
func AppendSigned(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// AppendName appends a text with its length before it.
func AppendName(b []byte, s string) []byte { return append(AppendUint(b, uint32(len(s))), s...) }

// AppendSection appends a section.
func AppendSection(b []byte, id byte, content []byte) []byte {
	return append(AppendUint(append(b, id), uint32(len(content))), content...)
}
