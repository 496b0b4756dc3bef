package delta

import (
	"encoding/binary"
	"errors"
	"math"
)

// errPacked is the error of what no Encoder has made.
var errPacked = errors.New("literals and operations do not make up the text")

// Expand appends the text of length size that is packed as literals and operations. Unlike Decoder
// it expects anything: the error says that this is not what an Encoder made for the base.
func Expand(dst, literals, ops []byte, base string, size int) ([]byte, error) {
	baseEnd := 0
	number := func() (uint64, bool) {
		v, n := binary.Uvarint(ops)
		if n <= 0 || v > math.MaxInt32 {
			return 0, false
		}
		ops = ops[n:]
		return v, true
	}
	for isLiteral := true; size > 0; isLiteral = !isLiteral {
		v, ok := number()
		n := int(v)
		if !ok || n > size {
			return dst, errPacked
		}
		size -= n
		if isLiteral {
			if n > len(literals) {
				return dst, errPacked
			}
			dst, literals = append(dst, literals[:n]...), literals[n:]
			baseEnd += n
			continue
		}
		v, ok = number()
		distance := int(v)
		at := baseEnd + (distance>>1 ^ -(distance & 1))
		if !ok || at < 0 || at > len(base)-n {
			return dst, errPacked
		}
		dst = append(dst, base[at:at+n]...)
		baseEnd = at + n
	}
	if len(literals) > 0 || len(ops) > 0 {
		return dst, errPacked
	}
	return dst, nil
}
