package meter

import (
	"slices"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// rewrite makes the module. The code comes first, as it decides which helpers are needed.
func (m *module) rewrite() ([]byte, error) {
	var parts []part
	add := func(id byte, content []byte) { parts = append(parts, part{id, content}) }
	code, err := m.code()
	if err != nil {
		return nil, err
	}
	add(wasmbin.SectionCode, code)
	for _, s := range []struct {
		id    byte
		extra []byte // items to append
		n     uint32 // how many
		item  func(*reader, []byte) []byte
	}{
		{wasmbin.SectionType, helperTypes, uint32(len(helperTypeList)), nil},
		{wasmbin.SectionImport, m.visitImport(), 1, nil},
		{wasmbin.SectionFunction, m.helperDeclarations(), m.helperCount(), nil},
		{wasmbin.SectionTable, nil, 0, m.table},
		{wasmbin.SectionMemory, nil, 0, nil},
		{wasmbin.SectionGlobal, slices.Concat(addedGlobal, addedGlobal), 2, m.global},
		{wasmbin.SectionExport, m.addedExports(), 2, m.export},
		{wasmbin.SectionElement, nil, 0, m.element},
		{wasmbin.SectionData, nil, 0, m.data},
	} {
		content, err := m.extended(s.id, s.extra, s.n, s.item)
		if err != nil {
			return nil, err
		}
		if content != nil {
			add(s.id, content)
		}
	}
	if s := m.parts[wasmbin.SectionStart]; s != nil {
		r := s.Reader(m.file)
		add(wasmbin.SectionStart, m.funcIndex(r, nil))
		r.NothingLeft()
		if r.Err != nil {
			return nil, r.Err
		}
	}
	if s := m.parts[wasmbin.SectionDataCount]; s != nil {
		add(wasmbin.SectionDataCount, s.Reader(m.file).Rest())
	}
	for _, s := range m.customs {
		content, err := m.custom(s)
		if err != nil {
			return nil, err
		}
		if content != nil {
			add(wasmbin.SectionCustom, content)
		}
	}
	return join(parts), nil
}

// extended makes a section with more items. Without item the others stay as they are.
func (m *module) extended(id byte, extra []byte, more uint32, item func(*reader, []byte) []byte) (
	[]byte, error) {
	s := m.parts[id]
	if s == nil {
		if more == 0 {
			return nil, nil
		}
		return append(wasmbin.AppendUint(nil, more), extra...), nil
	}
	r := s.Reader(m.file)
	n := r.Count(1)
	out := wasmbin.AppendUint(make([]byte, 0, s.End-s.At+len(extra)+8), n+more)
	if item == nil {
		out = append(out, m.file[r.Pos:r.End]...)
		return append(out, extra...), r.Err
	}
	for range n {
		if out = item(r, out); r.Err != nil {
			return nil, r.Err
		}
	}
	r.NothingLeft()
	return append(out, extra...), r.Err
}

// table adds a maximum to a table.
func (m *module) table(r *reader, out []byte) []byte {
	kind := r.Pos
	r.RefType()
	start := r.Pos
	limits := r.Limits()
	maximum := m.maxTable
	if limits.HasMax {
		maximum = min(maximum, limits.Max)
	}
	if limits.Min > m.maxTable {
		r.FailAt(start, "a table of %d elements, at most %d are allowed", limits.Min, m.maxTable)
	}
	out = append(append(out, m.file[kind:start]...), 1)
	return wasmbin.AppendUint(wasmbin.AppendUint(out, limits.Min), maximum)
}

func (m *module) global(r *reader, out []byte) []byte {
	start := r.Pos
	r.ValueType()
	r.Byte() // mutable or not
	return m.constant(r, append(out, m.file[start:r.Pos]...))
}

func (m *module) export(r *reader, out []byte) []byte {
	start := r.Pos
	r.Name()
	kind := r.Byte()
	out = append(out, m.file[start:r.Pos]...)
	switch kind {
	case 0:
		return m.funcIndex(r, out)
	case 3:
		return wasmbin.AppendUint(out, r.Below(m.globals, "global"))
	}
	return wasmbin.AppendUint(out, r.U32())
}

func (m *module) funcIndex(r *reader, out []byte) []byte {
	return wasmbin.AppendUint(out, m.moved(r.Below(m.funcs, "function")))
}

// constant copies a constant expression.
func (m *module) constant(r *reader, out []byte) []byte {
	copied := r.Pos
	r.ConstExpr(func(op byte) {
		if op == opGlobalGet {
			r.Below(m.globals, "global")
			return
		}
		out = m.funcIndex(r, append(out, m.file[copied:r.Pos]...))
		copied = r.Pos
	})
	return append(out, m.file[copied:r.Pos]...)
}

// element copies an element segment. Its three low bits say what it is made of.
func (m *module) element(r *reader, out []byte) []byte {
	form := r.U32()
	if form > 7 {
		r.Fail("element segment of form %d", form)
		return nil
	}
	passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
	out = wasmbin.AppendUint(out, form)
	if !passive {
		if explicit {
			out = wasmbin.AppendUint(out, r.U32()) // table
		}
		out = m.constant(r, out)
	}
	if passive || explicit {
		start := r.Pos
		if expressions {
			r.RefType()
		} else if kind := r.Byte(); kind != 0 {
			r.Fail("elements of kind %d", kind)
		}
		out = append(out, m.file[start:r.Pos]...)
	}
	n := r.Count(1)
	out = wasmbin.AppendUint(out, n)
	for range n {
		if r.Err != nil {
			return nil
		}
		if expressions {
			out = m.constant(r, out)
		} else {
			out = m.funcIndex(r, out)
		}
	}
	return out
}

// data copies a data segment.
func (m *module) data(r *reader, out []byte) []byte {
	form := r.U32()
	out = wasmbin.AppendUint(out, form)
	switch form {
	case 0:
		out = m.constant(r, out)
	case 1:
	case 2:
		out = wasmbin.AppendUint(out, r.U32()) // memory
		out = m.constant(r, out)
	default:
		r.Fail("data segment of form %d", form)
	}
	start := r.Pos
	r.Take(r.U32())
	return append(out, m.file[start:r.Pos]...)
}
