package wasmfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// parser collects what the sections say.
type parser struct {
	m      *Module
	own    uint32 // functions declared
	bodies uint32 // functions with code
	locals uint64 // of all functions
	effort uint64 // of compiling: the sum of the squares of the functions' branches
	names  []byte // the custom section to keep
}

func (p *parser) section(id byte, r *reader) {
	switch id {
	case secType:
		p.vector(r, 3, maxTypes, "types", p.funcType)
	case secImport:
		p.vector(r, 4, maxImports, "imports", p.imported)
	case secFunction:
		p.own = p.vector(r, 1, maxFunctions, "functions", func(r *reader) { p.function(r) })
	case secTable:
		p.vector(r, 3, maxTables, "tables", p.table)
	case secMemory:
		p.vector(r, 2, maxTables, "memories", p.memory)
	case secGlobal:
		p.vector(r, 4, maxGlobals, "globals", func(r *reader) { globalType(r); constExpr(r) })
	case secExport:
		p.vector(r, 3, maxExports, "exports", func(r *reader) {
			p.m.Exports = append(p.m.Exports, Export{Name: r.name(), Kind: Kind(r.byte()), Index: r.u32()})
		})
	case secStart, secDataCount:
		r.u32()
	case secElement:
		items := uint32(0)
		p.vector(r, 2, maxSegments, "element segments", func(r *reader) { elements(r, &items) })
	case secCode:
		p.bodies = p.vector(r, 3, maxFunctions, "function bodies", p.body)
	case secData:
		p.vector(r, 2, maxSegments, "data segments", data)
	}
}

// vector reads the items of a vector; each has at least min bytes.
func (p *parser) vector(r *reader, min int, max uint32, what string, item func(*reader)) uint32 {
	n := r.count(min)
	if n > max {
		r.fail(fmt.Errorf("%d %s, at most %d are allowed", n, what, max))
		return 0
	}
	for range n {
		item(r)
		if r.err != nil {
			return 0
		}
	}
	return n
}

func (p *parser) funcType(r *reader) {
	if form := r.byte(); form != 0x60 && r.err == nil {
		r.fail(fmt.Errorf("type %#x is no function type", form))
	}
	list := func() []byte {
		n := r.count(1)
		if n > maxParams {
			r.fail(fmt.Errorf("%d parameters or results, at most %d are allowed", n, maxParams))
		}
		ts := r.take(n)
		for _, t := range ts {
			checkValueType(r, t)
		}
		return ts
	}
	p.m.types = append(p.m.types, FuncType{Params: list(), Results: list()})
}

func (p *parser) imported(r *reader) {
	i := Import{Module: r.name(), Name: r.name(), Kind: Kind(r.byte())}
	switch i.Kind {
	case Func:
		if index, ok := p.function(r); ok {
			i.Type = p.m.types[index]
		}
	case TableKind:
		p.table(r)
	case Memory:
		p.memory(r)
	case Global:
		globalType(r)
	default:
		r.fail(fmt.Errorf("import %q %q is of the unknown kind %d", i.Module, i.Name, byte(i.Kind)))
	}
	p.m.Imports = append(p.m.Imports, i)
}

// function reads a type index and counts the function.
func (p *parser) function(r *reader) (index uint32, ok bool) {
	index = r.u32()
	if r.err == nil && uint64(index) >= uint64(len(p.m.types)) {
		r.fail(fmt.Errorf("there is no type %d", index))
	}
	if r.err != nil {
		return 0, false
	}
	p.m.funcs = append(p.m.funcs, index)
	return index, true
}

func (p *parser) table(r *reader) {
	t := r.byte()
	if t != 0x70 && t != 0x6f && r.err == nil {
		r.fail(fmt.Errorf("a table of type %#x is not part of WebAssembly 2.0", t))
	}
	l := limits(r)
	if l.Min > MaxTableElements {
		r.fail(fmt.Errorf("a table of %d elements, at most %d are allowed", l.Min, MaxTableElements))
	}
	p.m.Tables = append(p.m.Tables, Table{Type: t, Limits: l})
}

// boundedTables makes a table section in which no table may grow beyond MaxTableElements. The memory limit of the
// engine does not hold for tables, and stock Go states no maximum.
func boundedTables(tables []Table) []byte {
	content := binary.AppendUvarint(nil, uint64(len(tables)))
	for _, t := range tables {
		most := uint32(MaxTableElements)
		if t.HasMax {
			most = min(most, t.Max)
		}
		content = append(content, t.Type, 1)
		content = binary.AppendUvarint(content, uint64(t.Min))
		content = binary.AppendUvarint(content, uint64(most))
	}
	return appendSection(nil, secTable, content)
}

