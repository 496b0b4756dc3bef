package meter

import (
	"errors"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// planner decides what is put where into one function. It passes once over the instructions and
// counts those of a straight run. The run is paid for at its end: where paths part or meet, or
// another function is called. The invariant: every path pays for exactly what it executes.
//
//	instruction      owed   put before it
//	local.get 0         1
//	if                  2   pay 2: paths part
//	  local.get 1       1
//	  call 5            2   pay 2: another function is called
//	else                    (nothing is owed)
//	  i32.const 7       1
//	  drop              2
//	end                     pay 2: paths meet
//	local.get 1         1
//	end                     pay 1: the function ends
type planner struct {
	m      *module
	r      *reader
	edits  []edit
	blocks []block

	owed  int  // the cost of this straight run so far
	alive bool // a path leads here
	since int  // the most that was executed since the last check, on whatever path; see passed
	// on one of those paths a function was called that may have run long since its own last check
	called bool

	beginCheck  int // edit at the begin of the code
	frameCharge int // edit behind it
	size        size
	calls       bool // the function calls others
	cost        int  // of all instructions
	straight    bool // nothing parts or calls so far
	checked     bool // straight code leads to a loop that checks
}

// block is an open block.
type block struct {
	op     byte // opBlock, opLoop, opIf or opElse
	target bool // a branch leads to its end, or if it is a loop, back to its begin
	alive  bool // its begin is
	edit   int  // loop: the edit at its begin
	first  bool // loop: straight code leads to it from the function's begin
	begin  pass // if: of the condition's other outcome
	joined pass // of the branches that lead to its end
}

// pass is what was executed since the last check.
type pass struct {
	since  int
	called bool
}

// or takes the worse of two.
func (a pass) or(b pass) pass { return pass{max(a.since, b.since), a.called || b.called} }

// edit is something to put into the code, in place of skip bytes.
type edit struct {
	kind editKind
	at   int // offset in the file
	skip int
	n    int // see kind
}

type editKind byte

const (
	editNone  editKind = iota
	editIndex          // the index n
	editPay            // subtract n
	editCheck          // visit the host if too little remains
	editFrame          // charge for a frame of n values, and visit the host if that was too much
	editCall           // call the function n
)

// body plans a function. The reader is behind the locals.
func (p *planner) body(r *reader, variables uint32) {
	*p = planner{m: p.m, r: r, edits: p.edits[:0], blocks: p.blocks[:0], straight: true,
		alive: true,
		size:  size{variables: variables}}
	p.beginCheck, p.frameCharge = p.add(edit{at: r.Pos}), p.add(edit{at: r.Pos})
	p.blocks = append(p.blocks, block{op: opBlock, alive: true})
	for len(p.blocks) > 0 && r.Err == nil {
		at := r.Pos
		p.instruction(at)
		var e *wasmbin.Error
		if r.Err != nil && errors.As(r.Err, &e) {
			e.Offset = at
		}
	}
	if r.More() {
		r.Fail("%d bytes behind the end of the function", r.End-r.Pos)
	}
	// A function that calls others may be part of a recursion, and many calls of a large one take
	// their time.
	if !p.checked && (p.calls || p.cost > smallFunction) {
		p.edits[p.beginCheck].kind = editCheck
	}
	if n := p.size.values(); p.calls && n > freeFrame {
		p.edits[p.frameCharge].kind, p.edits[p.frameCharge].n = editFrame, n
	}
}

func (p *planner) add(e edit) (index int) {
	p.edits = append(p.edits, e)
	return len(p.edits) - 1
}

// pay ends a straight run at an offset.
func (p *planner) pay(at int) {
	if p.alive && p.owed > 0 {
		p.add(edit{kind: editPay, at: at, n: p.owed})
	}
	p.owed = 0
}

// instruction plans the next instruction.
func (p *planner) instruction(at int) {
	r := p.r
	op := r.Byte()
	switch op {
	case opNop:
		return
	case opBlock:
		p.blockType()
		p.open(block{op: op})
		return
	case opLoop:
		p.loop(at)
		return
	case opElse:
		p.otherwise(at)
		return
	case opEnd:
		p.close(at)
		return
	}
	p.passed(at, 1)
	p.owed, p.cost = p.owed+1, p.cost+1
	p.size.instruction(op)
	switch op {
	case opIf:
		p.pay(at)
		p.straight = false
		p.blockType()
		p.open(block{op: op})
	case opBr, opBrIf, opBrTable:
		p.pay(at)
		p.straight = false
		p.branches(op, at)
	case opReturn:
		p.pay(at)
		p.leave(at)
	case opCall, opCallIndirect:
		p.pay(at)
		p.calls, p.straight = true, false
		p.callee(op)
		p.since, p.called = p.since+smallFunction, true
	case opRefFunc:
		p.function()
	case opMemoryGrow:
		p.grow(at)
	case opBulk:
		p.bulk(at)
	default:
		r.Immediates(op, p.m.globals)
	}
	switch op {
	case opUnreachable, opBr, opBrTable, opReturn:
		p.alive, p.straight = false, false
		p.since, p.called = 0, false
	}
}

// passed adds to what was executed since the last check, and checks before the instruction at an
// offset if that is too much.
func (p *planner) passed(at, n int) {
	if p.since += n; p.since <= p.m.pass || !p.alive {
		return
	}
	p.pay(at)
	p.check(at)
	p.since = n
}

func (p *planner) check(at int) {
	p.add(edit{kind: editCheck, at: at})
	p.since, p.called = 0, false
}

// leave checks before the function returns after a call. Functions that return one after the other
// would otherwise run for as long as they are nested deeply.
func (p *planner) leave(at int) {
	if p.alive && p.called {
		p.check(at)
	}
}

// blockType passes over the type of a block: none, a value's, or the index of a function's.
func (p *planner) blockType() {
	r := p.r
	if r.Pos < r.End {
		switch first := r.File[r.Pos]; {
		case first == 0x40:
			r.Pos++
			p.size.block(0)
			return
		case first&0xc0 == 0x40: // a negative number
			r.ValueType()
			p.size.block(1)
			return
		}
	}
	t := r.Signed(5)
	if t < 0 || t >= int64(p.m.types) {
		r.Fail("there is no type %d", t)
		return
	}
	p.size.block(p.m.arities[t].all())
}

// function reads the index of a function and writes the new one.
func (p *planner) function() (index uint32) {
	at := p.r.Pos
	i := p.r.Below(p.m.funcs, "function")
	if moved := p.m.moved(i); moved != i {
		p.add(edit{kind: editIndex, at: at, skip: p.r.Pos - at, n: int(moved)})
	}
	return i
}

func (p *planner) callee(op byte) {
	if op == opCall {
		p.size.results(p.m.arityOf(p.function()))
		return
	}
	if t := p.r.Below(p.m.types, "type"); p.r.Err == nil {
		p.size.results(p.m.arities[t])
	}
	p.r.U32() // table
}

func (p *planner) open(f block) {
	f.alive, f.begin = p.alive, pass{p.since, p.called}
	p.blocks = append(p.blocks, f)
}

// loop opens a loop. That branches lead back to it, so that it must check, is known when it is
// closed.
func (p *planner) loop(at int) {
	p.pay(at)
	p.blockType()
	p.open(block{op: opLoop, edit: p.add(edit{at: p.r.Pos}), first: p.straight})
	p.straight = false
}

func (p *planner) otherwise(at int) {
	f := &p.blocks[len(p.blocks)-1]
	if f.op != opIf {
		p.r.Fail("else without if")
		return
	}
	p.pay(at)
	f.op = opElse
	if p.alive {
		f.target, f.joined = true, f.joined.or(pass{p.since, p.called})
	}
	p.alive, p.since, p.called = f.alive, f.begin.since, f.begin.called
}

func (p *planner) close(at int) {
	f := p.blocks[len(p.blocks)-1]
	p.blocks = p.blocks[:len(p.blocks)-1]
	switch {
	case f.op == opLoop:
		if f.target {
			p.edits[f.edit].kind = editCheck
			p.checked = p.checked || f.first
		}
		return
	case f.op == opIf && f.alive: // for want of an else
		f.target, f.joined = true, f.joined.or(f.begin)
	}
	if f.target || len(p.blocks) == 0 {
		p.pay(at)
	}
	if len(p.blocks) == 0 {
		p.leave(at)
	}
	if f.target {
		now := f.joined
		if p.alive {
			now = now.or(pass{p.since, p.called})
		}
		p.since, p.called = now.since, now.called
	}
	p.alive = p.alive || f.target
}

// branches reads the labels of a branch.
func (p *planner) branches(op byte, at int) {
	here, returns := pass{p.since, p.called}, false
	p.r.Targets(op, func(l uint32) {
		if uint64(l) >= uint64(len(p.blocks)) {
			p.r.Fail("a branch out of %d blocks, only %d are open", l, len(p.blocks))
			return
		}
		f := &p.blocks[len(p.blocks)-1-int(l)]
		if p.alive {
			f.target, f.joined = true, f.joined.or(here)
		}
		returns = returns || int(l) == len(p.blocks)-1
	})
	if returns {
		p.leave(at)
	}
}

// grow puts a function of the rewriter's own in place of memory.grow, which charges for the pages
// that were added.
func (p *planner) grow(at int) {
	p.r.GrowMemory()
	p.owed += leave
	p.add(edit{kind: editCall, at: at, skip: p.r.Pos - at, n: int(p.m.helper(helperGrow))})
}

// bulk lets an instruction on a range pay for the range's length, which is on top of the stack: a
// function of the rewriter's own takes the length, charges, and returns it, or does the
// instruction itself.
func (p *planner) bulk(at int) {
	op := p.r.BulkOp()
	h := helperOf[op]
	if h == helpers {
		return
	}
	if op == bulkTableGrow {
		p.owed += leave
	}
	e := edit{kind: editCall, at: at, n: int(p.m.helper(h))}
	if h == helperFill || h == helperCopy {
		e.skip = p.r.Pos - at
	}
	p.add(e)
}
