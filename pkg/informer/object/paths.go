package object

import (
	"cmp"
	"slices"
)

// MaxPaths is how many paths a Paths may have.
const MaxPaths = 64

// Paths is a set of paths that are looked up together, in one walk over the object. Compile it once
// with NewPaths; it is immutable and safe for concurrent use. See [Scratch.LookupAll].
type Paths struct {
	paths       []Path
	root        node
	sections    []section
	sectionBits uint64 // those of root's members that are parts, as bits
	open        uint64 // see Open, as bits of paths
}

// part is what a set asks for in spec or in status, whose places the header of every object knows.
type section struct {
	key  string
	bit  uint64 // among root's members
	next *node
}

// branches are how paths that have come the same way go on, and which of them end there.
type node struct {
	ends    []int // indexes of paths
	members []edge
	items   []edge
	// n is how many paths have come this way; last is the index of the last one, and rest what is
	// left of it.
	n, lastPath int
	rest        []step
}

// branch is one step, and what follows it. Those of one list are sorted, and no two of them have
// the same step.
type edge struct {
	step
	next node
}

// NewPaths compiles a set. A path may be in it several times. It panics if there are more than
// MaxPaths.
func NewPaths(paths ...Path) *Paths {
	if len(paths) > MaxPaths {
		panic("more than MaxPaths paths")
	}
	set := &Paths{paths: slices.Clone(paths)}
	for i, p := range paths {
		set.root.add(p.steps, i)
	}
	for i := range set.root.members {
		b := &set.root.members[i]
		if !hasPlace(b.step) {
			continue
		}
		p := section{b.key, 1 << i, &b.next}
		set.sections = append(set.sections, p)
		set.sectionBits |= p.bit
	}
	return set
}

// Open returns a set that does not look for the ends of some paths' arrays, if nothing it looks up
// is behind them: the Raw of such a value is the array and whatever follows. Each and Index read it
// as any other one.
func (set *Paths) Open(paths ...int) *Paths {
	s := *set
	for _, i := range paths {
		s.open |= 1 << i
	}
	return &s
}

func (b *node) add(steps []step, path int) {
	b.n, b.lastPath, b.rest = b.n+1, path, steps
	switch {
	case len(steps) == 0:
		b.ends = append(b.ends, path)
		return
	case steps[0].index < 0:
		return // no array has it
	}
	list := &b.members
	if steps[0].isIndex {
		list = &b.items
	}
	i, found := slices.BinarySearchFunc(*list, steps[0], edge.compare)
	if !found {
		*list = slices.Insert(*list, i, edge{step: steps[0]})
	}
	(*list)[i].next.add(steps[1:], path)
}

// compare orders members by length first, which is what tells most of them apart.
func (b edge) compare(st step) int {
	return cmp.Or(cmp.Compare(b.index, st.index), cmp.Compare(len(b.key), len(st.key)),
		cmp.Compare(b.key, st.key))
}

// fewMembers is up to how many names are compared one by one.
const maxLinear = 8

// member returns the index of the member with a name, -1 if there is none.
func (b *node) member(name string) int {
	if len(b.members) > maxLinear {
		return b.search(name)
	}
	for i := range b.members {
		if b.members[i].key == name {
			return i
		}
	}
	return -1
}

func (b *node) search(name string) int {
	if i, found := slices.BinarySearchFunc(b.members, step{key: name}, edge.compare); found {
		return i
	}
	return -1
}

// all returns the bits of so many branches.
func allBits(list []edge) uint64 { return 1<<len(list) - 1 }

// In looks up each path of a set in a value, in one walk over it. values has one place for each
// path, in their order, which must be Missing before.
func (set *Paths) In(v Value, values []Value) {
	if v.kind == Missing {
		return
	}
	w := setWalk{values: values, text: v.raw, open: set.open}
	w.enterValue(&set.root, 0, false, 0)
}
