package shown

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Of conditions there is left what decides about events with some ops.
func TestWithin(t *testing.T) {
	adds, updates := event.OpSet(0).With(event.Add), event.OpSet(0).With(event.Update)
	for _, test := range []struct {
		filter string
		on     event.OpSet
		want   string // "never" if no event can match
	}{
		{`op != "update" || changed("spec")`, adds, ``},
		{`op != "update" || changed("spec")`, adds | updates, `op == "add" || op == "update" && changed("spec")`},
		{`op != "update" || changed("spec")`, updates, `changed("spec")`},
		{`op != "update" || changed("spec")`, adds | event.OpSet(0).With(event.Delete), ``},
		{`op == "delete" || label("a") == "b"`, adds | updates, `label("a") == "b"`},
		{`(op == "delete" || op == "add" && label("a") == "b") && label("c") == "d"`, adds,
			`label("a") == "b" && label("c") == "d"`},
		{`op == "delete"`, adds, "never"},
		{`label("c") == "d" && (op == "delete" || op == "resync" && label("a") == "b")`, adds, "never"},
	} {
		f, err := filters.Compile(filters.Expression{Text: test.filter, Kind: filters.KindFilter})
		if err != nil {
			t.Fatal(err)
		}
		list, may := Within(test.on, f.Conditions().List)
		may = may && f.Conditions().Ops&test.on != 0
		got := strings.Join(Each(test.on, list), " && ")
		if !may {
			got = "never"
		}
		if got != test.want {
			t.Errorf("%s on %v: %q, want %q", test.filter, test.on, got, test.want)
		}
	}
}

// Only an update has an old state.
func TestOps(t *testing.T) {
	for filter, want := range map[string]string{
		`old.spec.replicas > 0 && object.spec.replicas == 0`:        "update",
		`old.status.phase == "Pending"`:                             "update",
		`old.status.phase != "Pending"`:                             "add update delete resync",
		`old.status.phase == "a" || op == "add"`:                    "add update delete resync",
		`op != "delete" && old.spec.paused`:                         "update",
		`any(old.spec.containers, .image == "a") && op == "delete"`: "",
		`!(old.spec.replicas > 0)`:                                  "add update delete resync",
	} {
		f, err := filters.Compile(filters.Expression{Text: filter, Kind: filters.KindFilter})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, op := range event.Ops {
			if Ops(f.Conditions()).Has(op) {
				got = append(got, op.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", filter, got, want)
		}
	}
}
