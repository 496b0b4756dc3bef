package object

import "hash/maphash"

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

// Hash returns a number that nearly always differs between keys, and is never 0. It is another one
// in each process.
func (k Key) Hash() uint64 {
	return max(maphash.String(hashSeed, k.Namespace)*31+maphash.String(hashSeed, k.Name), 1)
}

var hashSeed = maphash.MakeSeed()
