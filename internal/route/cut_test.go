package route

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// TestACutWithoutChangesCostsNothing: there is one for each route, five times a second.
func TestACutWithoutChangesCostsNothing(t *testing.T) {
	d := pending(0)
	d.Deny.Kind = filters.KindDeny
	rule, err := rules.Compile(d)
	if err != nil {
		t.Fatal(err)
	}
	f := newKept(t, 3, func(f *fed) {
		f.Rules, f.RuleSet = rules.NewBook([]*rules.Rule{rule}, 3), []*rules.Rule{rule}
		f.Select = expression(t, inTheFirstHour, filters.KindSelect)
	})
	if cut := append(f.Cut(nil, appendText), f.Whole(nil, appendText)...); cut != nil {
		t.Errorf("before the first Use: %q", cut)
	}
	if err := f.Use(&f.Pipeline); err != nil {
		t.Fatal(err)
	}
	without := f.Pipeline
	without.Outputs = without.Outputs[:2]
	if err := f.Use(&without); err != nil {
		t.Fatal(err)
	}
	f.members.put(event.Key{Name: "a"}, member{in: true}, true)
	if cut := f.Cut(nil, appendText); cut == nil {
		t.Error("the first cut has nothing")
	}
	f.members.put(event.Key{Name: "a"}, member{in: true}, true)
	if cut := f.Cut(nil, appendText); cut != nil {
		t.Errorf("nothing has happened, but the cut is %q", cut)
	}
	if n := testing.AllocsPerRun(100, func() { f.Cut(nil, appendText) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	f.keep = false
	if cut := append(f.Cut(nil, appendText), f.Whole(nil, appendText)...); cut != nil {
		t.Errorf("without Keep: %q", cut)
	}
}

// troubled returns cuts of a route that has all that cuts can have, the last of which are whole.
func troubled(t *testing.T) (cuts [][]byte) {
	synctest.Test(t, func(t *testing.T) {
		d := pending(0)
		d.Deny.Kind = filters.KindDeny
		rule, err := rules.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		f := newKept(t, 3, func(f *fed) {
			f.Rules, f.RuleSet = rules.NewBook([]*rules.Rule{rule}, 3), []*rules.Rule{rule}
			f.Select = expression(t, inTheFirstHour, filters.KindSelect)
		})
		f.begin(t)
		f.away(1, time.Hour)
		f.away(2, time.Hour)
		f.change(t, 1, "Pending", "a", "b")
		cuts = append(cuts, f.Cut(nil, appendText))
		f.change(t, 2, "Running", "a")
		cuts = append(cuts, f.Cut(nil, appendText))
		f.Letters.(*letters).fails = 1000
		without := f.Pipeline
		without.Outputs = without.Outputs[:2]
		if err := f.Use(&without); err != nil {
			t.Fatal(err)
		}
		f.offerNow(t, event.Event{Op: event.Delete, Object: f.last["b"]})
		synctest.Wait()
		cuts = append(cuts, f.Cut(nil, appendText), f.Whole(nil, appendText))
		s := saved(t, cuts...)
		cuts = append(cuts, s.Append(nil, appendText))
		f.stop(t)
	})
	return cuts
}

func TestCutsThatAreRefused(t *testing.T) {
	cuts := troubled(t)
	whole := cuts[len(cuts)-1]
	for n := range whole {
		if err := (&Saved{}).Apply(whole[:n], parsed); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
	unreadable := func([]byte) (*object.Object, error) { return nil, errCrash }
	if err := (&Saved{}).Apply(whole, unreadable); !errors.Is(err, ErrDamaged) ||
		!errors.Is(err, errCrash) {
		t.Errorf("an object that cannot be read: %v", err)
	}
	key := append(codec.AppendText(codec.AppendText([]byte{cutVersion, 0, byte(partMembers), 1},
		""), "a"), 2, byte(partEnd))
	for name, cut := range map[string][]byte{
		"too much":              append(slices.Clone(whole), 0),
		"an unknown part":       {cutVersion, 1, 100, 0},
		"an unknown member":     key,
		"more members than fit": {cutVersion, 1, byte(partMembers), 255, 255, 255, 255, 7, 0},
		"another output":        wayCut(2, "other", false, nil),
		"one that is not retired": append(slices.Clone(wayCut(7, "a", true, nil)[:8]),
			wayCut(7, "a", false, nil)[2:]...),
	} {
		if err := saved(t, cuts[:2]...).Apply(cut, parsed); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, cut := range map[string][]byte{
		"a later version":  {cutVersion + 1, 0, 0},
		"one of an outbox": wayCut(1, "out0", false, []byte{100, 0}),
		"one of rules":     {cutVersion, 0, byte(partRules), 1, 100, byte(partEnd)},
	} {
		err := saved(t, cuts[:2]...).Apply(cut, parsed)
		if !errors.Is(err, ErrVersion) || errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// wayCut is a cut that has a way.
func wayCut(number uint64, output string, retired bool, outbox []byte) []byte {
	c := newCut(nil, false)
	c.way(number, output, retired, outbox)
	return c.end()
}

// FuzzSaved: no bytes make a route that does not work.
func FuzzSaved(f *testing.F) {
	f.Add(wayCut(1, "out0", true, nil))
	f.Add(wayCut(0, "", false, nil))
	f.Add([]byte{cutVersion, 1, byte(partGone), 1, byte(partNoRules), byte(partEnd)})
	f.Add([]byte{cutVersion, 0, byte(partMembers), 1, 0, 1, 'a', 3, byte(partEnd)})
	var cuts [][]byte
	f.Fuzz(func(t *testing.T, cut []byte) {
		if cuts == nil {
			cuts = troubled(t)
		}
		for n := range len(cuts) {
			s := saved(t, cuts[:n]...)
			if err := s.Apply(cut, parsed); err != nil {
				continue
			}
			all := s.Append(nil, appendText)
			if again := saved(t, all).Append(nil, appendText); string(again) != string(all) {
				t.Errorf("%q\nbecomes %q", all, again)
			}
			unsent := s.Unsent()
			next := goOn(t, s, 3, nil)
			if n := saved(t, next.Whole(nil, appendText)).Unsent(); n != unsent {
				t.Errorf("%d entries are %d when they are restored", unsent, n)
			}
		}
	})
}
