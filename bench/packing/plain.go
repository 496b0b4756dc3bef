package packing

import (
	"encoding/binary"
	"errors"
)

// plain stores the text unchanged.
type plain struct{}

func copyPacker([][]byte) (packer, error) { return plain{}, nil }

func (plain) pack(_, text []byte) []byte { return text }

func (plain) unpack(scratch, packed []byte) ([]byte, error) {
	return append(scratch[:0], packed...), nil
}

// affixes stores what is between the longest prefix and the longest suffix that the text shares
// with the base: the simplest difference.
type affixes struct{ base []byte }

func affixesPacker(samples [][]byte) (packer, error) { return affixes{exact(samples[0])}, nil }

func (p affixes) pack(scratch, text []byte) []byte {
	prefix := commonPrefix(p.base, text)
	suffix := commonSuffix(p.base[prefix:], text[prefix:])
	packed := binary.AppendUvarint(scratch[:0], uint64(prefix))
	packed = binary.AppendUvarint(packed, uint64(suffix))
	return append(packed, text[prefix:len(text)-suffix]...)
}

var errAffixes = errors.New("affixes: packed text is too short")

func (p affixes) unpack(scratch, packed []byte) ([]byte, error) {
	prefix, n := binary.Uvarint(packed)
	if n <= 0 {
		return nil, errAffixes
	}
	packed = packed[n:]
	suffix, n := binary.Uvarint(packed)
	if n <= 0 {
		return nil, errAffixes
	}
	packed = packed[n:]
	text := sized(scratch, int(prefix)+len(packed)+int(suffix))
	copy(text, p.base[:prefix])
	copy(text[prefix:], packed)
	copy(text[int(prefix)+len(packed):], p.base[len(p.base)-int(suffix):])
	return text, nil
}

func commonPrefix(a, b []byte) int {
	n, end := 0, min(len(a), len(b))
	for n+8 <= end && binary.LittleEndian.Uint64(a[n:]) == binary.LittleEndian.Uint64(b[n:]) {
		n += 8
	}
	for n < end && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n, end := 0, min(len(a), len(b))
	for n+8 <= end && binary.LittleEndian.Uint64(a[len(a)-n-8:]) == binary.LittleEndian.Uint64(
		b[len(b)-n-8:]) {
		n += 8
	}
	for n < end && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}
