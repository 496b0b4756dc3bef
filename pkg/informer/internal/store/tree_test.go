package store

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/object"
)

// TestTreeModel: a tree holds what a map holds, and a snapshot holds what the tree held when it was
// taken.
func TestTreeModel(t *testing.T) {
	names := make([]string, 60)
	for i := range names {
		names[i] = fmt.Sprint("o", i)
	}
	rapid.Check(t, func(t *rapid.T) {
		var tr tree
		truth := map[object.Key]*object.Object{}
		version := 0
		same := func(tr *tree, truth map[object.Key]*object.Object) {
			got := map[object.Key]*object.Object{}
			tr.each(func(o *object.Object) { got[o.Key()] = o })
			if !maps.Equal(got, truth) || tr.n != len(truth) || len(tr.list()) != len(truth) {
				t.Fatalf("holds %v (n %d), the truth is %v", got, tr.n, truth)
			}
		}
		type taken struct {
			tree  tree
			truth map[object.Key]*object.Object
		}
		var snapshots []taken
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				version++
				o := obj(rapid.SampledFrom(names).Draw(t, "name"), "u", version)
				if old := tr.put(o); old != truth[o.Key()] {
					t.Fatalf("put gave %v, want %v", old, truth[o.Key()])
				}
				truth[o.Key()] = o
			},
			"remove": func(t *rapid.T) {
				key := object.Key{Namespace: "shop", Name: rapid.SampledFrom(names).Draw(t, "name")}
				if old := tr.remove(key); old != truth[key] {
					t.Fatalf("remove gave %v, want %v", old, truth[key])
				}
				delete(truth, key)
			},
			"snapshot": func(*rapid.T) {
				snapshots = append(snapshots, taken{tr.snapshot(), maps.Clone(truth)})
			},
			"": func(t *rapid.T) {
				for key, want := range truth {
					if tr.get(key) != want {
						t.Fatalf("get %v", key)
					}
				}
			},
		})
		same(&tr, truth)
		for _, s := range snapshots {
			same(&s.tree, s.truth)
		}
	})
}

// TestTreeOfEqualHashes: keys that cannot be told apart by their hash end in one node at the
// bottom.
func TestTreeOfEqualHashes(t *testing.T) {
	var tr tree
	a, b, c := obj("a", "1", 1), obj("b", "2", 2), obj("c", "3", 3)
	const hash = 0xdeadbeef
	for _, o := range []*object.Object{a, b, c} {
		tr.root, _ = putWithHash(&tr, tr.root, hash, 0, o)
	}
	var names []string
	tr.each(func(o *object.Object) { names = append(names, o.Name()) })
	slices.Sort(names)
	expect(t, names, "a", "b", "c")
	for _, o := range []*object.Object{b, a, c} {
		var old *object.Object
		if tr.root, old = tr.removeIn(tr.root, hash, 0, o.Key()); old != o {
			t.Errorf("removed %v, want %v", old, o)
		}
	}
	if tr.root != nil {
		t.Errorf("something is left: %+v", tr.root)
	}
}

// putWithHash is putIn for objects that all have one hash, which no test can find for real.
func putWithHash(t *tree, n *treeNode, hash uint64, shift int, o *object.Object) (*treeNode,
	*object.Object) {
	if shift >= maxShift || n == nil {
		if n == nil && shift < maxShift {
			below, _ := putWithHash(t, nil, hash, shift+treeBits, o)
			return &treeNode{epoch: t.epoch, used: 1 << (hash >> shift & 31),
				slots: []treeSlot{{node: below}}}, nil
		}
		return t.putIn(n, hash, shift, o.Key(), o, true)
	}
	n.slots[0].node, _ = putWithHash(t, n.slots[0].node, hash, shift+treeBits, o)
	return n, nil
}
