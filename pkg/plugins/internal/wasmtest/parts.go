package wasmtest

// Body replaces the body of a function that was added.
func (m *Module) Body(index uint32, locals string, code ...[]byte) {
	var ls [][]byte
	for _, t := range letters(locals) {
		ls = append(ls, []byte{1, t})
	}
	m.setBody(index, cat(vec(ls), cat(code...), []byte{0x0b}))
}

// Locals is Body with f for f64 among the locals.
func (m *Module) Locals(index uint32, locals string, code ...[]byte) {
	var ls [][]byte
	for _, c := range locals {
		t := map[rune]byte{'i': I32, 'I': I64, 'f': F64}[c]
		ls = append(ls, []byte{1, t})
	}
	m.setBody(index, cat(vec(ls), cat(code...), []byte{0x0b}))
}

// Variables replaces the body of a function by one with n local variables of a type.
func (m *Module) Variables(index, n uint32, typ byte, code ...[]byte) {
	m.setBody(index, cat([]byte{1}, Uint(n), []byte{typ}, cat(code...), []byte{0x0b}))
}

func (m *Module) setBody(index uint32, body []byte) {
	m.codes[index-uint32(len(m.imports))] = cat(Uint(uint32(len(body))), body)
}

// Type returns the number of a function type.
func (m *Module) Type(params, results string) uint32 { return m.typ(params, results) }

// Element puts functions into the first table.
func (m *Module) Element(at int32, functions ...uint32) {
	var items [][]byte
	for _, f := range functions {
		items = append(items, Uint(f))
	}
	m.elements = append(m.elements, cat([]byte{0}, Const(at), []byte{0x0b}, vec(items)))
}

// Passive adds bytes that memory.init copies.
func (m *Module) Passive(text string) {
	m.datas = append(m.datas, cat([]byte{1}, str(text)))
	m.counted = true
}

// Replace makes a section hold something else than what was added.
func (m *Module) Replace(id byte, content []byte) {
	if m.replaced == nil {
		m.replaced = map[byte][]byte{}
	}
	m.replaced[id] = content
}

// Vector encodes a number of items.
func Vector(items ...[]byte) []byte { return vec(items) }

// Text encodes a text with its length before it.
func Text(s string) []byte { return str(s) }
