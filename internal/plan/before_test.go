package plan

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

func compiled(t testing.TB, kind filters.Kind, text string) *filters.Filter {
	t.Helper()
	if text == "" {
		return nil
	}
	f, err := filters.Compile(filters.Expression{Text: text, Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// said is what is decided before the buffer, in one line.
func said(b before) string {
	var all []string
	for _, c := range b.Conditions {
		all = append(all, c.String())
	}
	text := fmt.Sprintf("%s | %s", strings.Join(words(b.On), " "), strings.Join(all, "; "))
	for _, flag := range []struct {
		set  bool
		name string
	}{{b.Transitions, "transitions"}, {b.Never, "never"}, {b.Complete, "complete"}} {
		if flag.set {
			text += " | " + flag.name
		}
	}
	return text
}

func TestDecide(t *testing.T) {
	const most = "add update delete"
	for name, c := range map[string]struct {
		on              string // default: add, update and delete
		selects, filter string
		rules           string // denies, with ; between them
		events          bool   // of the listener with rules go on
		want            string
	}{
		"nothing is asked": {want: "add update delete |  | complete"},
		"with resync":      {on: "add resync", want: "add resync |  | complete"},
		"op alone":         {filter: `op != "add"`, want: "update delete |  | complete"},
		"an op not wanted": {
			on: "add delete", filter: `op == "add" || op == "update"`, want: "add |  | complete"},
		"never, by op": {
			on: "add", filter: `op == "delete"`, want: "add | name in [] | never | complete"},
		"never, by change": {
			on: "add delete", filter: `changed("spec")`, want: "add delete | name in [] | never"},
		"label and name": {
			filter: `label("a") == "x" && object.metadata.name != "p"`, want: most +
				` | label("a") in ["x"]; name not in ["p"] | complete`},
		"part of it": {
			filter: `label("a") == "x" && object.spec.n > 3`, want: most +
				` | label("a") in ["x"]; spec.n > 3`},
		"a field": {
			filter: `object.status.phase == "Running"`, want: most +
				` | status.phase in ["Running"] | complete`},
		"an arbitrary field": {
			filter: `object.spec.hostname == "a" && label("a") == "x"`, want: most +
				` | spec.hostname in ["a"]; label("a") in ["x"] | complete`},
		"became": {
			filter: `became(label("a") == "x")`,
			want:   `update | label("a") in ["x"]; old label("a") not in ["x"]`},
		"select alone": {
			selects: `label("a") == "x"`, want: most +
				` | label("a") in ["x"] | transitions | complete`},
		"select of a field": {
			selects: `object.spec.hostname == "a"`, want: most +
				` | spec.hostname in ["a"] | transitions | complete`},
		"select and op": {
			selects: `label("a") == "x"`, filter: `op == "add"`,
			want: `add update delete | op in ["add", "delete"]; label("a") in ["x"] | transitions`},
		"select and on": {
			selects: `label("a") == "x"`, on: "delete",
			want: `update delete | op in ["delete"]; label("a") in ["x"] | transitions`},
		"select and updates": {
			selects: `label("a") == "x"`, on: "update",
			want: `update delete | op in ["update", "delete"]; label("a") in ["x"] | transitions`},
		"select and resync": {
			selects: `label("a") == "x"`, on: "resync",
			want: `delete resync | op in ["delete", "resync"]; label("a") in ["x"] | transitions`},
		"select by the clock": {
			selects: `label("a") == "x" && age() > "5m"`, on: "update",
			want: `add update delete | label("a") in ["x"] | transitions`},
		"select and filter": {
			selects: `label("a") == "x"`, filter: `label("b") == nil`, want: most +
				` | label("a") in ["x"]; label("b") does not exist | transitions`},
		"select and filter by op": {
			selects: `label("a") == "x"`, filter: `op == "delete" || changed("spec.n")`,
			want: `update delete | op in ["update", "delete"]; label("a") in ["x"]; op in ["delete"] or op in ["update"] and spec.n differs | transitions`},
		"select that may fail": {
			selects: `object.spec.n > 3`, filter: `label("b") == nil`, want: most +
				` | spec.n > 3 | transitions`},
		"select fails first": {
			selects: `object.spec.n > 3 && label("b") == nil`, want: most +
				` | spec.n > 3 | transitions`},
		"clock and filter": {
			selects: `label("a") == "x" && age() > "5m"`, filter: `label("b") == nil`, want: most +
				` | label("a") in ["x"] | transitions`},
		"select nothing": {
			selects: `false`, want: most + " | name in [] | never | complete"},
		"rules": {
			rules: `object.spec.n == 1`,
			want:  "add update delete resync | spec.n in [1] | transitions"},
		"rules, one by an op": {
			rules: `label("a") == "x"`, events: true, filter: `op == "add" && label("b") == "y"`,
			want: `add update delete resync | label("a") in ["x"] or op in ["add"] and label("b") in ["y"] | transitions`},
		"rules and all events": {
			rules: `label("a") == "x"`, events: true,
			want: `add update delete resync | label("a") in ["x"] or op in ["add", "update", "delete"] | transitions`},
		"rules and every event": {
			on: "add update delete resync", rules: `label("a") == "x"`, events: true,
			want: `add update delete resync | `},
		"rules that may fail": {
			rules: `object.spec.n > 1 && label("a") == "x"; label("a") == "x" && object.spec.n > 1`,
			want:  `add update delete resync | spec.n > 1 or label("a") in ["x"] and spec.n > 1 | transitions`},
		"rules by the clock": {
			rules: `label("a") == "x" && age() > "5m"`,
			want:  `add update delete resync | label("a") in ["x"] | transitions`},
		"rules, one cannot": {
			rules: `label("a") == "x"; len(object.spec.list) > 3`,
			want:  "add update delete resync | "},
		"rules, one is never": {
			rules: `label("a") == "x"; false`,
			want:  `add update delete resync | label("a") in ["x"] | transitions`},
		"rules and filter never": {
			rules: `label("a") == "x"`, events: true, on: "add", filter: `op == "delete"`,
			want: `add update delete resync | label("a") in ["x"] | transitions`},
		"rules and on": {
			rules: `label("a") == "x"`, on: "add",
			want: `add update delete resync | label("a") in ["x"] | transitions`},
		"rules and select": {
			rules: `label("b") == "y"`, selects: `label("a") == "x"`,
			want: `add update delete resync | label("a") in ["x"]; label("b") in ["y"] | transitions`},
		"rules and select fails": {
			rules: `label("b") == "y"`, selects: `object.spec.n > 1`,
			want: `add update delete resync | spec.n > 1 | transitions`},
		"rules and select moves": {
			rules: `label("b") == "y"`, selects: `label("a") == "x" && age() > "5m"`,
			want: `add update delete resync | label("a") in ["x"] | transitions`},
		"rules, select, filter": {
			rules: `label("b") == "y"`, events: true, selects: `label("a") == "x"`,
			filter: `op == "delete"`,
			want:   `add update delete resync | label("a") in ["x"]; label("b") in ["y"] or op in ["delete"] | transitions`},
		"rules, none selected": {
			rules: `label("b") == "y"`, selects: `false`, want: most + " | name in [] | never"},
		"rules, never": {rules: `false`, want: most + " | name in [] | never"},
	} {
		a := asked{
			quiet:   !c.events,
			selects: compiled(t, filters.KindSelect, c.selects),
			filter:  compiled(t, filters.KindFilter, c.filter),
		}
		for deny := range strings.SplitSeq(c.rules, "; ") {
			if deny != "" {
				a.denies = append(a.denies, compiled(t, filters.KindDeny, deny))
			}
		}
		for word := range strings.FieldsSeq(cmp.Or(c.on, most)) {
			op, err := event.ParseOp(word)
			if err != nil {
				t.Fatal(err)
			}
			a.on = a.on.With(op)
		}
		if got := said(a.decide()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// What decide returns belongs to its caller: the filter's own conditions stay as they are.
func TestDecideChangesNoFilter(t *testing.T) {
	selects, filter := compiled(t, filters.KindSelect, `label("a") == "x" && label("b") == "y"`),
		compiled(t, filters.KindFilter, `label("c") == "z"`)
	a := asked{on: condition.EveryOp, selects: selects, filter: filter}
	first := said(a.decide())
	b := a
	b.filter = compiled(t, filters.KindFilter, `label("d") == "v"`)
	b.decide()
	if second := said(a.decide()); second != first || len(selects.Conditions().List) != 2 {
		t.Errorf("got %s, then %s", first, second)
	}
}
