package route

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
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
	if cut := append(recordtest.Of(f.Cut), recordtest.Of(f.Whole)...); cut != nil {
		t.Errorf("before the first Use: %+v", cut)
	}
	if err := f.exchange(&f.Pipeline); err != nil {
		t.Fatal(err)
	}
	without := f.Pipeline
	without.Outputs = without.Outputs[:2]
	if err := f.exchange(&without); err != nil {
		t.Fatal(err)
	}
	f.members.put(event.Key{Name: "a"}, member{in: true}, true)
	if cut := recordtest.Of(f.Cut); cut == nil {
		t.Error("the first cut has nothing")
	}
	f.members.put(event.Key{Name: "a"}, member{in: true}, true)
	if cut := recordtest.Of(f.Cut); cut != nil {
		t.Errorf("nothing has happened, but the cut is %+v", cut)
	}
	var cut recordtest.Cut
	if n := testing.AllocsPerRun(100, func() { f.Cut(&cut) }); n != 0 || cut != nil {
		t.Errorf("%v allocations", n)
	}
	f.keep = false
	if cut := append(recordtest.Of(f.Cut), recordtest.Of(f.Whole)...); cut != nil {
		t.Errorf("without Keep: %+v", cut)
	}
}

// leftMeanwhile is a Writer during whose first record an object leaves the select.
type leftMeanwhile struct {
	record.Writer
	members *members
}

func (w *leftMeanwhile) Put(part string, key event.Key, value any, objects []*object.Object) {
	w.members.put(event.Key{Name: "a"}, member{}, true)
	w.Writer.Put(part, key, value, objects)
}

// The outboxes are written first, and have no end of an object that leaves the select under way. So
// it must not be remembered as one that has left: its event comes again after a restart, and would
// be nothing.
func TestNothingIsRememberedThatOutboxesDoNotHave(t *testing.T) {
	for name, write := range map[string]func(*fed) func(record.Writer){
		"cut":   func(f *fed) func(record.Writer) { return f.Cut },
		"whole": func(f *fed) func(record.Writer) { return f.Whole },
	} {
		f := newKept(t, 2, func(f *fed) {
			f.Select = expression(t, inTheFirstHour, filters.KindSelect)
		})
		if err := f.exchange(&f.Pipeline); err != nil {
			t.Fatal(err)
		}
		f.members.put(event.Key{Name: "a"}, member{in: true}, true)
		cut := recordtest.Of(func(to record.Writer) {
			write(f)(&leftMeanwhile{to, &f.members})
		})
		s, err := Read(recordtest.Apply(cut))
		if err != nil || !s.members[event.Key{Name: "a"}].in {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// troubled returns cuts of a route that has all that cuts can have, the last of which are whole.
func troubled(t *testing.T) (cuts []recordtest.Cut) {
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
		cuts = append(cuts, recordtest.Of(f.Cut))
		f.change(t, 2, "Running", "a")
		cuts = append(cuts, recordtest.Of(f.Cut))
		f.Letters.(*letters).fails = 1000
		without := f.Pipeline
		without.Outputs = without.Outputs[:2]
		if err := f.exchange(&without); err != nil {
			t.Fatal(err)
		}
		f.offerNow(t, event.Event{Op: event.Delete, Object: f.last["b"]})
		synctest.Wait()
		cuts = append(cuts, recordtest.Of(f.Cut), recordtest.Of(f.Whole))
		f.stop(t)
	})
	return cuts
}

func TestDamagedRecordsAreRefused(t *testing.T) {
	all := recordtest.Apply(troubled(t)...)
	refused := func(what, part string, key event.Key, r record.Record) {
		t.Helper()
		damaged := record.Set{}
		all.Write(damaged)
		if damaged.Add(part, key, r); r.Value == nil {
			damaged.Delete(part, key)
		}
		if _, err := Read(damaged); !errors.Is(err, record.ErrDamaged) {
			t.Errorf("%s of %s %v: %v", what, part, key, err)
		}
	}
	for part, records := range all {
		for key, r := range records {
			for n := range r.Value {
				refused(fmt.Sprint(n, " bytes"), part, key,
					record.Record{Value: r.Value[:n:n], Objects: r.Objects})
			}
			if part == outputsPart && len(all[outboxPrefix+key.Name]) > 0 {
				refused("nothing", part, key, record.Record{})
			}
		}
	}
	of := func(value any) record.Record {
		s := record.Set{}
		s.Put("", event.Key{}, value, nil)
		return s[""][event.Key{}]
	}
	refused("an unknown member", objectsPart, event.Key{Name: "a"}, of(2))
	refused("a forgotten member", objectsPart, event.Key{Name: "a"}, of(0))
	refused("a way without a number", outputsPart, event.Key{Name: "0"},
		of(&savedOutput{Output: "x"}))
	refused("an entry of no output", outboxPart(99), event.Key{Name: "1"}, of(nil))
	refused("a version of no output", restoredPart(99), event.Key{Name: "a"}, of(&restoredVersion{}))
	refused("a version that is none", restoredPart(1), event.Key{Name: "a"}, of("x"))
}

// FuzzRead: no records make a route that does not work.
func FuzzRead(f *testing.F) {
	f.Add(outputsPart, "1", []byte{0x82, 0x64, 'o', 'u', 't', '0', 0xf5})
	f.Add(objectsPart, "a", []byte{3})
	f.Add(rules.Part, "", []byte{0x82, 1, 0x80})
	f.Add(restoredPart(1), "a", []byte{0x83, 0x61, 'u', 9, 0xf5})
	var cuts []recordtest.Cut
	f.Fuzz(func(t *testing.T, part, name string, value []byte) {
		if cuts == nil {
			cuts = troubled(t)
		}
		for n := range len(cuts) {
			records := recordtest.Apply(cuts[:n]...)
			records.Add(part, event.Key{Name: name}, record.Record{Value: value})
			s, err := Read(records)
			if err != nil {
				continue
			}
			unsent := s.Unsent()
			next := goOn(t, s, 3, nil)
			if n := saved(t, recordtest.Of(next.Whole)).Unsent(); n != unsent {
				t.Errorf("%d entries are %d when they are restored", unsent, n)
			}
		}
	})
}