func appendSection(to []byte, id byte, content []byte) []byte {
	to = binary.AppendUvarint(append(to, id), uint64(len(content)))
	return append(to, content...)
}

func (p *parser) memory(r *reader) {
	p.m.Memories = append(p.m.Memories, limits(r))
}

func limits(r *reader) Limits {
	switch flag := r.byte(); flag {
	case 0:
		return Limits{Min: r.u32()}
	case 1:
		return Limits{Min: r.u32(), Max: r.u32(), HasMax: true}
	default:
		r.fail(fmt.Errorf("limits of form %#x (shared or 64-bit) are not part of WebAssembly 2.0", flag))
		return Limits{}
	}
}

// checkValueType refuses types of later versions. Some of those take more than one byte, so a reader that does not know
// them would see other counts than the engine does.
func checkValueType(r *reader, t byte) {
	switch t {
	case 0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f:
	default:
		if r.err == nil {
			r.fail(fmt.Errorf("value type %#x is not part of WebAssembly 2.0", t))
		}
	}
}

func checkRefType(r *reader, t byte) {
	if t != 0x70 && t != 0x6f && r.err == nil {
		r.fail(fmt.Errorf("reference type %#x is not part of WebAssembly 2.0", t))
	}
}

func globalType(r *reader) {
	checkValueType(r, r.byte())
	r.byte()
}

// constExpr passes over a constant expression.
func constExpr(r *reader) {
	for r.err == nil {
		switch op := r.byte(); op {
		case 0x0b: // end
			return
		case 0x41: // i32.const
			r.skipLEB(5)
		case 0x42: // i64.const
			r.skipLEB(10)
		case 0x43: // f32.const
			r.take(4)
		case 0x44: // f64.const
			r.take(8)
		case 0x23, 0xd2: // global.get, ref.func
			r.u32()
		case 0xd0: // ref.null
			checkRefType(r, r.byte())
		case 0xfd: // v128.const
			if r.byte() != 12 {
				r.fail(errors.New("not a constant expression"))
			}
			r.take(16)
		default:
			r.fail(fmt.Errorf("instruction %#x in a constant expression", op))
		}
	}
}

// elements passes over an element segment. Its three low bits say what it is made of.
func elements(r *reader, items *uint32) {
	form := r.u32()
	if form > 7 {
		r.fail(fmt.Errorf("element segment of the unknown form %d", form))
		return
	}
	passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
	if !passive {
		if explicit {
			r.u32() // table
		}
		constExpr(r)
	}
	if passive || explicit {
		// A kind, which is 0 for functions, or a reference type.
		if k := r.byte(); expressions && k != 0x70 && k != 0x6f || !expressions && k != 0 {
			r.fail(fmt.Errorf("element segment of the unknown type %#x", k))
		}
	}
	n := r.count(1)
	if *items += n; *items > maxElementItems {
		r.fail(fmt.Errorf("more than %d elements", maxElementItems))
	}
	for range n {
		if r.err != nil {
			return
		}
		if expressions {
			constExpr(r)
		} else {
			r.u32()
		}
	}
}

// body reads the locals of a function and passes over its code.
func (p *parser) body(r *reader) {
	b := r.sub(r.u32())
	n := b.count(2)
	sum := uint64(0)
	for range n {
		sum += uint64(b.u32())
		checkValueType(b, b.byte())
	}
	if p.locals += sum; sum > maxLocals || p.locals > maxAllLocals {
		b.fail(fmt.Errorf("too many local variables: at most %d in a function and %d in all are allowed", maxLocals, maxAllLocals))
	}
	if len(b.b) > maxBody {
		b.fail(fmt.Errorf("a function has %d bytes, at most %d are allowed", len(b.b), maxBody))
	}
	branches := countBranches(b)
	if p.effort += branches * branches; branches > maxBranches || p.effort > maxEffort {
		b.fail(fmt.Errorf("compiling takes too long: a function has %d branches; split large functions", branches))
	}
	if r.err == nil {
		r.err = b.err
	}
}

func data(r *reader) {
	switch form := r.u32(); form {
	case 0:
		constExpr(r)
	case 1:
	case 2:
		r.u32()
		constExpr(r)
	default:
		r.fail(fmt.Errorf("data segment of the unknown form %d", form))
	}
	r.take(r.u32())
}
