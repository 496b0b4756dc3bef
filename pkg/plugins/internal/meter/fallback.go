package meter

import (
	"math"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Fallback puts an empty loop at the begin of each function and before each instruction on a range, for a module that
// cannot be rewritten: an engine that looks at its context in loops does so there, too. Errors are of type
// *UnmeterableError.
func Fallback(file []byte) ([]byte, error) {
	secs, err := split(file)
	if err != nil {
		return nil, unmeterable(err)
	}
	parts := make([]part, 0, len(secs))
	for _, s := range secs {
		r := s.Reader(file)
		content := r.Rest()
		switch s.ID {
		case wasmbin.Custom:
			r.Name()
			err = r.Err
		case wasmbin.Code:
			content, err = withLoops(r)
		}
		if err != nil {
			return nil, unmeterable(err)
		}
		parts = append(parts, part{s.ID, content})
	}
	return join(parts), nil
}

// withLoops makes a code section with empty loops.
func withLoops(r *reader) ([]byte, error) {
	n := r.Count(1)
	out := wasmbin.AppendUint(make([]byte, 0, 2*(r.End-r.Pos)), n)
	var body []byte
	for range n {
		b := r.Sub(r.U32())
		body = loopsIn(b, body[:0])
		if r.Err == nil {
			r.Err = b.Err
		}
		if r.Err != nil {
			return nil, r.Err
		}
		out = append(wasmbin.AppendUint(out, uint32(len(body))), body...)
	}
	r.NothingLeft()
	return out, r.Err
}

// loopsIn appends the body of a function with empty loops.
func loopsIn(b *reader, out []byte) []byte {
	emptyLoop := [...]byte{opLoop, 0x40, opEnd}
	copied := b.Pos
	skipLocals(b)
	out = append(append(out, b.File[copied:b.Pos]...), emptyLoop[:]...)
	copied = b.Pos
	for b.More() {
		start := b.Pos
		if skipInstruction(b) {
			out = append(append(out, b.File[copied:start]...), emptyLoop[:]...)
			copied = start
		}
	}
	return append(out, b.File[copied:b.End]...)
}

// skipInstruction passes over an instruction of a module that the engine may take though it is not as it should be, and
// tells whether it works on a range.
func skipInstruction(r *reader) (onRange bool) {
	switch op := r.Byte(); op {
	case opElse, opEnd, opReturn:
	case opBlock, opLoop, opIf:
		r.BlockType()
	case opBr, opBrIf, opBrTable:
		r.Targets(op, func(uint32) {})
	case opCall, opRefFunc:
		r.U32()
	case opCallIndirect:
		r.U32()
		r.U32()
	case opMemoryGrow:
		r.GrowMemory()
	case opBulk:
		return helperOf[r.BulkOp()] != helpers
	default:
		r.Immediates(op, math.MaxUint32)
	}
	return false
}

func skipLocals(b *reader) {
	for range b.Count(1) {
		b.U32()
		b.ValueType()
		if b.Err != nil {
			return
		}
	}
}
