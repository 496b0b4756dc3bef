package gate

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

// row is what the model has of an object.
type row struct {
	version int
	refused map[int]bool // by subscription
}

// TestGateModel: whatever is handed on, and whoever joins and leaves, a gate has what a map has.
func TestGateModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, rows := New(nil), map[string]*row{}
		columns := map[int]*Column{}
		ended, joined, version := map[string]bool{}, 0, 0
		names := func(n int) string { return fmt.Sprint("p", n) }
		hash := func(name string) uint64 { return object.Key{Namespace: "shop", Name: name}.Hash() }
		drawn := func(t *rapid.T) string { return names(rapid.IntRange(0, 9).Draw(t, "object")) }
		column := func(t *rapid.T) (int, *Column) {
			if len(columns) == 0 {
				t.Skip("nobody has joined")
			}
			var all []int
			for n := range joined {
				if columns[n] != nil {
					all = append(all, n)
				}
			}
			n := rapid.SampledFrom(all).Draw(t, "column")
			return n, columns[n]
		}
		last := ""
		note := func(name string, v int) {
			g.Note(informertest.Object(name, "u", v), false)
			if rows[name] == nil || rows[name].version != v {
				rows[name] = &row{v, map[int]bool{}}
			}
			last = name
		}
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "how many") {
					columns[joined] = g.Join()
					joined++
				}
			},
			"leave": func(t *rapid.T) {
				n, c := column(t)
				c.Leave()
				delete(columns, n)
			},
			"note": func(t *rapid.T) {
				version++
				note(drawn(t), version)
			},
			"note again": func(t *rapid.T) {
				if name := drawn(t); rows[name] != nil {
					note(name, rows[name].version)
				}
			},
			"end": func(t *rapid.T) {
				name := drawn(t)
				g.Note(informertest.Object(name, "u", version), true)
				delete(rows, name)
				ended[name], last = true, ""
			},
			"refuse": func(t *rapid.T) {
				n, c := column(t)
				if c.Refuse(); last != "" {
					rows[last].refused[n] = true
				}
			},
			"begin": func(t *rapid.T) {
				n, c := column(t)
				var all, wanted []*object.Object
				for i := range 10 {
					r := rows[names(i)]
					if r == nil {
						continue
					}
					all = append(all, informertest.Object(names(i), "u", r.version))
					if rapid.Bool().Draw(t, "wanted") {
						wanted = append(wanted, all[len(all)-1])
						continue
					}
					r.refused[n] = true
					last = names(i)
				}
				c.RefuseOthers(all, wanted)
			},
			"move": func(t *rapid.T) { // from one gate to another one
				n, c := column(t)
				had, other := map[uint64]uint64{}, New(nil).Join()
				c.Refused(had)
				for i := range 10 {
					if r := rows[names(i)]; r != nil {
						v := r.version + rapid.IntRange(0, 1).Draw(t, "newer")
						other.gate.Note(informertest.Object(names(i), "u", v), false)
						other.RefuseAll(had)
						is := other.Passed(hash(names(i)))
						if want := r.refused[n] && v == r.version; is.Refused != want {
							t.Fatalf("%s: refused %v after the move", names(i), is.Refused)
						}
					}
				}
			},
			"": func(t *rapid.T) {
				for n, c := range columns {
					for i := range 10 {
						got, r := c.Passed(hash(names(i))), rows[names(i)]
						want := Passed{}
						if r != nil {
							want = Passed{uint64(r.version), r.refused[n], true}
						}
						if got != want {
							t.Fatalf("%s of %d: %+v, want %+v", names(i), n, got, want)
						}
						key, known := c.Ended(hash(names(i)))
						if known != ended[names(i)] || known && key.Name != names(i) {
							t.Fatalf("%s: %v, %v", names(i), key, known)
						}
					}
				}
			},
		})
	})
}

// What is stored when a gate is made has been handed on, and nil notes nothing.
func TestGateBegins(t *testing.T) {
	o := informertest.Object("a", "u", 7)
	c := New([]*object.Object{o}).Join()
	if got := c.Passed(o.Key().Hash()); got != (Passed{Version: 7, Known: true}) {
		t.Errorf("%+v", got)
	}
	var none *Column
	(*Gate)(nil).Note(o, false)
	none.Refuse()
	none.RefuseOthers([]*object.Object{o}, nil)
	none.Leave()
	if got := none.Passed(o.Key().Hash()); got.Known {
		t.Errorf("%+v", got)
	}
}

// The keys of the objects that have ended last are kept.
func TestEndedAreBounded(t *testing.T) {
	g := New(nil)
	c := g.Join()
	for i := range 3 * maxEnded {
		g.Note(informertest.Object(fmt.Sprint("p", i), "u", i), true)
	}
	for i := range 3 * maxEnded {
		_, known := c.Ended(object.Key{Namespace: "shop", Name: fmt.Sprint("p", i)}.Hash())
		if known != (i >= 2*maxEnded) {
			t.Fatalf("%d is known: %v", i, known)
		}
	}
	if len(g.ended) != maxEnded || len(g.rows) != 0 {
		t.Errorf("%d, %d", len(g.ended), len(g.rows))
	}
}

// BenchmarkGate is what a gate adds to an event that so many subscriptions are refused.
func BenchmarkGate(b *testing.B) {
	const objects = 100_000
	all := make([]*object.Object, objects)
	for i := range all {
		all[i] = informertest.Object(fmt.Sprint("pod-", i*7919%objects), "u", i)
	}
	for _, n := range []int{1, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := New(all)
			var columns []*Column
			for range n {
				columns = append(columns, g.Join())
			}
			b.ResetTimer()
			for i := range b.N {
				g.Note(all[(i*31+7)%objects], false)
				for _, c := range columns {
					c.Refuse()
				}
			}
		})
	}
}
