package wasmbin

import (
	"time"
)

// work is what makes a function costly to compile. The engine's costs are products of these
// numbers.
type work struct {
	branches uint64 // basic blocks; see countBranches for what counts how much
	loops    uint64
	reads    uint64 // of local variables
	touched  uint64 // local variables that are read or written
	written  uint64 // local variables that are written
	height   uint64 // values on the operand stack, at most, by a rough count
	calls    uint64
	size     uint64 // bytes
}

// What the parts of a function cost, in nanoseconds on a processor of 2024. They were fitted to
// modules that take one of them to its limit, and are meant to be right within a factor of ten: the
// limits themselves are kept by the process that compiles.
const (
	costByte       = 50
	costCall       = 2_000
	costBranches   = 20  // for each pair of branches
	costLoopLocals = 3   // for each loop and each pair of local variables
	costLoopWrites = 100 // for each loop and each pair of local variables that are written
	// for each branch and each read of a local variable, of which a few are looked up through all
	// branches
	costReads  = 20
	costHeight = 100 // for each branch and each value on the operand stack
)

// effort estimates how long a function takes to compile, in nanoseconds.
func (w work) effort() uint64 {
	// none has more than 20 bits, or 32 if it is a square
	pairs := func(a, b, each uint64) uint64 { return a * b * each }
	return w.size*costByte + w.calls*costCall + pairs(w.branches, w.branches, costBranches) +
		pairs(w.loops, w.touched*w.touched, costLoopLocals) + pairs(w.loops, w.written*w.written,
		costLoopWrites) +
		pairs(w.branches, w.reads, costReads) + pairs(w.branches, w.height, costHeight)
}

// Cost is a rough estimate of what compiling a module takes.
type Cost struct {
	Time     time.Duration // of the processor
	Heaviest uint32        // the function with the largest part, imported ones counted
	Most     time.Duration // this part
}

// longest is what a time that cannot be counted is taken for.
const longest = 1_000_000 * time.Hour

func (c *Cost) add(function uint32, effort uint64) {
	took := time.Duration(min(effort, uint64(longest)))
	c.Time = min(c.Time+took, longest)
	if took > c.Most {
		c.Heaviest, c.Most = function, took
	}
}

// counter passes over functions.
type counter struct {
	work
	round  uint32
	seen   []rounds // of the local variables
	height int64
}

// rounds are those in which a local variable was seen last.
type rounds struct{ touched, written uint32 }

func (c *counter) begin(size int) {
	c.round++
	c.work, c.height = work{size: uint64(size)}, 0
}

// local counts what is done with a local variable.
func (c *counter) local(index uint32, op byte) {
	if index >= maxLocals+maxParams {
		return // there is none
	}
	if int(index) >= len(c.seen) {
		c.seen = append(c.seen, make([]rounds, int(index)+1-len(c.seen))...)
	}
	seen := &c.seen[index]
	if seen.touched != c.round {
		seen.touched = c.round
		c.touched++
	}
	switch {
	case op == LocalGet:
		c.reads++
	case seen.written != c.round:
		seen.written = c.round
		c.written++
	}
}

// push counts values on the operand stack. Blocks and calls are passed over as if they had neither
// operands nor results.
func (c *counter) push(n int64) {
	c.height = max(0, c.height+n)
	c.work.height = max(c.work.height, uint64(c.height))
}
