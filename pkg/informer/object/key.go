package object

// Key identifies an object within its resource. It is comparable.
type Key struct {
	Namespace string // empty for cluster-scoped objects
	Name      string
}

// String returns namespace/name, or the name alone for a cluster-scoped object.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
