package object

import (
	"cmp"
	"slices"
)

// MaxPaths is the largest number of paths in a Paths.
const MaxPaths = 64

// Paths is a set of paths that are looked up together, in one walk over the object. Compile it
// once; it is immutable and safe for concurrent use. See [Scratch.LookupAll].
type Paths struct {
	paths       []Path
	root        node
	sections    []section
	sectionBits uint64 // the members of root that are sections, as bits
	open        uint64 // the paths of Open, as bits
}

// section is the part of a set that is in spec or in status, whose places the header of every
// object has.
type section struct {
	key  string
	bit  uint64 // among root's members
	next *node
}

// node is a point of the tree that the steps of the paths form: what has the same steps before it
// shares it.
type node struct {
	ends    []int // indexes of the paths that end here
	members []edge
	items   []edge
	// count is how many paths go through the node, lastPath the index of the last of them, and rest
	// its steps from here.
	count, lastPath int
	rest            []step
}

// edge is one step and what follows it. The edges of a list are sorted, and no two of them have the
// same step.
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

// Open returns a set that does not search for the ends of the arrays of some paths, if nothing that
// it looks up is after them: Raw of such a value is the array and the text after it. Each and Index
// work as usual.
func (set *Paths) Open(paths ...int) *Paths {
	s := *set
	for _, i := range paths {
		s.open |= 1 << i
	}
	return &s
}

// add adds a path with some steps from here.
func (n *node) add(steps []step, path int) {
	n.count, n.lastPath, n.rest = n.count+1, path, steps
	switch {
	case len(steps) == 0:
		n.ends = append(n.ends, path)
		return
	case steps[0].index < 0:
		return // no array has such an item
	}
	list := &n.members
	if steps[0].isIndex {
		list = &n.items
	}
	i, found := slices.BinarySearchFunc(*list, steps[0], edge.compare)
	if !found {
		*list = slices.Insert(*list, i, edge{step: steps[0]})
	}
	(*list)[i].next.add(steps[1:], path)
}

// compare orders member names by length first, which distinguishes most of them.
func (e edge) compare(st step) int {
	return cmp.Or(cmp.Compare(e.index, st.index), cmp.Compare(len(e.key), len(st.key)),
		cmp.Compare(e.key, st.key))
}

// maxLinear is the largest number of names that are compared one by one.
const maxLinear = 8

// member returns the index of the member with a name, -1 if there is none.
func (n *node) member(name string) int {
	if len(n.members) > maxLinear {
		return n.search(name)
	}
	for i := range n.members {
		if n.members[i].key == name {
			return i
		}
	}
	return -1
}

// search is member by binary search.
func (n *node) search(name string) int {
	if i, found := slices.BinarySearchFunc(n.members, step{key: name}, edge.compare); found {
		return i
	}
	return -1
}

// allBits returns a bit for each edge.
func allBits(list []edge) uint64 { return 1<<len(list) - 1 }

// In looks up each path of a set in a value, in one walk over it. values has one element for each
// path, in their order, which must be Missing before.
func (set *Paths) In(v Value, values []Value) {
	if v.kind == Missing {
		return
	}
	w := setWalk{values: values, text: v.raw, open: set.open}
	w.enterValue(&set.root, 0, false, 0)
}
