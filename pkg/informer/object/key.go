package object

// Key names one object within one resource. It is comparable.
type Key struct {
	Namespace string // empty for cluster-scoped objects
	Name      string
}

// String gives namespace/name, or name alone for a cluster-scoped object.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
