package meter

// rewrite makes the module. The code comes first, as it tells which helpers are needed.
func (m *module) rewrite() ([]byte, error) {
	var secs []section
	add := func(id byte, content []byte) { secs = append(secs, section{id: id, content: content}) }
	code, err := m.code()
	if err != nil {
		return nil, err
	}
	add(secCode, code)
	for _, s := range []struct {
		id    byte
		extra []byte // items to append
		n     uint32 // how many
		item  func(*reader, []byte) []byte
	}{
		{secType, helperTypes, uint32(len(helperTypeList)), nil},
		{secImport, m.visitImport(), 1, nil},
		{secFunction, m.helperDeclarations(), m.helperCount(), nil},
		{secTable, nil, 0, m.table},
		{secMemory, nil, 0, nil},
		{secGlobal, fuelGlobal, 1, m.global},
		{secExport, m.fuelExport(), 1, m.export},
		{secElement, nil, 0, m.element},
		{secData, nil, 0, m.data},
	} {
		content, err := m.extended(s.id, s.extra, s.n, s.item)
		if err != nil {
			return nil, err
		}
		if content != nil {
			add(s.id, content)
		}
	}
	if s := m.parts[secStart]; s != nil {
		r := s.reader(m.file)
		add(secStart, m.funcIndex(r, nil))
		if r.more() {
			r.failf("%d bytes too many", r.end-r.pos)
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	if s := m.parts[secDataCount]; s != nil {
		add(secDataCount, s.content)
	}
	for _, s := range m.customs {
		content, err := m.custom(s)
		if err != nil {
			return nil, err
		}
		if content != nil {
			add(secCustom, content)
		}
	}
	return join(secs), nil
}

// extended makes a section with more items. Without item the others stay as they are.
func (m *module) extended(id byte, extra []byte, more uint32, item func(*reader, []byte) []byte) ([]byte, error) {
	s := m.parts[id]
	if s == nil {
		if more == 0 {
			return nil, nil
		}
		return append(appendUint(nil, more), extra...), nil
	}
	r := s.reader(m.file)
	n := r.count()
	out := appendUint(make([]byte, 0, s.size+len(extra)+8), n+more)
	if item == nil {
		out = append(out, m.file[r.pos:r.end]...)
		return append(out, extra...), r.err
	}
	for range n {
		if out = item(r, out); r.err != nil {
			return nil, r.err
		}
	}
	if r.more() {
		r.failf("%d bytes too many", r.end-r.pos)
	}
	return append(out, extra...), r.err
}

// table gives a table a maximum.
func (m *module) table(r *reader, out []byte) []byte {
	kind := r.pos
	r.refType()
	start := r.pos
	least, most, bounded := readLimits(r)
	if !bounded || most > m.maxTable {
		most = m.maxTable
	}
	if least > m.maxTable && r.err == nil {
		r.pos = start
		r.failf("a table of %d elements, at most %d are allowed", least, m.maxTable)
	}
	out = append(append(out, m.file[kind:start]...), 1)
	return appendUint(appendUint(out, least), most)
}

func (m *module) global(r *reader, out []byte) []byte {
	start := r.pos
	r.valueType()
	r.byte() // mutable or not
	return m.constant(r, append(out, m.file[start:r.pos]...))
}

func (m *module) export(r *reader, out []byte) []byte {
	start := r.pos
	r.name()
	kind := r.byte()
	out = append(out, m.file[start:r.pos]...)
	switch kind {
	case 0:
		return m.funcIndex(r, out)
	case 3:
		return appendUint(out, r.below(m.globals, "global"))
	}
	return appendUint(out, r.u32())
}

func (m *module) funcIndex(r *reader, out []byte) []byte {
	return appendUint(out, m.moved(r.below(m.funcs, "function")))
}

// constant copies a constant expression.
func (m *module) constant(r *reader, out []byte) []byte {
	for r.err == nil {
		start := r.pos
		op := r.byte()
		switch op {
		case opEnd:
			return append(out, op)
		case opRefFunc:
			out = m.funcIndex(r, append(out, op))
			continue
		case opI32Const:
			r.signed(5)
		case opI64Const:
			r.signed(10)
		case 0x43: // f32.const
			r.take(4)
		case 0x44: // f64.const
			r.take(8)
		case opGlobalGet:
			r.below(m.globals, "global")
		case opRefNull:
			r.refType()
		case opVector:
			if r.byte() != 12 {
				r.failf("not a constant expression")
			}
			r.take(16)
		default:
			r.failf("instruction %#x in a constant expression", op)
		}
		out = append(out, m.file[start:r.pos]...)
	}
	return out
}

// element copies an element segment. Its three low bits say what it is made of.
func (m *module) element(r *reader, out []byte) []byte {
	form := r.u32()
	if form > 7 {
		r.failf("element segment of form %d", form)
		return nil
	}
	passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
	out = appendUint(out, form)
	if !passive {
		if explicit {
			out = appendUint(out, r.u32()) // table
		}
		out = m.constant(r, out)
	}
	if passive || explicit {
		start := r.pos
		if expressions {
			r.refType()
		} else if kind := r.byte(); kind != 0 {
			r.failf("elements of kind %d", kind)
		}
		out = append(out, m.file[start:r.pos]...)
	}
	n := r.count()
	out = appendUint(out, n)
	for range n {
		if r.err != nil {
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
	form := r.u32()
	out = appendUint(out, form)
	switch form {
	case 0:
		out = m.constant(r, out)
	case 1:
	case 2:
		out = appendUint(out, r.u32()) // memory
		out = m.constant(r, out)
	default:
		r.failf("data segment of form %d", form)
	}
	start := r.pos
	r.take(r.u32())
	return append(out, m.file[start:r.pos]...)
}
