package daemon

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

func compiled(t testing.TB, kind filters.Kind, text string) *filters.Filter {
	t.Helper()
	if text == "" {
		return nil
	}
	f, err := filters.Compile(filters.Source{Text: text, Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// said is what is decided before the buffer, in one line.
func said(b before) string {
	var all []string
	for _, c := range b.conditions {
		all = append(all, c.String())
	}
	text := fmt.Sprintf("%s | %s", strings.Join(words(b.on), " "), strings.Join(all, "; "))
	for _, flag := range []struct {
		set  bool
		name string
	}{{b.transitions, "transitions"}, {b.never, "never"}, {b.complete, "complete"}} {
		if flag.set {
			text += " | " + flag.name
		}
	}
	return text
}

func TestDecide(t *testing.T) {
	const most = "add update delete"
	for name, c := range map[string]struct {
		resource        string // default: pods
		on              string // default: add, update and delete
		selects, filter string
		rules           bool
		want            string
	}{
		"nothing is asked":     {want: "add update delete |  | complete"},
		"with resync":          {on: "add resync", want: "add resync |  | complete"},
		"op alone":             {filter: `op != "add"`, want: "update delete |  | complete"},
		"an op not wanted":     {on: "add delete", filter: `op == "add" || op == "update"`, want: "add |  | complete"},
		"never, by op":         {on: "add", filter: `op == "delete"`, want: "add | name in [] | never | complete"},
		"never, by change":     {on: "add delete", filter: `changed("spec")`, want: "add delete | name in [] | never"},
		"label and name":       {filter: `label("a") == "x" && object.metadata.name != "p"`, want: most + ` | label("a") in ["x"]; name not in ["p"] | complete`},
		"part of it":           {filter: `label("a") == "x" && object.spec.n > 3`, want: most + ` | label("a") in ["x"]`},
		"a field":              {filter: `object.status.phase == "Running"`, want: most + ` | status.phase in ["Running"] | complete`},
		"a field of others":    {resource: "deployments.apps", filter: `object.status.phase == "Running"`, want: most + " | "},
		"an arbitrary field":   {filter: `object.spec.hostname == "a" && label("a") == "x"`, want: most + ` | label("a") in ["x"]`},
		"became":               {filter: `became(label("a") == "x")`, want: `update | label("a") in ["x"]`},
		"select alone":         {selects: `label("a") == "x"`, want: most + ` | label("a") in ["x"] | transitions | complete`},
		"select of a field":    {selects: `object.spec.hostname == "a"`, want: most + " |  | transitions"},
		"select and op":        {selects: `label("a") == "x"`, filter: `op == "add"`, want: `add update delete | label("a") in ["x"] | transitions`},
		"select and on":        {selects: `label("a") == "x"`, on: "delete", want: `update delete | label("a") in ["x"] | transitions`},
		"select and updates":   {selects: `label("a") == "x"`, on: "update", want: `update delete | label("a") in ["x"] | transitions`},
		"select and resync":    {selects: `label("a") == "x"`, on: "resync", want: `delete resync | label("a") in ["x"] | transitions`},
		"select by the clock":  {selects: `label("a") == "x" && age() > "5m"`, on: "update", want: `add update delete | label("a") in ["x"] | transitions`},
		"select and filter":    {selects: `label("a") == "x"`, filter: `label("b") == nil`, want: most + ` | label("a") in ["x"]; label("b") does not exist | transitions`},
		"select nothing":       {selects: `false`, want: most + " | name in [] | never | complete"},
		"rules":                {rules: true, want: "add update delete resync | "},
		"rules and filter":     {rules: true, filter: `op == "add" && label("a") == "x"`, want: "add update delete resync | "},
		"rules and never":      {rules: true, on: "add", filter: `op == "delete"`, want: "add update delete resync | "},
		"rules and on":         {rules: true, on: "add", want: "add update delete resync | "},
		"rules and select":     {rules: true, selects: `label("a") == "x"`, filter: `label("b") == "y"`, want: `add update delete resync | label("a") in ["x"] | transitions`},
		"rules, none selected": {rules: true, selects: `false`, want: most + " | name in [] | never"},
	} {
		a := asked{
			resource: cmp.Or(c.resource, "pods"), rules: c.rules,
			selects: compiled(t, filters.KindSelect, c.selects), filter: compiled(t, filters.KindFilter, c.filter),
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

// What decide gives is its caller's: the filter's own conditions stay as they are.
func TestDecideChangesNoFilter(t *testing.T) {
	selects, filter := compiled(t, filters.KindSelect, `label("a") == "x" && label("b") == "y"`), compiled(t, filters.KindFilter, `label("c") == "z"`)
	a := asked{resource: "pods", on: everyOp, selects: selects, filter: filter}
	first := said(a.decide())
	b := a
	b.filter = compiled(t, filters.KindFilter, `label("d") == "v"`)
	b.decide()
	if second := said(a.decide()); second != first || len(selects.Conditions().Object) != 2 {
		t.Errorf("got %s, then %s", first, second)
	}
}
