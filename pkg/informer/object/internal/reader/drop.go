package reader

// DropTree says which members are cut out, level by level. A nil tree has none.
type DropTree struct {
	children []dropChild // few, as people write them
	dropped  bool
}

type dropChild struct {
	name string
	*DropTree
}

// Add adds the member that the names lead to.
func (t *DropTree) Add(names ...string) {
	for _, name := range names {
		next := t.child(name)
		if next == nil {
			next = &DropTree{}
			t.children = append(t.children, dropChild{name, next})
		}
		t = next
	}
	t.dropped = true
}

// child returns the tree below a member, nil if nothing there is cut out.
func (t *DropTree) child(key string) *DropTree {
	if t == nil {
		return nil
	}
	for i := range t.children {
		if c := &t.children[i]; c.name == key {
			return c.DropTree
		}
	}
	return nil
}
