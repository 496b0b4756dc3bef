package informer

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/sharding"
)

// partOf is in which of n parts an object is, computed as the definition says.
func partOf(by ShardKey, n int, namespace, name, uid string) int {
	key := uid
	if by == ByNamespace {
		if key = namespace; key == "" {
			key = name
		}
	}
	h, _ := strconv.ParseUint(sharding.HashField(key), 16, 64)
	if by == ByNamespace {
		h = fmix64(h)
	}
	part := new(big.Int).Mul(new(big.Int).SetUint64(h), big.NewInt(int64(n)))
	return int(part.Rsh(part, 64).Int64())
}

// fmix64 is as it is written in MurmurHash3.cpp.
func fmix64(k uint64) uint64 {
	k ^= k >> 33
	k *= 0xff51afd7ed558ccd
	k ^= k >> 33
	k *= 0xc4ceb9fe1a85ec53
	k ^= k >> 33
	return k
}

func TestFmix64(t *testing.T) {
	if got := fmix64(1); got != 0xb456bcfc34c2cb2c {
		t.Errorf("%x", got)
	}
}

func randomUID(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12),
		r.IntN(1<<16), r.Uint64N(1<<48))
}

var shardCounts = []int{1, 2, 3, 7, 10, 16, 100, 1000}

// Each object is in exactly one shard of a count, the one that the definition says.
func TestShardsHaveEachObjectOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		namespace, name, uid := fmt.Sprint("team-", r.IntN(50)), fmt.Sprint("x", r.IntN(1e6)),
			randomUID(r)
		if r.IntN(3) == 0 {
			namespace = ""
		}
		for _, n := range shardCounts {
			for _, by := range []ShardKey{ByNamespace, ByObject} {
				want := partOf(by, n, namespace, name, uid)
				for i := range n {
					if s := (Shard{by, i, n}); s.Has(namespace, name, uid) != (i == want) {
						t.Fatalf("%q/%q %s: shard %s has it: %t, want it in %d", namespace, name,
							uid, s, i != want, want)
					}
				}
			}
		}
	}
	if !(Shard{}).Has("shop", "a", "1") || !(Shard{ByObject, 1, 2}).Has("shop", "a", "") ||
		!(Shard{ByNamespace, 1, 2}).Has("", "", "1") {
		t.Error("what has no key is in each shard, and everything in the zero Shard")
	}
}

// A server that selects what the selectors say selects what the shards have, ends of ranges included.
func TestSelectors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range shardCounts {
		end := "0x0000000000000000"
		for i := range n {
			s := Shard{ByObject, i, n}
			from, to, ok := rangeOf(s.selector())
			if !ok || from != end {
				t.Fatalf("%s: %s does not begin at %s", s, s.selector(), end)
			}
			end = to
			own := sharding.NewSelector(sharding.ShardRangeRequirement{
				Key: "object.metadata.uid", Start: from, End: to}).String()
			if own != s.selector() {
				t.Fatalf("%s, which Kubernetes would write as %s", s.selector(), own)
			}
			for range 1 + 2000/n {
				uid := randomUID(r)
				if got, want := s.Has("a", "b", uid), selects(from, to, uid); got != want {
					t.Fatalf("%s has %s: %t; the selector has it: %t", s, uid, got, want)
				}
			}
		}
		if end != "0x10000000000000000" {
			t.Fatalf("%d: the last one ends at %s", n, end)
		}
	}
	for _, s := range []Shard{{}, {ByNamespace, 1, 2}} {
		if got := s.selector(); got != "" {
			t.Errorf("%s: %s", s, got)
		}
	}
}

func rangeOf(selector string) (from, to string, ok bool) {
	inner, ok := strings.CutPrefix(selector, "shardRange(object.metadata.uid, '")
	inner, end := strings.CutSuffix(inner, "')")
	from, to, cut := strings.Cut(inner, "', '")
	return from, to, ok && end && cut
}

// selects is how an API server selects.
func selects(from, to, uid string) bool {
	hash := "0x" + sharding.HashField(uid)
	return !sharding.HexLess(hash, from) && sharding.HexLess(hash, to)
}

// Namespaces whose names differ in a number are spread over the shards.
func TestNumberedNamespacesAreBalanced(t *testing.T) {
	for _, family := range []string{"team-%d", "%d", "ns%04d", "prod-eu-west-1-tenant-%d-apps",
		"t-%x", "customer-%08d", "a%d-prod"} {
		for _, c := range []struct{ names, shards, most int }{
			{1000, 16, 100}, {1000, 3, 400}, {1000, 7, 190}, {50, 16, 12},
		} {
			sizes := make([]int, c.shards)
			for i := range c.names {
				for part := range sizes {
					if (Shard{ByNamespace, part, c.shards}).Has(fmt.Sprintf(family, i+1), "a", "u") {
						sizes[part]++
					}
				}
			}
			for _, size := range sizes {
				if size > c.most {
					t.Errorf("%d of %s in %d shards: %v", c.names, family, c.shards, sizes)
					break
				}
			}
		}
	}
}

func TestShardsAreWritten(t *testing.T) {
	for want, s := range map[string]Shard{"": {}, "3/16 by namespace": {ByNamespace, 3, 16},
		"0/2 by object": {ByObject, 0, 2}} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestShardsThatThereAreNot(t *testing.T) {
	for _, s := range []Shard{{ByObject, 2, 2}, {ByNamespace, -1, 2}, {"", 0, 2}, {"uid", 0, 1},
		{By: ByObject}, {ByNamespace, 0, -3}} {
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		f := NewFactory(newFakeServer(), nil)
		if _, err := f.Subscribe(pods, Scope{Shard: s}, Shape{}, sub); err == nil {
			t.Errorf("%+v was taken", s)
		}
	}
}
