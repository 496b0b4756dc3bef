package meter

// A helper is a function that is added behind the module's own ones, as far as it is needed.
type helper int

const (
	helperBytes   helper = iota // (n i32) -> i32: charge for n bytes, give n
	helperEntries               // (n i32) -> i32: charge for n entries of a table, give n
	helperGrow                  // (pages i32) -> i32: memory.grow, and charge for what was added
	helpers
)

var helperNames = [helpers]string{"meter.bytes", "meter.entries", "meter.grow"}

// The types of the added functions, behind those of the module.
const (
	typeVisit  = iota // () -> ()
	typeHelper        // (i32) -> i32
)

var (
	helperTypeList = []string{"\x60\x00\x00", "\x60\x01\x7f\x01\x7f"}
	helperTypes    = []byte(helperTypeList[typeVisit] + helperTypeList[typeHelper])
	fuelGlobal     = []byte{0x7e, 1, opI64Const, 0, opEnd} // a mutable i64, 0
)

const (
	opI64LtS        = 0x53
	opI32Ne         = 0x47
	opI32LtU        = 0x49
	opI64Sub        = 0x7d
	opI64Shl        = 0x86
	opI64ShrU       = 0x88
	opI64ExtendI32U = 0xad
	opSelect        = 0x1b
)

// helper gives the index of a helper. All have one from the first on, so that it does not depend on the code that is
// still to come.
func (m *module) helper(h helper) uint32 {
	m.helpers[h] = true
	return m.funcs + 1 + uint32(h)
}

// helperCount is how many helpers there are: all up to the last one that is needed.
func (m *module) helperCount() uint32 {
	for h := helpers - 1; h >= 0; h-- {
		if m.helpers[h] {
			return uint32(h) + 1
		}
	}
	return 0
}

func (m *module) helperDeclarations() (out []byte) {
	for range m.helperCount() {
		out = appendUint(out, m.types+typeHelper)
	}
	return out
}

func (m *module) visitImport() []byte {
	out := appendName(appendName(nil, HostModule), visitName)
	return appendUint(append(out, 0), m.types+typeVisit)
}

func (m *module) fuelExport() []byte {
	return appendUint(append(appendName(nil, m.fuel), 3), m.globals)
}

func (m *module) helperBodies() (out []byte) {
	for h := range helper(m.helperCount()) {
		b := []byte{0} // no locals
		switch {
		case !m.helpers[h]: // a later one is needed
			b = append(b, opLocalGet, 0)
		case h == helperBytes:
			// fuel -= n / bytesPerUnit
			b = append(appendUint(append(b, opGlobalGet), m.globals), opLocalGet, 0, opI64ExtendI32U)
			b = append(b, opI64Const, 4, opI64ShrU, opI64Sub, opGlobalSet)
			b = append(m.appendCheck(appendUint(b, m.globals)), opLocalGet, 0)
		case h == helperEntries:
			// fuel -= min(n, maxTable): with more the instruction fails
			most := appendSigned([]byte{opI32Const}, int64(int32(m.maxTable)))
			b = append(appendUint(append(b, opGlobalGet), m.globals), opLocalGet, 0)
			b = append(append(b, most...), opLocalGet, 0)
			b = append(append(b, most...), opI32LtU, opSelect, opI64ExtendI32U, opI64Sub, opGlobalSet)
			b = append(m.appendCheck(appendUint(b, m.globals)), opLocalGet, 0)
		default:
			// if (result = memory.grow(pages)) != -1 { fuel -= pages * unitsPerPage }
			b = []byte{1, 1, 0x7f, opLocalGet, 0, opMemoryGrow, 0, opLocalTee, 1, opI32Const, 0x7f, opI32Ne, opIf, 0x40}
			b = append(appendUint(append(b, opGlobalGet), m.globals), opLocalGet, 0, opI64ExtendI32U)
			b = append(b, opI64Const, 12, opI64Shl, opI64Sub, opGlobalSet)
			b = append(appendUint(b, m.globals), opEnd, opLocalGet, 1)
		}
		b = append(b, opEnd)
		out = append(appendUint(out, uint32(len(b))), b...)
	}
	return out
}
