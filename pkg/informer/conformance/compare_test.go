package conformance

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
)

// compare returns the first way in which pkg/informer went through a script unlike client-go, "" if
// there is none.
func compare(reference, own result) string {
	for i, r := range []result{reference, own} {
		if r.err != nil {
			return fmt.Sprintf("%s: %v", sides[i].name, r.err)
		}
	}
	tr := translator{}
	for i, want := range reference.steps {
		if problem := compareStep(tr, want, own.steps[i]); problem != "" {
			return fmt.Sprintf("step %d: %s", i, problem)
		}
	}
	return ""
}

func compareStep(tr translator, want, got shown) string {
	for _, listener := range []string{"first", "late"} {
		names := map[string][]sight{}
		maps.Copy(names, want.sights[listener])
		maps.Copy(names, got.sights[listener])
		for _, name := range slices.Sorted(maps.Keys(names)) {
			expected := tr.translate(listener, want.sights[listener][name])
			if problem := compareSights(expected, got.sights[listener][name]); problem != "" {
				return fmt.Sprintf("%s listener, object %s:%s", listener, name, problem)
			}
		}
	}
	switch {
	case want.version != got.version:
		return fmt.Sprintf("resourceVersion: client-go has %q, informerd %q", want.version,
			got.version)
	case want.synced != got.synced:
		return fmt.Sprintf("synced: client-go has %t, informerd %t", want.synced, got.synced)
	case !reflect.DeepEqual(want.store, got.store):
		return fmt.Sprintf("store:\n client-go %s\n informerd %s", storeText(want.store),
			storeText(got.store))
	}
	return ""
}

func storeText(store map[string]any) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(store)) {
		fmt.Fprintf(&b, " %s: %.200v", name, store[name])
	}
	return b.String()
}

// expected is what pkg/informer's listener must see, translated from what client-go's handler saw.
type expected struct {
	sight
	// or are other versions it may have: deletes of one object that wait together are merged into
	// one of them.
	or []string
}

// translator turns client-go's sequences into pkg/informer's, row by row of what differs on
// purpose. It knows the last state of each object that a listener knows.
type translator map[string]map[string]sight

func (tr translator) translate(listener string, sights []sight) []expected {
	if tr[listener] == nil {
		tr[listener] = map[string]sight{}
	}
	known := tr[listener]
	var out []expected
	for _, s := range sights {
		last, told := known[s.name]
		switch {
		case s.op == event.Update && s.uid != s.wasUID:
			// Deleted and created again, seen as one change, is two changes.
			out = append(out, expected{sight: endOf(last)},
				expected{sight: sight{op: event.Add, name: s.name, uid: s.uid, version: s.version}})
		case s.op == event.Update && s.version == s.was:
			// What has not changed is no update, and a resync only for listeners that have a
			// period.
		case s.op == event.Delete && !told:
			// Nobody knows the object; if it is the second delete of one, the two may have been
			// merged.
			if n := len(out); n > 0 && !s.finalUnknown && out[n-1].uid == s.uid {
				out[n-1].or = append(out[n-1].or, s.version)
			}
		case s.op == event.Delete && s.uid != last.uid:
			// The end of another object than the one the listener knows, which so has ended,
			// too.
			out = append(out, expected{sight: endOf(last)})
		default:
			out = append(out, expected{sight: s})
		}
		known[s.name] = s
		if s.op == event.Delete {
			delete(known, s.name)
		}
	}
	return out
}

// endOf is the delete of an object whose own was missed.
func endOf(last sight) sight {
	return sight{op: event.Delete, name: last.name, uid: last.uid, version: last.version,
		finalUnknown: true}
}

func compareSights(want []expected, got []sight) string {
	same := len(want) == len(got)
	for i := 0; same && i < len(want); i++ {
		w, g := want[i].sight, got[i]
		if slices.Contains(want[i].or, g.version) {
			w.version = g.version
		}
		w.same = false
		same = w == g
	}
	if same {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n  client-go, translated:")
	for _, w := range want {
		fmt.Fprintf(&b, "\n    %s", w.sight)
		if len(w.or) > 0 {
			fmt.Fprintf(&b, " or %s", strings.Join(w.or, " or "))
		}
	}
	b.WriteString("\n  informerd:")
	for _, g := range got {
		fmt.Fprintf(&b, "\n    %s", g)
	}
	return b.String()
}
