package meter

import (
	"errors"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// planner decides what is put where into one function. It passes once over the instructions and counts those of a
// straight run; the run is paid for at its end, which is where paths part or meet, or another function is called. So
// every path pays for what it executes, neither more nor less.
type planner struct {
	m     *module
	r     *reader
	edits []edit
	stack []frame

	owed  int  // the cost of this straight run so far
	alive bool // a path leads here

	entry    int  // edit at the begin of the code
	calls    bool // the function calls others
	cost     int  // of all instructions
	straight bool // nothing parts or calls so far
	checked  bool // straight code leads to a loop that checks
}

// frame is an open block.
type frame struct {
	op     byte // opBlock, opLoop, opIf or opElse
	target bool // a branch leads to its end, or if it is a loop, back to its begin
	alive  bool // its begin is
	edit   int  // loop: the edit at its begin
	first  bool // loop: straight code leads to it from the function's begin
}

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
	editCheck          // visit the host if too little is left
	editCall           // call the function n
)

// body plans a function. The reader stands behind the locals.
func (p *planner) body(r *reader) {
	*p = planner{m: p.m, r: r, edits: p.edits[:0], stack: p.stack[:0], straight: true, alive: true}
	p.entry = p.add(edit{at: r.Pos})
	p.stack = append(p.stack, frame{op: opBlock, alive: true})
	for len(p.stack) > 0 && r.Err == nil {
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
	// A function that calls others may be part of a recursion, and many calls of a large one take their time.
	if !p.checked && (p.calls || p.cost > smallFunction) {
		p.edits[p.entry].kind = editCheck
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
		p.open(frame{op: op})
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
	p.owed, p.cost = p.owed+1, p.cost+1
	switch op {
	case opIf:
		p.pay(at)
		p.straight = false
		p.blockType()
		p.open(frame{op: op})
	case opBr, opBrIf, opBrTable:
		p.pay(at)
		p.straight = false
		p.branches(op)
	case opReturn:
		p.pay(at)
	case opCall, opCallIndirect:
		p.pay(at)
		p.calls, p.straight = true, false
		p.callee(op)
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
	}
}

// blockType passes over the type of a block: none, a value's, or the index of a function's.
func (p *planner) blockType() {
	r := p.r
	if r.Pos < r.End {
		switch first := r.File[r.Pos]; {
		case first == 0x40:
			r.Pos++
			return
		case first&0xc0 == 0x40: // a negative number
			r.ValueType()
			return
		}
	}
	if t := r.Signed(5); t < 0 || t >= int64(p.m.types) {
		r.Fail("there is no type %d", t)
	}
}

// function reads the index of a function and writes it anew.
func (p *planner) function() {
	at := p.r.Pos
	i := p.r.Below(p.m.funcs, "function")
	if moved := p.m.moved(i); moved != i {
		p.add(edit{kind: editIndex, at: at, skip: p.r.Pos - at, n: int(moved)})
	}
}

func (p *planner) callee(op byte) {
	if op == opCall {
		p.function()
		return
	}
	p.r.Below(p.m.types, "type")
	p.r.U32() // table
}

func (p *planner) open(f frame) {
	f.alive = p.alive
	p.stack = append(p.stack, f)
}

// loop opens a loop. That branches lead back to it, so that it must check, is known when it is closed.
func (p *planner) loop(at int) {
	p.pay(at)
	p.blockType()
	p.open(frame{op: opLoop, edit: p.add(edit{at: p.r.Pos}), first: p.straight})
	p.straight = false
}

func (p *planner) otherwise(at int) {
	f := &p.stack[len(p.stack)-1]
	if f.op != opIf {
		p.r.Fail("else without if")
		return
	}
	p.pay(at)
	f.op = opElse
	f.target = f.target || p.alive
	p.alive = f.alive
}

func (p *planner) close(at int) {
	f := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	switch {
	case f.op == opLoop:
		if f.target {
			p.edits[f.edit].kind = editCheck
			p.checked = p.checked || f.first
		}
		return
	case f.op == opIf:
		f.target = f.target || f.alive // for want of an else
	}
	if f.target || len(p.stack) == 0 {
		p.pay(at)
	}
	p.alive = p.alive || f.target
}

// branches reads the labels of a branch.
func (p *planner) branches(op byte) {
	p.r.Targets(op, func(l uint32) {
		if uint64(l) >= uint64(len(p.stack)) {
			p.r.Fail("a branch out of %d blocks, only %d are open", l, len(p.stack))
			return
		}
		f := &p.stack[len(p.stack)-1-int(l)]
		f.target = f.target || p.alive
	})
}

// grow puts a function of the rewriter's own in place of memory.grow, which charges for the pages that were added.
func (p *planner) grow(at int) {
	p.r.GrowMemory()
	p.owed += leave
	p.add(edit{kind: editCall, at: at, skip: p.r.Pos - at, n: int(p.m.helper(helperGrow))})
}

// bulk lets an instruction on a range pay for the range's length, which is on top of the stack: a function of the
// rewriter's own takes the length, charges, and gives it back, or does the instruction itself.
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
