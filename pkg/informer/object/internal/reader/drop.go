package reader

// dropTree says which members are cut out, level by level.
type DropTree struct {
	children []dropChild // few, as people write them
	cut      bool
}

type dropChild struct {
	name string
	*DropTree
}

// add cuts out the member that the names lead to.
func (t *DropTree) Add(names ...string) {
	for _, name := range names {
		next := t.child(name)
		if next == nil {
			next = &DropTree{}
			t.children = append(t.children, dropChild{name, next})
		}
		t = next
	}
	t.cut = true
}

// child is nil-safe: most members have nothing to drop below them.
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
