package meter

import "errors"

// code makes the code section.
func (m *module) code() ([]byte, error) {
	own := m.funcs - m.imported
	r := &reader{file: m.file}
	if s := m.parts[secCode]; s != nil {
		r = s.reader(m.file)
	}
	n := uint32(0)
	if r.more() {
		n = r.count()
	}
	if n != own {
		r.failf("%d functions are declared, %d have code", own, n)
	}
	if r.err != nil {
		return nil, r.err
	}
	out := make([]byte, 0, 2*(r.end-r.pos)+256)
	var body []byte
	p := planner{m: m}
	for i := range n {
		b := r.sub(r.u32())
		start := b.pos
		skipLocals(b)
		p.body(b)
		if b.err == nil {
			body = m.applied(body[:0], start, b.end, p.edits)
			if len(body) > maxBody || len(out)+len(body) > maxOut {
				b.failf("it grows too large")
			}
		}
		if b.err != nil {
			return nil, m.inFunction(b.err, m.imported+i)
		}
		out = append(appendUint(out, uint32(len(body))), body...)
	}
	if r.more() {
		r.failf("%d bytes too many", r.end-r.pos)
	}
	if r.err != nil {
		return nil, r.err
	}
	return append(appendUint(make([]byte, 0, len(out)+300), n+m.helperCount()), append(out, m.helperBodies()...)...), nil
}

// inFunction adds to an error where it was found.
func (m *module) inFunction(err error, f uint32) error {
	var e *UnmeterableError
	if errors.As(err, &e) {
		e.Func, e.Name = int(f), m.functionName(f)
	}
	return err
}

// applied copies a part of the file with edits.
func (m *module) applied(out []byte, at, end int, edits []edit) []byte {
	for _, e := range edits {
		if e.kind == editNone {
			continue
		}
		out = append(out, m.file[at:e.at]...)
		at = e.at + e.skip
		switch e.kind {
		case editIndex:
			out = appendUint(out, uint32(e.n))
		case editCall:
			out = appendUint(append(out, opCall), uint32(e.n))
		case editPay:
			out = m.appendPay(out, e.n)
		case editCheck:
			out = m.appendCheck(out)
		}
	}
	return append(out, m.file[at:end]...)
}

// appendPay subtracts n from the fuel.
func (m *module) appendPay(out []byte, n int) []byte {
	out = appendUint(append(out, opGlobalGet), m.globals)
	out = appendSigned(append(out, opI64Const), int64(n))
	return appendUint(append(out, opI64Sub, opGlobalSet), m.globals)
}

// appendCheck visits the host if the fuel is spent.
func (m *module) appendCheck(out []byte) []byte {
	out = appendUint(append(out, opGlobalGet), m.globals)
	out = append(out, opI64Const, 0, opI64LtS, opIf, 0x40, opCall)
	return append(appendUint(out, m.imported), opEnd)
}
