package object

// dropTree says which members are cut out, level by level.
type dropTree struct {
	children []dropChild // few, as people write them
	cut      bool
}

type dropChild struct {
	name string
	*dropTree
}

// add cuts out the member that the names lead to.
func (t *dropTree) add(names ...string) {
	for _, name := range names {
		next := t.child(name)
		if next == nil {
			next = &dropTree{}
			t.children = append(t.children, dropChild{name, next})
		}
		t = next
	}
	t.cut = true
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
