package object

import "cmp"

// Key identifies an object within its resource. It is comparable.
type Key struct {
	Namespace string // empty for cluster-scoped objects
	Name      string
}

// Compare orders keys by namespace, and then by name.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Namespace, other.Namespace), cmp.Compare(k.Name, other.Name))
}

// String returns namespace/name, or the name alone for a cluster-scoped object.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
