package object

import "encoding/binary"

// This file makes and reads packed objects. A packed object's text is the fields of its header, one
// behind the other, then what is remembered of values of fieldsV1 that its base does not know
// (managed.go), then all bytes of its JSON that its base does not have, its literals, and then the
// operations that build the JSON of both, from front to back:
//
//	uvarint    so many bytes of the literals
//	uvarint n  n bytes of the base, which begin
//	varint d   d behind the end of the last such copy, plus the bytes between
//
// The d is 0 where a value was replaced by one of the same length, which is what differs most
// often. The last operation may end with the literals. Measured beside compressors in
// bench/packing.

// minCopy is the shortest copy worth an operation.
const minCopy = 6

// encoder writes a text's literals and operations.
type encoder struct {
	literals []byte
	ops      []byte
	literal  int // bytes at the end of literals that no operation has yet
	copied   struct{ at, len int }
	behind   int // where a copy with d == 0 would begin, were there no literal
}

func (k *encoder) reset() {
	k.literals, k.ops, k.literal, k.copied.len, k.behind = k.literals[:0], k.ops[:0], 0, 0, 0
}

func (k *encoder) copy(at, n int) {
	if c := &k.copied; c.len > 0 {
		if c.at+c.len == at {
			c.len += n
			return
		}
		k.flush()
	}
	k.copied.at, k.copied.len = at, n
}

func (k *encoder) put(text string) {
	if text == "" {
		return
	}
	if k.copied.len > 0 {
		k.flush()
	}
	k.literals = append(k.literals, text...)
	k.literal += len(text)
}

// flush writes an operation.
func (k *encoder) flush() {
	k.ops = binary.AppendUvarint(k.ops, uint64(k.literal))
	if c := k.copied; c.len > 0 {
		k.ops = binary.AppendUvarint(k.ops, uint64(c.len))
		k.ops = binary.AppendVarint(k.ops, int64(c.at-k.behind-k.literal))
		k.behind = c.at + c.len
	}
	k.literal, k.copied.len = 0, 0
}
