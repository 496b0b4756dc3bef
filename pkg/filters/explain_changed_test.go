package filters_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Below a call of changed is what differs, path by path.
func TestExplanationOfChanged(t *testing.T) {
	const (
		old = `{"spec":{"n":1,"list":[{"image":"a"},{"image":"b"}],"labels":{"a.b/c":"x","gone":1},"t":"` + "\u0007" + `"}}`
		now = `{"spec":{"n":1.0,"list":[{"image":"a"},{"image":"c"},{"image":"d"}],"labels":{"a.b/c":"y"},"t":"\u001b"}}`
	)
	ev := event.Event{Op: event.Update, Object: filtertest.NewObject(t, now),
		Old: filtertest.NewObject(t, strings.ReplaceAll(old, "\u0007", `\u0007`))}
	for _, tt := range []struct {
		text string
		ev   event.Event
		want string
	}{
		{`changed("spec.n", "spec.list")`, ev,
			"true   changed(\"spec.n\", \"spec.list\")\n├─ false  \"spec.n\": still 1.0\n└─ true   \"spec.list\": [1].image \"b\" -> \"c\", [2] nil -> {\"image\":\"d\"}\n"},
		{`changed("spec.n", "spec.nothing")`, ev,
			"false  changed(\"spec.n\", \"spec.nothing\")\n├─ false  \"spec.n\": still 1.0\n└─ false  \"spec.nothing\": still nil\n"},
		{`changed("spec.labels", "spec.t")`, ev,
			"true   changed(\"spec.labels\", \"spec.t\")\n├─ true   \"spec.labels\": [\"a.b/c\"] \"x\" -> \"y\", gone 1 -> nil\n└─ true   \"spec.t\": \"\\a\" -> \"\\x1b\"\n"},
		{`changed("spec")`, ev,
			"true   changed(\"spec\")\n└─ true   \"spec\": list[1].image \"b\" -> \"c\", list[2] nil -> {\"image\":\"d\"}, labels[\"a.b/c\"] \"x\" -> \"y\", and 2 more\n"},
		{`changed("spec")`, event.Event{Op: event.Add, Object: ev.Object},
			"false  changed(\"spec\")\n└─ false  \"spec\": there is no old object\n"},
		{`op == "add" && changed("spec")`, ev,
			"false  op == \"add\" && changed(\"spec\")\n├─ false  op == \"add\"\n│  └─ op = \"update\"\n└─ changed(\"spec\"): not evaluated\n"},
	} {
		var b strings.Builder
		if err := filtertest.Explain(t, filtertest.Compile(t, tt.text), tt.ev, nil).Write(&b); err != nil ||
			b.String() != tt.want {
			t.Errorf("%s, %s: %v\n%s\nwant\n%s", tt.text, tt.ev.Op, err, b.String(), tt.want)
		}
	}
}

// A path is shown as changed if and only if changed says so.
func TestPathsDifferAsChangedSays(t *testing.T) {
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	differ, all := 0, map[string]*filters.Filter{}
	for _, path := range []string{"s", "a", "b", "s.a", "s.list", "s.items", "s.list[1]",
		"s.items[0].b", "metadata", "x"} {
		all[path] = filtertest.Compile(t, fmt.Sprintf("changed(%q)", path))
	}
	rapid.Check(t, func(t *rapid.T) {
		now, err1 := p.Parse([]byte(filtertest.DrawObject(t)))
		then, err2 := p.Parse([]byte(filtertest.DrawObject(t)))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for path, f := range all {
			ev := event.Event{Op: event.Update, Object: now, Old: then}
			x := filtertest.Explain(t, f, ev, nil)
			if len(x.Root.Children) != 1 || x.Err != nil {
				t.Fatalf("%s: %v, %v", path, x.Root.Children, x.Err)
			}
			got := x.Root.Children[0]
			if got.Values[0] != fmt.Sprint(x.Matched) {
				t.Fatalf("%s: changed is %v, and below it is %s: %s", path, x.Matched,
					got.Values[0], got.Note)
			}
			if x.Matched {
				differ++
			}
		}
	})
	if differ == 0 {
		t.Error("nothing differed")
	}
}

// What is large is not compared for long, nor shown at length.
func TestExplanationOfChangedIsBounded(t *testing.T) {
	list := func(first, rest string) *object.Object {
		return filtertest.NewObject(t, `{"spec":[`+strings.Repeat(`{"a":[1,2,`+first+`]},`, 20000)+
			rest+`]}`)
	}
	for _, tt := range []struct{ first, rest, want string }{
		{"3", "4", "too much to show"}, {"4", "3", "[0].a[2] 3 -> 4, "},
	} {
		ev := event.Event{Op: event.Update, Object: list(tt.first, tt.rest), Old: list("3", "3")}
		f := filtertest.Compile(t, `changed("spec")`)
		got := filtertest.Explain(t, f, ev, nil).Root.Children[0]
		if !strings.Contains(got.Note, tt.want) || got.Values[0] != "true" || len(got.Note) > 400 {
			t.Errorf("got %s: %.500s", got.Values, got.Note)
		}
	}
}
