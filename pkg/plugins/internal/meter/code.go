package meter

import (
	"errors"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// code makes the code section.
func (m *module) code() ([]byte, error) {
	own := m.funcs - m.imported
	r, n := &reader{}, uint32(0)
	if s := m.parts[wasmbin.SectionCode]; s != nil {
		r = s.Reader(m.file)
		n = r.Count(1)
	}
	if n != own {
		r.Fail("%d functions are declared, %d have code", own, n)
	}
	if r.Err != nil {
		return nil, r.Err
	}
	out := make([]byte, 0, 2*(r.End-r.Pos)+256)
	var body []byte
	p := planner{m: m}
	for i := range n {
		b := r.Sub(r.U32())
		start := b.Pos
		variables := m.arityOf(m.imported+i).params + readLocals(b)
		p.body(b, uint32(min(variables, maxVariables)))
		if b.Err == nil {
			body = m.applied(body[:0], start, b.End, p.edits)
			if len(body) > maxBody || len(out)+len(body) > maxOut {
				b.Fail("it grows too large")
			}
		}
		if b.Err != nil {
			return nil, m.inFunction(b.Err, m.imported+i)
		}
		out = append(wasmbin.AppendUint(out, uint32(len(body))), body...)
	}
	r.NothingLeft()
	if r.Err != nil {
		return nil, r.Err
	}
	return append(wasmbin.AppendUint(make([]byte, 0, len(out)+300), n+m.helperCount()),
		append(out, m.helperBodies()...)...), nil
}

// inFunction adds to an error where it was found.
func (m *module) inFunction(err error, f uint32) error {
	var e *wasmbin.Error
	if !errors.As(err, &e) {
		return err
	}
	return &unmeterableError{Func: int(f), Name: m.functionName(f), Offset: e.Offset,
		Reason: e.Reason}
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
			out = wasmbin.AppendUint(out, uint32(e.n))
		case editCall:
			out = wasmbin.AppendUint(append(out, opCall), uint32(e.n))
		case editPay:
			out = m.appendPayOf(out, m.globals, e.n)
		case editCheck:
			out = m.appendCheck(out)
		case editFrame:
			out = m.appendFrame(out, e.n)
		}
	}
	return append(out, m.file[at:end]...)
}

// appendPayOf subtracts n from what a global has.
func (m *module) appendPayOf(out []byte, global uint32, n int) []byte {
	out = wasmbin.AppendUint(append(out, opGlobalGet), global)
	out = wasmbin.AppendSigned(append(out, opI64Const), int64(n))
	return wasmbin.AppendUint(append(out, opI64Sub, opGlobalSet), global)
}

// appendCheck visits the host if the fuel is spent.
func (m *module) appendCheck(out []byte) []byte { return m.appendCheckOf(out, m.globals) }

func (m *module) appendCheckOf(out []byte, global uint32) []byte {
	out = wasmbin.AppendUint(append(out, opGlobalGet), global)
	out = append(out, opI64Const, 0, opI64LtS, opIf, 0x40, opCall)
	return append(wasmbin.AppendUint(out, m.imported), opEnd)
}

// maxVariables is more than the engine takes.
const maxVariables = 1 << 20

// readLocals passes over the declarations of variables and returns their number.
func readLocals(b *reader) (n int) {
	for range b.Count(1) {
		n += int(b.U32())
		b.ValueType()
		if b.Err != nil {
			return 0
		}
	}
	return n
}
