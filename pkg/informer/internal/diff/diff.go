// Package diff compares what informers have with what others have that take their place. The two
// sides watch the API server each for itself, so that one may be ahead of the other: Settled
// reports whether a comparison would be true all the same. It is plain data: no goroutine, and no
// lock but the stores' own.
package diff

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// New is an informer that comes.
type New struct {
	Store     *store.Store
	Namespace string // "" is all of them
	// Within reports whether its scope surely has an object.
	Within func(*object.Object) bool
	// Applied is up to what version the store is complete, 0 if that is unknown.
	Applied uint64
	// Fresh: its first list came after Deletes were noted, and may have been an old one.
	Fresh bool
}

// Old is an informer that goes.
type Old struct {
	Store *store.Store
	// Within reports whether its scope surely has an object.
	Within func(*object.Object) bool
	// Begun is up to what version the store was complete before Deletes were noted, 0 if that is
	// unknown.
	Begun   uint64
	Deletes *Deletes
	// MinVersions are its own, from when it was the new one. What is below them was not reported.
	MinVersions *MinVersions
}

// each calls f with every object that was reported, until f returns false.
func (o *Old) each(f func(*object.Object) bool) bool {
	for walk := o.Store.Snapshot().Walk(); ; {
		was := walk.Next()
		if was == nil {
			return true
		}
		if o.MinVersions.Above(was, false) && !f(was) {
			return false
		}
	}
}

// Comparison is one of the old side with the new one.
type Comparison struct {
	old []Old
	now []New
	by  map[string][]int // the new informers of a namespace
	all []int            // those of all namespaces
	// found is what differs.
	found []difference
}

// difference is an object that is not the same on both sides.
type difference struct {
	from int
	was  *object.Object
	to   int
	is   *object.Object
}

// Compare returns a comparison. No store may change while its methods run.
func Compare(old []Old, now []New) *Comparison {
	c := &Comparison{old: old, now: now, by: map[string][]int{}}
	for i := range now {
		if namespace := now[i].Namespace; namespace != "" {
			c.by[namespace] = append(c.by[namespace], i)
		} else {
			c.all = append(c.all, i)
		}
	}
	return c
}

// find returns the new state of an object, and the number of its informer; nil if there is none.
func (c *Comparison) find(key object.Key) (is *object.Object, at int) {
	for _, list := range [2][]int{c.by[key.Namespace], c.all} {
		for _, i := range list {
			if o := c.now[i].Store.Get(key); o != nil {
				return o, i
			}
		}
	}
	return nil, 0
}

// known returns the old state of an object, nil if there is none.
func (c *Comparison) known(key object.Key) *object.Object {
	for _, old := range c.old {
		if o := old.Store.Get(key); o != nil && old.MinVersions.Above(o, false) {
			return o
		}
	}
	return nil
}

// Settled compares both sides, and reports whether the new one is nowhere behind the old one. It
// takes 2 to 5 us for each object.
func (c *Comparison) Settled() bool {
	c.found = nil
	common := 0
	for i := range c.old {
		settled := c.old[i].each(func(was *object.Object) bool {
			is, to := c.find(was.Key())
			switch {
			case is == nil && c.expected(was):
				return false
			case is == nil:
				c.found = append(c.found, difference{i, was, to, nil})
				return true
			}
			common++
			if object.SameState(was, is) {
				return true
			}
			c.found = append(c.found, difference{i, was, to, is})
			return version(is) >= version(was)
		})
		if !settled || c.revives(&c.old[i]) {
			return false
		}
	}
	for i := range c.now {
		n, _, _ := c.now[i].Store.Size()
		common -= n
	}
	if common < 0 { // the new side has more
		for i := range c.now {
			c.findNew(i)
		}
	}
	return !slices.ContainsFunc(c.old, c.ahead)
}

// findNew finds the objects of a new informer that the old side does not have.
func (c *Comparison) findNew(to int) {
	c.now[to].Store.Snapshot().Each(func(is *object.Object) {
		if c.known(is.Key()) == nil {
			c.found = append(c.found, difference{0, nil, to, is})
		}
	})
}

// ahead reports whether an old informer may have seen an object deleted, before deletes were noted,
// that a new one still has.
func (c *Comparison) ahead(old Old) bool {
	fresh := slices.ContainsFunc(c.now, func(n New) bool {
		return n.Fresh && n.Applied < old.Begun
	})
	return fresh || slices.ContainsFunc(c.found, func(d difference) bool {
		return d.was == nil && c.now[d.to].Applied < old.Begun && version(d.is) <= old.Begun &&
			old.Within(d.is)
	})
}

// revives reports whether the new side has an object that is gone, or will.
func (c *Comparison) revives(old *Old) bool {
	for key, gone := range old.Deletes.all() {
		is, _ := c.find(key)
		switch {
		case c.known(key) != nil: // it came back
		case is != nil && version(is) < gone.version, is == nil && gone.expected &&
			c.behind(gone.version, key.Namespace):
			return true
		}
	}
	for key := range old.MinVersions.all() {
		if is, _ := c.find(key); is != nil && !old.MinVersions.Above(is, false) {
			return true
		}
	}
	return false
}

// behind reports whether a new informer of a namespace is not complete up to a version.
func (c *Comparison) behind(version uint64, namespace string) bool {
	return slices.ContainsFunc(c.now, func(n New) bool {
		return n.Applied < version && (n.Namespace == "" || n.Namespace == namespace)
	})
}

// expected reports whether an object that the new side does not have may be about to come to it.
func (c *Comparison) expected(was *object.Object) bool {
	return slices.ContainsFunc(c.now, func(n New) bool {
		return version(was) > n.Applied && n.Within(was)
	})
}

// MinVersions returns the objects that have left the new side's scope, or have ended, if that may
// still see states of them from before.
func (c *Comparison) MinVersions() *MinVersions {
	f := &MinVersions{of: map[object.Key]uint64{}}
	rise := func(key object.Key, version uint64) {
		if is, _ := c.find(key); is == nil && c.behind(version, key.Namespace) {
			f.of[key] = max(f.of[key], version)
			f.last = max(f.last, version)
		}
	}
	for _, d := range c.found {
		if d.is == nil {
			rise(d.was.Key(), version(d.was))
		}
	}
	for _, old := range c.old {
		for key, gone := range old.Deletes.all() {
			rise(key, gone.version)
		}
		for key, least := range old.MinVersions.all() {
			rise(key, least)
		}
	}
	if len(f.of) == 0 {
		return nil
	}
	return f
}

// Each calls f with the old and the new state of each object that is not the same on both sides,
// nil if there is none, and the numbers of their informers. Those with an old state come first.
// Settled has found them.
func (c *Comparison) Each(f func(from int, was *object.Object, to int, is *object.Object)) {
	for _, d := range c.found {
		f(d.from, d.was, d.to, d.is)
	}
}

// version returns an object's version as a number.
func version(o *object.Object) uint64 { return object.ParseVersion(o.ResourceVersion()) }
