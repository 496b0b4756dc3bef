package wasmfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Limits of what Parse takes. A stock Go guest of 3 MB has about 6,000 functions.
const (
	MaxSize          = 8 << 20
	MaxTableElements = 65_536

	maxFunctions    = 100_000
	maxTypes        = 10_000
	maxParams       = 1_000
	maxImports      = 1_000
	maxExports      = 10_000
	maxGlobals      = 100_000
	maxTables       = 100
	maxSegments     = 100_000
	maxElementItems = 262_144
	maxLocals       = 50_000      // of one function
	maxAllLocals    = 2_000_000   // of all functions
	maxBody         = 512 << 10   // bytes of one function; a stock Go guest has at most 50 KB
	maxBranches     = 12_000      // of one function; a stock Go guest has at most 3,000
	maxEffort       = 200_000_000 // a stock Go guest of 4 MB has 65,000,000

	// What some instructions count for: metering makes two more branches for a loop, and the engine its own checks and loops
	// for an instruction on a range.
	branchesOfLoop = 3
	branchesOfBulk = 4
)

const (
	coreVersion      = 1
	componentVersion = 0x0001000d
)

// section numbers, and the order in which sections must stand.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
)

var sections = [...]struct {
	name  string
	order int
}{
	{"custom", 0}, {"type", 1}, {"import", 2}, {"function", 3}, {"table", 4}, {"memory", 5}, {"global", 6},
	{"export", 7}, {"start", 8}, {"element", 9}, {"code", 11}, {"data", 12}, {"data count", 10},
}

// Parse reads the outline of a module.
func Parse(file []byte) (*Module, error) {
	if err := checkPreamble(file); err != nil {
		return nil, err
	}
	p := parser{m: &Module{Code: append(make([]byte, 0, len(file)), file[:8]...)}}
	r := &reader{b: file[8:], at: 8}
	last := 0
	for len(r.b) > 0 {
		start := r.at
		id := r.byte()
		size := r.u32()
		if r.err == nil && uint64(size) > uint64(len(r.b)) {
			return nil, fmt.Errorf("the file is cut off: the %s section at offset %d states %d bytes, %d are left",
				sectionName(id), start, size, len(r.b))
		}
		s := r.sub(size)
		if r.err != nil {
			return nil, fmt.Errorf("the file is cut off: %w", r.err)
		}
		if id == secCustom {
			p.custom(s)
			continue
		}
		if int(id) >= len(sections) {
			return nil, fmt.Errorf("offset %d: section %d is not part of WebAssembly 2.0", start, id)
		}
		if sections[id].order <= last {
			return nil, fmt.Errorf("offset %d: the %s section is out of order or stands twice", start, sections[id].name)
		}
		last = sections[id].order
		p.section(id, s)
		if s.err == nil && len(s.b) > 0 {
			s.fail(fmt.Errorf("%d bytes too many", len(s.b)))
		}
		if s.err != nil {
			return nil, fmt.Errorf("%s section: %w", sections[id].name, s.err)
		}
		if id == secTable {
			p.m.Code = append(p.m.Code, boundedTables(p.m.Tables)...)
			continue
		}
		p.m.Code = append(p.m.Code, file[start:r.at]...)
	}
	if p.bodies != p.own {
		return nil, fmt.Errorf("the file is cut off: %d functions are declared, %d have code", p.own, p.bodies)
	}
	p.m.Code, p.m.Named = append(p.m.Code, p.names...), p.names != nil
	return p.m, nil
}

func checkPreamble(file []byte) error {
	switch {
	case len(file) == 0:
		return errors.New("the file is empty")
	case len(file) > MaxSize:
		return fmt.Errorf("the file has %d bytes, at most %d are allowed", len(file), MaxSize)
	case len(file) < 4 || !bytes.Equal(file[:4], []byte("\x00asm")):
		return errors.New("this is no WebAssembly module: it does not begin with \\0asm")
	case len(file) < 8:
		return errors.New("the file is cut off: it ends within the first 8 bytes")
	}
	switch version := binary.LittleEndian.Uint32(file[4:]); version {
	case coreVersion:
		return nil
	case componentVersion:
		return errors.New("this is a WebAssembly component; informerd takes core modules: " +
			"build without the component model, or extract the core module with wasm-tools component unbundle")
	default:
		return fmt.Errorf("version %#x of WebAssembly is unknown, version 1 is needed", version)
	}
}

func sectionName(id byte) string {
	if int(id) < len(sections) {
		return sections[id].name
	}
	return fmt.Sprintf("unknown (%d)", id)
}
