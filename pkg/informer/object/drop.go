package object

import (
	"fmt"
	"slices"
)

// dropTree says which members are cut out, level by level.
type dropTree struct {
	children []dropChild // few, as people write them
	cut      bool
}

type dropChild struct {
	name string
	*dropTree
}

// headerFields cannot be dropped: without them an Object is none.
var headerFields = []string{
	"apiVersion", "kind", "metadata", "metadata.namespace", "metadata.name", "metadata.uid",
	"metadata.resourceVersion",
	"metadata.generation", "metadata.deletionTimestamp", "metadata.labels",
}

func (t *dropTree) add(path Path) error {
	if slices.Contains(headerFields, path.String()) || len(path.steps) == 0 {
		return fmt.Errorf("%q cannot be dropped: every object needs it", path)
	}
	for _, st := range path.steps {
		if st.isIndex {
			return fmt.Errorf("%q cannot be dropped: only named fields can, not items of arrays",
				path)
		}
		next := t.child(st.key)
		if next == nil {
			next = &dropTree{}
			t.children = append(t.children, dropChild{st.key, next})
		}
		t = next
	}
	t.cut = true
	return nil
}

// child is nil-safe: most members have nothing to drop below them.
func (t *dropTree) child(key string) *dropTree {
	if t == nil {
		return nil
	}
	for i := range t.children {
		if c := &t.children[i]; c.name == key {
			return c.dropTree
		}
	}
	return nil
}
