package wasmbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Limits of what Parse takes. A stock Go guest of 3 MB has about 6,000 functions.
const (
	MaxTableElements = 65_536

	maxFunctions  = 100_000
	maxTypes      = 10_000
	maxParams     = 1_000
	maxTypeValues = 200_000 // parameters and results of all types
	// branches times the values of a type; a Go guest of 57 MB has 60,000,000
	maxChecks       = 500_000_000
	maxImports      = 1_000
	maxExports      = 10_000
	maxGlobals      = 100_000
	maxName         = 16 << 10 // of a function in the name section
	maxTables       = 16       // and memories; guests have one
	maxSegments     = 100_000
	maxElementItems = 262_144
	maxLocals       = 50_000    // of one function
	maxAllLocals    = 2_000_000 // of all functions
	maxBody         = 512 << 10 // bytes of one function; a stock Go guest has at most 50 KB
	maxBranches     = 12_000    // of one function; a stock Go guest has at most 3,300

	// What some instructions count for: an if makes two blocks besides what follows, metering makes
	// two more branches for a loop, and the engine its own checks and loops for an instruction on a
	// range.
	branchesOfIf   = 2
	branchesOfLoop = 3
	branchesOfBulk = 4
)

const (
	coreVersion      = 1
	componentVersion = 0x0001000d
)

// Parse reads the outline of a module.
func Parse(file []byte) (*Module, error) {
	if err := checkPreamble(file); err != nil {
		return nil, err
	}
	secs, err := Split(file)
	if err != nil {
		return nil, err
	}
	p := parser{m: &Module{Code: append(make([]byte, 0, len(file)), file[:8]...)}}
	start, hasStart := startOf(file, secs)
	for _, s := range secs {
		r := s.Reader(file)
		if s.ID == SectionCustom {
			p.custom(r)
			continue
		}
		p.section(s.ID, r)
		if r.NothingLeft(); r.Err != nil {
			return nil, fmt.Errorf("%s section: %w", sectionName(s.ID), r.Err)
		}
		switch {
		case s.ID == SectionTable:
			p.m.Code = append(p.m.Code, boundedTables(p.m.Tables)...)
			continue
		case s.ID == SectionExport && hasStart:
			if exports := p.exportStart(file[s.At:s.End], start); exports != nil {
				p.m.Code = append(p.m.Code, exports...)
				continue
			}
		case s.ID == SectionStart && p.m.Start != "":
			continue
		}
		p.m.Code = append(p.m.Code, file[s.Begin:s.End]...)
	}
	if p.bodies != p.defined {
		return nil, &CutOff{Err: fmt.Errorf("%d functions are declared, %d have code",
			p.defined, p.bodies)}
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
		return errors.New("not a WebAssembly module: it does not begin with \\0asm")
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
