package handlers

import (
	"encoding/binary"
	"slices"
)

// handmade assembles a guest of informerd/v1 that calls field for each of the two fields, without
// an SDK. Its memory has the paths at 0, and the fields at 1024 and 2048.
func handmade() ([]byte, error) { return readsTwoFields(3), nil }

// ReadsTwoFields returns a guest that reads two fields of a pod and accepts every event.
func ReadsTwoFields() []byte { return readsTwoFields(0) }

// readsTwoFields assembles a guest whose verdict is those bits of a sum of what it reads.
func readsTwoFields(verdict int64) []byte {
	const i32, i64 = 0x7f, 0x7e
	const phase, image = "status.phase", "spec.containers[0].image"
	field := func(handle, at int64) []byte {
		// its length
		return cat(i32Const(0), i32Const(handle), i32Const(at), i32Const(512), invoke(1),
			[]byte{0xa7})
	}
	loadByte := func(from int) []byte { return cat([]byte{0x2d, 0}, uvarint(from)) } // i32.load8_u
	add := []byte{0x6a}
	configure := cat(i32Const(0), i32Const(int64(len(phase))), invoke(0), []byte{0x1a},
		i32Const(int64(len(phase))), i32Const(int64(len(image))), invoke(0), []byte{0x1a},
		i32Const(0))
	onEvent := cat(
		field(0, 1024), i32Const(0), loadByte(1024), add,
		field(1, 2048), []byte{0x22, 4}, add, // local.tee, the length of the image
		[]byte{0x20, 4}, loadByte(2047), add, // local.get; its last byte
		i32Const(verdict), []byte{0x71})
	module := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id    byte
		items [][]byte
	}{
		{1, [][]byte{
			{0x60, 2, i32, i32, 1, i32},           // path
			{0x60, 4, i32, i32, i32, i32, 1, i64}, // field
			{0x60, 0, 0},                          // the marker
			{0x60, 0, 1, i32},                     // configure
			{0x60, 4, i32, i32, i32, i32, 1, i32}, // on_event
		}},
		{2, [][]byte{
			cat(name("informerd/event.v1"), name("path"), []byte{0, 0}),
			cat(name("informerd/event.v1"), name("field"), []byte{0, 1}),
		}},
		{3, [][]byte{{2}, {3}, {4}}},
		{5, [][]byte{{1, 1, 1}}},
		{7, [][]byte{
			cat(name("memory"), []byte{2, 0}), cat(name("informerd_abi_v1"), []byte{0, 2}),
			cat(name("configure"), []byte{0, 3}), cat(name("on_event"), []byte{0, 4}),
		}},
		{10, [][]byte{body(nil), body(nil, configure), body([]byte{1, 1, i32}, onEvent)}},
		{11, [][]byte{cat([]byte{0}, i32Const(0), []byte{0x0b}, name(phase+image))}},
	} {
		content := cat(uvarint(len(s.items)), cat(s.items...))
		module = append(module, cat([]byte{s.id}, uvarint(len(content)), content)...)
	}
	return module
}

// body returns a function's body, with its local variables if there are any.
func body(locals []byte, code ...[]byte) []byte {
	if locals == nil {
		locals = []byte{0}
	}
	b := cat(locals, cat(code...), []byte{0x0b})
	return cat(uvarint(len(b)), b)
}

// i32Const is i32.const.
func i32Const(v int64) []byte {
	code := []byte{0x41}
	for ; v > 63; v >>= 7 {
		code = append(code, byte(v&0x7f)|0x80)
	}
	return append(code, byte(v))
}

func invoke(function byte) []byte { return []byte{0x10, function} }

func name(s string) []byte { return cat(uvarint(len(s)), []byte(s)) }

func uvarint(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func cat(parts ...[]byte) []byte { return slices.Concat(parts...) }
