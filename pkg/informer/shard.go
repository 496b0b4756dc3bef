package informer

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Shard is one of Count parts of a resource's objects; Index counts from 0. All informers of a
// Count and a ShardKey together have each object once. The zero Shard is all objects.
type Shard struct {
	By           ShardKey
	Index, Count int
}

// ShardKey is what decides in which part an object is.
type ShardKey string

const (
	// ByNamespace keeps the objects of a namespace together, with the Namespace itself. Objects in
	// no namespace go by their names.
	ByNamespace ShardKey = "namespace"
	// ByObject goes by the UID: shards are of one size, however large a namespace is. What is deleted
	// and made again may come in another shard.
	ByObject ShardKey = "object"
)

// Has reports whether an object is in the shard. What is known by nothing is in each.
//
// An object is in the part that the hash of its key falls into, of Count equal ranges. The hash is
// FNV-1a, as in Kubernetes' KEP-5866. That of a namespace is mixed by MurmurHash3's fmix64
// (Appleby, 2011): FNV's first bits hardly change with the end of a name, so that 41 of team-1 to
// team-50 would be in one of 16 shards.
func (s Shard) Has(namespace, name, uid string) bool {
	key := cmp.Or(namespace, name)
	if s.By == ByObject {
		key = uid
	}
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	if s.By == ByNamespace {
		h = (h ^ h>>33) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	part, _ := bits.Mul64(h, uint64(s.Count))
	return key == "" || part == uint64(s.Index)
}

// String returns "3/16 by namespace", "" for the zero Shard.
func (s Shard) String() string {
	if s == (Shard{}) {
		return ""
	}
	return fmt.Sprintf("%d/%d by %s", s.Index, s.Count, s.By)
}

// valid reports whether there is such a shard.
func (s Shard) valid() bool {
	return s == (Shard{}) ||
		(s.By == ByNamespace || s.By == ByObject) && s.Index >= 0 && s.Index < s.Count
}

// selector returns the ListOptions.ShardSelector that has the API server send the shard alone, ""
// if there is none. A server can select by namespace as well, but only ranges of the plain FNV-1a
// hash, which would put most namespaces with numbers in their names into one shard.
func (s Shard) selector() string {
	if s.By != ByObject {
		return ""
	}
	end := "0x10000000000000000"
	if s.Index+1 < s.Count {
		end = s.begin(s.Index + 1)
	}
	return fmt.Sprintf("shardRange(object.metadata.uid, '%s', '%s')", s.begin(s.Index), end)
}

// begin returns the first hash of a part: its number times 2^64/Count, rounded up.
func (s Shard) begin(part int) string {
	hash, _ := bits.Div64(uint64(part), uint64(s.Count-1), uint64(s.Count))
	return fmt.Sprintf("0x%016x", hash)
}
