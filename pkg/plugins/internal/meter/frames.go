package meter

// freeFrame is how many values the frame of a function may have without being charged for. As each
// call costs a unit, those of a slice take at most 8 MiB, with what the engine adds to each.
const freeFrame = 24

// defaultFrames is how many values may be put into frames between two visits: half a MiB.
const defaultFrames = 512 << 10 / valueSize

const valueSize = 16 // bytes that the engine keeps at most for a value

// size is an upper bound of a function's frame. The engine keeps each value in a place of its own
// that is needed after a call or that no register is left for, and no two of them share one. So the
// bound is the number of values there are: parameters, what instructions make, and what takes the
// place of several values where paths meet. Most functions need far less.
type size struct {
	variables uint32 // parameters included
	made      int    // by instructions
	sets      int    // of variables
	blocks    int
	joined    int // results and parameters of blocks
}

func (s *size) instruction(op byte) {
	switch {
	case op == opLocalSet || op == opLocalTee:
		s.sets++
	case op == opLocalGet, op == opDrop, op == opGlobalSet, op >= opBr &&
		op <= opReturn, op >= opI32Store && op <= opI64Store32:
	default:
		s.made++
	}
}

// block is one whose type has so many parameters and results. Where its paths meet, each variable
// may have several values.
func (s *size) block(arity int) { s.blocks, s.joined = s.blocks+1, s.joined+arity }

func (s *size) results(a arity) { s.made += a.results }

func (s *size) values() int {
	return int(s.variables) + s.made + s.joined + s.blocks*min(int(s.variables), s.sets)
}

// arity is how many parameters and results a function type has.
type arity struct{ params, results int }

func (a arity) all() int { return a.params + a.results }

// arityOf returns the arity of a function, which may be one that does not exist.
func (m *module) arityOf(f uint32) arity {
	if uint64(f) >= uint64(len(m.typeOf)) {
		return arity{}
	}
	return m.arities[m.typeOf[f]]
}

// appendFrame charges for the values of a frame, and visits the host if there were too many since
// the last visit.
func (m *module) appendFrame(out []byte, n int) []byte {
	return m.appendCheckOf(m.appendPayOf(out, m.globals+1, n), m.globals+1)
}
