package ledger

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// known is what the model has of an object.
type known struct {
	version uint64
	states  []State // of the outputs that have ended, or the only one
	open    int     // outputs
	gone    bool
	barrier bool // it was dropped or refused, so that what is older does not count
}

func objectAt(t rapid.TB, name string, version uint64) *object.Object {
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"a","name":%q,"resourceVersion":"%d"}}`,
		name, version))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestLedgerModel: whatever ends in whatever order, a ledger has of each object what a map has that
// is kept by the rules as they are written.
func TestLedgerModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, model := &Ledger{}, map[string]*known{}
		versions := map[string]uint64{}
		name := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprint("p", rapid.IntRange(0, 60).Draw(t, "name"))
		})
		// next returns an object in a new state, or in one that it had lately.
		next := func(t *rapid.T) (*object.Object, string, uint64) {
			n := name.Draw(t, "object")
			if versions[n] == 0 || rapid.IntRange(0, 3).Draw(t, "older") > 0 {
				versions[n] += 3
			}
			v := versions[n] - uint64(rapid.IntRange(0, 2).Draw(t, "back"))
			return objectAt(t, n, v), n, v
		}
		settled := rapid.SampledFrom([]State{Unselected, Unmatched, Own, Judged, Discarded})
		ended := rapid.SampledFrom([]State{Delivered, Delivered, Dropped, DeadLetter, None})
		t.Repeat(map[string]func(*rapid.T){
			"settle": func(t *rapid.T) {
				o, n, v := next(t)
				s := settled.Draw(t, "state")
				op := rapid.SampledFrom([]event.Op{event.Add, event.Update, event.Delete,
					event.Resync}).Draw(t, "op")
				l.Settle(MarkOf(o), op, s)
				switch k := model[n]; {
				case k != nil && k.barrier && k.version >= v:
				case op == event.Resync && k != nil && k.version >= v:
				case op == event.Delete:
					delete(model, n)
				default:
					model[n] = &known{version: v, states: []State{s}}
				}
			},
			"pass": func(t *rapid.T) {
				o, n, v := next(t)
				outputs := rapid.IntRange(1, 3).Draw(t, "outputs")
				gone := rapid.Bool().Draw(t, "gone")
				op := event.Update
				if gone {
					op = event.Delete
				}
				l.Pass(MarkOf(o), op, outputs)
				k := model[n]
				if k != nil && k.barrier && k.version >= v || gone && k == nil {
					return
				}
				model[n] = &known{version: v, open: outputs, gone: gone}
			},
			"end": func(t *rapid.T) {
				o, n, v := next(t)
				if k := model[n]; k != nil && rapid.Bool().Draw(t, "the last") {
					o, v = objectAt(t, n, k.version), k.version
				}
				k, s := model[n], ended.Draw(t, "state")
				if k != nil && k.version == v && k.open == 0 {
					return // nothing ends that nobody has
				}
				l.End(MarkOf(o), s)
				if k == nil || k.version != v {
					return
				}
				k.open--
				k.states = append(k.states, s)
				if k.open == 0 && k.gone {
					delete(model, n)
				}
			},
			"replayed": func(t *rapid.T) {
				n := name.Draw(t, "object")
				k := model[n]
				if k == nil || !slices.Contains(k.states, DeadLetter) || k.gone {
					return
				}
				l.Replayed(MarkOf(objectAt(t, n, k.version)))
				k.states = []State{Delivered}
			},
			"drop": func(t *rapid.T) {
				o, n, v := next(t)
				gone := rapid.Bool().Draw(t, "gone")
				l.Dropped(o, gone)
				model[n] = &known{version: v, states: []State{Overflown}, barrier: true, gone: gone}
			},
			"refuse the end": func(t *rapid.T) {
				o, n, v := next(t)
				underway := rapid.Bool().Draw(t, "underway")
				l.Ended(o, underway)
				delete(model, n)
				if underway {
					model[n] = &known{version: v, states: []State{Refused}, barrier: true,
						gone: true}
				}
			},
			"": func(t *rapid.T) {
				var hashes []uint64
				for n := range versions {
					hash := object.Key{Namespace: "a", Name: n}.Hash()
					e, has := l.Get(hash)
					k := model[n]
					if has != (k != nil) {
						t.Fatalf("%s: has %v, want %v", n, has, k)
					}
					if k == nil {
						continue
					}
					hashes = append(hashes, hash)
					if e.Version != k.version || e.Outputs != k.open || e.Gone != k.gone ||
						e.State != k.state() {
						t.Fatalf("%s: %+v, want %+v, %d", n, e, *k, k.state())
					}
				}
				slices.Sort(hashes)
				if got := slices.Sorted(slices.Values(l.Objects())); !slices.Equal(got, hashes) {
					t.Fatalf("%d objects, want %d", len(got), len(hashes))
				}
				ends := 0
				for k := range maps.Values(model) {
					if k.gone && k.barrier {
						ends++
					}
				}
				if l.ends != ends {
					t.Fatalf("%d ends, want %d", l.ends, ends)
				}
			},
		})
	})
}

// state is the worst state of the outputs that count.
func (k *known) state() State {
	worst, any := None, false
	for _, s := range k.states {
		worst, any = max(worst, s), any || s != None
	}
	switch {
	case k.gone && !k.barrier:
		return Passed
	case any:
		return worst
	case k.open == 0:
		return Unwanted
	}
	return Passed
}
