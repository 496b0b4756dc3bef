package lease

import (
	"fmt"
	"slices"
	"testing"
)

func TestLimit(t *testing.T) {
	for _, c := range [][3]int{{16, 1, 16}, {16, 2, 8}, {16, 3, 6}, {16, 4, 4}, {16, 16, 1},
		{16, 17, 1}} {
		if got := limit(c[0], c[1]); got != c[2] {
			t.Errorf("%d shards, %d replicas: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// What a replica prefers does not depend on the order in which it learns of shards and replicas.
// Those that other replicas want more come last, and what two want first is not the same.
func TestPreferred(t *testing.T) {
	shards := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	for n := range 100 {
		a, b, c := fmt.Sprint("a_", n), fmt.Sprint("b_", n), fmt.Sprint("c_", n)
		of := preferred(a, []string{b, c}, shards)
		reversed := slices.Clone(shards)
		slices.Reverse(reversed)
		if again := preferred(a, []string{c, b}, reversed); !slices.Equal(of, again) {
			t.Fatalf("%v and %v", of, again)
		}
		if sorted := slices.Sorted(slices.Values(of)); !slices.Equal(sorted, shards) {
			t.Fatalf("%v has other shards", of)
		}
		first := map[int]string{}
		for _, replica := range [][]string{{a, b, c}, {b, a, c}, {c, a, b}} {
			wanted := 0
			for _, i := range preferred(replica[0], replica[1:], shards) {
				own := score(replica[0], i)
				if own < score(replica[1], i) || own < score(replica[2], i) {
					break
				}
				if first[i] != "" {
					t.Fatalf("%s and %s want shard %d most", first[i], replica[0], i)
				}
				first[i] = replica[0]
				wanted++
			}
		}
		if len(first) != len(shards) {
			t.Fatalf("only %d shards are wanted most by somebody", len(first))
		}
	}
}

// Shards are spread over replicas whose names are alike.
func TestScoresAreSpread(t *testing.T) {
	const shards = 10000
	wins := map[string]int{}
	for i := range shards {
		best := "daemon-5d8_aaaaaaaa"
		for _, other := range []string{"daemon-5d8_aaaaaaab", "daemon-5d8_aaaaaaac",
			"daemon-5d8_aaaaaaad"} {
			if score(other, i) > score(best, i) {
				best = other
			}
		}
		wins[best]++
	}
	for replica, n := range wins {
		if n < shards/5 || n > shards*3/10 {
			t.Errorf("%s wants %d of %d shards most", replica, n, shards)
		}
	}
}
