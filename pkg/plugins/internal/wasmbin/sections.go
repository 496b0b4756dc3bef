package wasmbin

// parser collects what the sections say.
type parser struct {
	m       *Module
	defined uint32 // functions declared
	bodies  uint32 // functions with code
	locals  uint64 // of all functions
	values  int    // parameters and results of all types
	arity   uint64 // the most of one type
	labels  uint64 // of branches in all functions
	names   []byte // the custom section to keep
}

func (p *parser) section(id byte, r *Reader) {
	switch id {
	case SectionType:
		p.vector(r, 3, maxTypes, "types", p.funcType)
	case SectionImport:
		p.vector(r, 4, maxImports, "imports", p.imported)
	case SectionFunction:
		p.defined = p.vector(r, 1, maxFunctions, "functions", func(r *Reader) {
			p.function(r)
		})
	case SectionTable:
		p.vector(r, 3, maxTables, "tables", p.table)
	case SectionMemory:
		p.vector(r, 2, maxTables, "memories", p.memory)
	case SectionGlobal:
		p.vector(r, 4, maxGlobals, "globals", func(r *Reader) {
			globalType(r)
			constExpr(r)
		})
	case SectionExport:
		p.vector(r, 3, maxExports, "exports", func(r *Reader) {
			p.m.Exports = append(p.m.Exports,
				export{Name: r.Name(), Kind: kind(r.Byte()), Index: r.U32()})
		})
	case SectionStart, SectionDataCount:
		r.U32()
	case SectionElement:
		items := uint32(0)
		p.vector(r, 2, maxSegments, "element segments", func(r *Reader) {
			elements(r, &items)
		})
	case SectionCode:
		p.bodies = p.vector(r, 3, maxFunctions, "function bodies", p.code)
	case SectionData:
		p.vector(r, 2, maxSegments, "data segments", data)
	}
}

// vector reads the items of a vector; each has at least min bytes.
func (p *parser) vector(r *Reader, min int, max uint32, what string,
	item func(*Reader)) uint32 {
	n := r.Count(min)
	if n > max {
		r.Fail("%d %s, at most %d are allowed", n, what, max)
		return 0
	}
	for range n {
		item(r)
		if r.Err != nil {
			return 0
		}
	}
	return n
}

func (p *parser) funcType(r *Reader) {
	if form := r.Byte(); form != 0x60 && r.Err == nil {
		r.Fail("type %#x is no function type", form)
	}
	list := func() []byte {
		n := r.Count(1)
		if n > maxParams {
			r.Fail("%d parameters or results, at most %d are allowed", n, maxParams)
		}
		start := r.Pos
		for range n {
			if r.ValueType(); r.Err != nil {
				return nil
			}
		}
		return r.File[start:r.Pos]
	}
	t := FuncType{Params: list(), Results: list()}
	if p.values += len(t.Params) + len(t.Results); p.values > maxTypeValues {
		r.Fail("the types have too many parameters and results: at most %d are allowed in all",
			maxTypeValues)
	}
	p.arity = max(p.arity, uint64(len(t.Params)), uint64(len(t.Results)))
	p.m.types = append(p.m.types, t)
}

func (p *parser) imported(r *Reader) {
	i := Import{Module: r.Name(), Name: r.Name(), Kind: kind(r.Byte())}
	switch i.Kind {
	case KindFunc:
		if index, ok := p.function(r); ok {
			i.Type = p.m.types[index]
		}
	case KindTable:
		p.table(r)
	case KindMemory:
		p.memory(r)
	case KindGlobal:
		globalType(r)
	default:
		r.Fail("import %q %q is of the unknown kind %d", i.Module, i.Name, byte(i.Kind))
	}
	p.m.Imports = append(p.m.Imports, i)
}

