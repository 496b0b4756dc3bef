package lease

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
)

// limit returns how many shards each of some replicas may hold: with that many each, they can hold
// all.
func limit(shards, replicas int) int { return (shards + replicas - 1) / replicas }

// preferred returns shards in the order in which a replica takes them, the reverse of that in which
// it hands them over: those first for which no other one has a higher score, and of these the ones
// with its highest. So replicas that look at the same moment want different ones, and one that comes
// gets what it wants from all others.
func preferred(identity string, others []string, shards []int) []int {
	rank := func(shard int) (before int, own uint64) {
		own = score(identity, shard)
		for _, other := range others {
			if score(other, shard) > own {
				before = 1
			}
		}
		return before, own
	}
	return slices.SortedFunc(slices.Values(shards), func(a, b int) int {
		beforeA, ownA := rank(a)
		beforeB, ownB := rank(b)
		return cmp.Or(cmp.Compare(beforeA, beforeB), cmp.Compare(ownB, ownA), cmp.Compare(a, b))
	})
}

// score returns how much a replica wants a shard: rendezvous hashing.
func score(identity string, shard int) uint64 { return hash(identity + "/" + strconv.Itoa(shard)) }

// hash is FNV-1a with the last step of MurmurHash3, without which texts that differ in their end
// alone have values next to each other.
func hash(text string) uint64 {
	f := fnv.New64a()
	f.Write([]byte(text))
	h := f.Sum64()
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
