package meter

import (
	"strings"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// A helper is a function that is added behind the module's own ones, as far as it is needed.
type helper int

const (
	helperBytes   helper = iota // (n i32) -> i32: charge for n bytes, return n
	helperEntries               // (n i32) -> i32: charge for n entries of a table, return n
	helperGrow                  // (pages i32) -> i32: memory.grow, and charge for what was added
	helperFill                  // (to, value, n i32): memory.fill in pieces, and charge for n bytes
	helperCopy                  // (to, from, n i32): memory.copy in pieces, and charge for n bytes
	helpers
)

var helperNames = [helpers]string{"meter.bytes", "meter.entries", "meter.grow", "meter.fill",
	"meter.copy"}

// The types of the added functions, behind those of the module.
const (
	typeVisit  = iota // () -> ()
	typeHelper        // (i32) -> i32
	typeRange         // (i32, i32, i32) -> ()
)

var (
	helperTypeList = []string{"\x60\x00\x00", "\x60\x01\x7f\x01\x7f", "\x60\x03\x7f\x7f\x7f\x00"}
	helperTypes    = []byte(strings.Join(helperTypeList, ""))
	addedGlobal    = []byte{0x7e, 1, opI64Const, 0, opEnd} // a mutable i64, 0
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

// helper returns the index of a helper. All have one from the first on, so that it does not depend
// on the code that is still to come.
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

func (h helper) typ() uint32 {
	if h == helperFill || h == helperCopy {
		return typeRange
	}
	return typeHelper
}

func (m *module) helperDeclarations() (out []byte) {
	for h := range helper(m.helperCount()) {
		out = wasmbin.AppendUint(out, m.types+h.typ())
	}
	return out
}

func (m *module) visitImport() []byte {
	out := wasmbin.AppendName(wasmbin.AppendName(nil, HostModule), visitName)
	return wasmbin.AppendUint(append(out, 0), m.types+typeVisit)
}

// addedExports are the fuel and the values in frames.
func (m *module) addedExports() []byte {
	out := wasmbin.AppendUint(append(wasmbin.AppendName(nil, m.fuel), 3), m.globals)
	return wasmbin.AppendUint(append(wasmbin.AppendName(out, m.fuel+framesSuffix), 3), m.globals+1)
}

func (m *module) helperBodies() (out []byte) {
	for h := range helper(m.helperCount()) {
		b := append(m.helperBody(h), opEnd)
		out = append(wasmbin.AppendUint(out, uint32(len(b))), b...)
	}
	return out
}

// helperBody is a helper's variables and code.
func (m *module) helperBody(h helper) []byte {
	b := []byte{0} // no locals
	switch {
	case !m.helpers[h]: // a later one is needed
		if h.typ() == typeHelper {
			b = append(b, opLocalGet, 0)
		}
	case h == helperBytes:
		b = append(m.appendChargeBytes(b, 0), opLocalGet, 0)
	case h == helperEntries:
		// fuel -= min(n, maxTable): with more the instruction fails
		maximum := wasmbin.AppendSigned([]byte{opI32Const}, int64(int32(m.maxTable)))
		b = append(wasmbin.AppendUint(append(b, opGlobalGet), m.globals), opLocalGet, 0)
		b = append(append(b, maximum...), opLocalGet, 0)
		b = append(append(b, maximum...), opI32LtU, opSelect, opI64ExtendI32U, opI64Sub,
			opGlobalSet)
		b = append(m.appendCheck(wasmbin.AppendUint(b, m.globals)), opLocalGet, 0)
	case h == helperGrow:
		// if (result = memory.grow(pages)) != -1 { fuel -= pages * unitsPerPage }
		b = []byte{1, 1, 0x7f, opLocalGet, 0, opMemoryGrow, 0, opLocalTee, 1, opI32Const, 0x7f,
			opI32Ne, opIf, 0x40}
		b = append(wasmbin.AppendUint(append(b, opGlobalGet), m.globals), opLocalGet, 0,
			opI64ExtendI32U)
		b = append(b, opI64Const, 12, opI64Shl, opI64Sub, opGlobalSet)
		b = append(wasmbin.AppendUint(b, m.globals), opEnd, opLocalGet, 1)
	case h == helperFill:
		b = m.appendFill(m.appendChargeBytes(b, rangeLength))
	case h == helperCopy:
		b = m.appendCopy(m.appendChargeBytes(b, rangeLength))
	}
	return b
}

// appendChargeBytes charges for as many bytes as a parameter says: fuel -= n / bytesPerUnit.
func (m *module) appendChargeBytes(b []byte, n byte) []byte {
	b = append(wasmbin.AppendUint(append(b, opGlobalGet), m.globals), opLocalGet, n,
		opI64ExtendI32U)
	b = append(b, opI64Const, 4, opI64ShrU, opI64Sub, opGlobalSet)
	return m.appendCheck(wasmbin.AppendUint(b, m.globals))
}
