package meter

import (
	"bytes"
	"slices"
	"testing"

	"github.com/informerd/informerd/internal/growth"
)

// Rewriting takes time with the size of the module, however its code is laid out.
func TestRewriteTakesTimeWithTheSize(t *testing.T) {
	nested := func(begin, inner []byte) func(n int) []byte {
		return func(n int) []byte {
			return slices.Concat(bytes.Repeat(begin, n), bytes.Repeat(inner, n),
				bytes.Repeat([]byte{opEnd}, n))
		}
	}
	rowOf := func(code ...byte) func(n int) []byte {
		return func(n int) []byte { return bytes.Repeat(code, n) }
	}
	for name, code := range map[string]func(n int) []byte{
		"loops":                rowOf(opLoop, 0x40, opBr, 0, opEnd),
		"blocks":               rowOf(opBlock, 0x40, opBr, 0, opEnd),
		"calls":                rowOf(opCall, 0),
		"blocks in each other": nested([]byte{opBlock, 0x40}, []byte{opNop}),
		"loops in each other": nested([]byte{opLoop, 0x40},
			[]byte{opBlock, 0x40, opBr, 1, opEnd}),
		"branches out of many": nested([]byte{opBlock, 0x40},
			[]byte{opBlock, 0x40, opBr, 0x80, 0x01, opEnd}),
		"instructions without ends": rowOf(opLoop, 0x40), // broken
	} {
		t.Run(name, func(t *testing.T) {
			const n = 4000
			modules := map[int][]byte{}
			for _, size := range []int{n, 8 * n} {
				modules[size] = guest("", code(size)).Bytes()
			}
			growth.Linear(t, n, func(n int) { _, _ = rewrite(modules[n], options{}) })
		})
	}
}