// function reads a type index and counts the function.
func (p *parser) function(r *Reader) (index uint32, ok bool) {
	index = r.U32()
	if r.Err == nil && uint64(index) >= uint64(len(p.m.types)) {
		r.Fail("there is no type %d", index)
	}
	if r.Err != nil {
		return 0, false
	}
	p.m.funcs = append(p.m.funcs, index)
	return index, true
}

func (p *parser) table(r *Reader) {
	t := r.Byte()
	if t != 0x70 && t != 0x6f && r.Err == nil {
		r.Fail("a table of type %#x is not part of WebAssembly 2.0", t)
	}
	l := r.Limits()
	if l.Min > MaxTableElements {
		r.Fail("a table of %d elements, at most %d are allowed", l.Min, MaxTableElements)
	}
	p.m.Tables = append(p.m.Tables, table{Type: t, Limits: l})
}

// boundedTables makes a table section in which no table may grow beyond MaxTableElements. The
// memory limit of the engine does not hold for tables, and stock Go states no maximum.
func boundedTables(tables []table) []byte {
	content := AppendUint(nil, uint32(len(tables)))
	for _, t := range tables {
		maximum := uint32(MaxTableElements)
		if t.HasMax {
			maximum = min(maximum, t.Max)
		}
		content = append(content, t.Type, 1)
		content = AppendUint(content, t.Min)
		content = AppendUint(content, maximum)
	}
	return AppendSection(nil, SectionTable, content)
}

func (p *parser) memory(r *Reader) {
	p.m.Memories = append(p.m.Memories, r.Limits())
}

func globalType(r *Reader) {
	r.ValueType()
	r.Byte()
}

// constExpr passes over a constant expression.
func constExpr(r *Reader) { r.ConstExpr(func(byte) { r.U32() }) }

// elements passes over an element segment. Its three low bits say what it is made of.
func elements(r *Reader, items *uint32) {
	form := r.U32()
	if form > 7 {
		r.Fail("element segment of the unknown form %d", form)
		return
	}
	passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
	if !passive {
		if explicit {
			r.U32() // table
		}
		constExpr(r)
	}
	if passive || explicit {
		// A kind, which is 0 for functions, or a reference type.
		if k := r.Byte(); expressions && k != 0x70 && k != 0x6f || !expressions && k != 0 {
			r.Fail("element segment of the unknown type %#x", k)
		}
	}
	n := r.Count(1)
	if *items += n; *items > maxElementItems {
		r.Fail("more than %d elements", maxElementItems)
	}
	for range n {
		if r.Err != nil {
			return
		}
		if expressions {
			constExpr(r)
		} else {
			r.U32()
		}
	}
}

// code reads the locals of a function and passes over its code.
func (p *parser) code(r *Reader) {
	b := r.Sub(r.U32())
	n := b.Count(2)
	sum := uint64(0)
	for range n {
		sum += uint64(b.U32())
		b.ValueType()
	}
	if p.locals += sum; sum > maxLocals || p.locals > maxAllLocals {
		b.Fail("too many local variables: at most %d in a function and %d in all are allowed",
			maxLocals, maxAllLocals)
	}
	if b.left() > maxBody {
		b.Fail("a function has %d bytes, at most %d are allowed", b.left(), maxBody)
	}
	branches := b.passCode()
	if branches > maxBranches {
		b.Fail("compiling takes too long: a function has %d branches; split large functions",
			branches)
	}
	// Each label is checked against the values of its block, when the code is checked.
	if p.labels += branches; p.labels*p.arity > maxChecks {
		b.Fail("checking takes too long: there are %d branches, and a type of %d values; use fewer of them", p.labels, p.arity)
	}
	if r.Err == nil {
		r.Err = b.Err
	}
}

func data(r *Reader) {
	switch form := r.U32(); form {
	case 0:
		constExpr(r)
	case 1:
	case 2:
		r.U32()
		constExpr(r)
	default:
		r.Fail("data segment of the unknown form %d", form)
	}
	r.Take(r.U32())
}
