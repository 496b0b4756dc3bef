package reach

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func compile(t *testing.T, kind filters.Kind, text string) *filters.Filter {
	t.Helper()
	if text == "" {
		return nil
	}
	f, err := filters.Compile(filters.Expression{Text: text, Kind: kind})
	if err != nil {
		t.Fatal(text, err)
	}
	return f
}

// An output gets no events whose objects its when refuses, where that is certain.
func TestEventsByTheirObjects(t *testing.T) {
	for _, c := range []struct{ selects, filter, when, want string }{
		{"", `object.metadata.namespace == "shop"`, `object.metadata.namespace == "billing"`, "all"},
		{"", `object.metadata.namespace == "shop"`, `namespace == "billing"`, "all"},
		{"", `object.metadata.namespace in ["a", "b"]`, `namespace in ["c", "d"]`, "all"},
		{"", `object.metadata.namespace in ["a", "b"]`, `namespace in ["b", "c"]`, ""},
		{"", `object.metadata.namespace == "a" || object.metadata.namespace == "b"`, `namespace == "c"`, "all"},
		{"", `object.metadata.namespace == "a" || label("x") == "y"`, `namespace == "c"`, ""},
		{"", `label("team") == "a"`, `label("team") == "b"`, "all"},
		{"", `label("team") == "a"`, `object.metadata.labels.team != "a"`, "all"},
		{"", `label("team") == "a"`, `label("team") startsWith "b"`, "all"},
		{"", `label("team") == "a"`, `label("team") == "b" || label("x") == "y"`, ""},
		{"", `label("team") == nil`, `(label("team") ?? "b") == "a"`, "all"},
		{"", `object.spec.paused == true`, `object.spec.paused == false`, "all"},
		{"", `object.spec.paused`, `not object.spec.paused`, "all"},
		{"", `object.metadata.name == "a"`, `name == "b"`, "all"},
		{"", `op == "add" && label("t") == "a" || op == "update" && label("t") == "b"`, `label("t") == "b"`, "add"},
		{"", `label("team") == "a"`, `old.metadata.labels.team == "b"`, "add delete"},
		{"", `old.metadata.labels.team == "a"`, `label("team") == "b"`, ""},
		{"", `old.metadata.labels.team == "a" && op == "update"`, `old.metadata.labels.team == "b"`, "all"},
		{"", "", `changed("spec.n")`, "add delete"},
		{"", "", `became(object.spec.n == 1) && label("team") == "a"`, "add delete"},
		{"", "", `old != nil`, "add delete"},
		{"", `label("team") != "b"`, `label("team") == "b"`, "all"},
		{"", `label("team") != "b"`, `label("team") in ["b", "c"]`, ""},
		{"", `label("team") not in ["b", "c"]`, `label("team") in ["b", "c"]`, "all"},
		{"", `label("team") != "b" && label("team") != "c"`, `label("team") in ["b", "c"]`, "all"},
		{"", `label("team") != "b"`, `label("team") != nil`, ""},
		{"", `label("team") != "b"`, `(label("team") ?? "b") == "b"`, ""},
		{"", `label("team") != "b" && label("team") in ["a", "b"]`, `label("team") != "a"`, "all"},
		{"", `label("team") in ["a", "b"] && label("team") != "b"`, `label("team") != "a"`, "all"},
		{"", `object.metadata.namespace != "b"`, `namespace == "b"`, "all"},
		{"", `object.spec.paused != true`, `object.spec.paused == true`, "all"},
		{`label("team") != "b"`, "", `label("team") == "b"`, "add update"},
		{"", "", `old != nil && op == "delete" && old.spec.n == 1`, "all"},
		{"", "", `old == nil || old.spec.n == 1`, ""},
		{`label("team") == "a"`, "", `label("team") == "b"`, "add update"}, // it may leave
		{`object.metadata.namespace == "a"`, "", `namespace == "b"`, "all"},
		{`label("team") == "a" && object.spec.n > 3`, "", `label("team") == "b"`, ""},
		{`label("team") == "a" && age() > "1h"`, "", `label("team") == "b"`, ""},
		{"", `object.spec.n == 1`, `object.spec.n == 2`, ""},
		{"", `quantity(object.spec.n) == "1"`, `object.spec.n == "2"`, ""},
	} {
		s := Sender{Listener: &config.Listener{}, Events: condition.EveryOp &^
			event.OpSet(0).With(event.Resync)}
		s.Facts = FactsOf(nil, compile(t, filters.KindSelect, c.selects),
			compile(t, filters.KindFilter, c.filter), nil)
		m := Of(s, &config.Output{}, compile(t, filters.KindWhen, c.when))
		got := ""
		for _, op := range m.Events {
			got += " " + op
		}
		if got = got[min(1, len(got)):]; m.All {
			got = "all"
		}
		if got != c.want {
			t.Errorf("select %s, filter %s, when %s: %q, want %q", c.selects, c.filter, c.when, got,
				c.want)
		}
	}
}

// What is called never is never: neither an event nor a report arrives that the expressions let
// through.
func TestWhatNeverArrivesDoesNot(t *testing.T) {
	var parser object.Parser
	var objects []*object.Object
	for _, namespace := range []string{`"a"`, `"b"`, ""} {
		for _, team := range []string{`"a"`, `"b"`, ""} {
			for _, field := range []string{`"a"`, `"b"`, "1", "true", "null", ""} {
				text := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"`
				if namespace != "" {
					text += `,"namespace":` + namespace
				}
				if team != "" {
					text += `,"labels":{"team":` + team + `}`
				}
				if text += "}"; field != "" {
					text += `,"f":` + field
				}
				o, err := parser.Parse([]byte(text + "}"))
				if err != nil {
					t.Fatal(err)
				}
				objects = append(objects, o)
			}
		}
	}
	comparison := func(subjects ...string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			of := rapid.SampledFrom(subjects).Draw(t, "subject")
			constants := []string{`"a"`, `"b"`, `"c"`}
			a := rapid.SampledFrom(append(constants, "nil", "true", "1")).Draw(t, "constant")
			switch op := rapid.SampledFrom([]string{"==", "==", "!=", "in", "not in", "truth",
				"default"}).Draw(t, "operator"); op {
			case "in", "not in":
				return fmt.Sprintf("(%s %s [%s, %s])", of, op, a,
					rapid.SampledFrom(constants).Draw(t, "other"))
			case "truth":
				return "(" + of + " == true)"
			case "default":
				return fmt.Sprintf(`((%s ?? "c") == %s)`, of, a)
			default:
				return fmt.Sprintf("(%s %s %s)", of, op, a)
			}
		})
	}
	expression := func(leaf *rapid.Generator[string]) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			text := leaf.Draw(t, "leaf")
			for range rapid.IntRange(0, 3).Draw(t, "more") {
				switch rapid.IntRange(0, 4).Draw(t, "form") {
				case 0:
					text = fmt.Sprintf("(%s || %s)", text, leaf.Draw(t, "leaf"))
				case 1:
					text = "not " + text
				default:
					text = fmt.Sprintf("(%s && %s)", text, leaf.Draw(t, "leaf"))
				}
			}
			return text
		})
	}
	ofObject := []string{"object.metadata.namespace", "object.metadata.name", `label("team")`,
		"object.f"}
	found := map[string]int{}
	check := func(fatal func(string, ...any), selects, deny, filter, when *filters.Filter) {
		s := Sender{Listener: &config.Listener{Rules: []config.Rule{{Name: "r"}}},
			Events: condition.EveryOp}
		s.Facts = FactsOf(nil, selects, filter, map[string]*filters.Filter{"r": deny})
		m := Of(s, &config.Output{}, when)
		withHandler := s
		withHandler.Listener = &config.Listener{Handler: &config.Handler{}}
		withHandler.Events, withHandler.Handles = 0, s.Events
		handled := Of(withHandler, &config.Output{}, when)
		is := func(f *filters.Filter, ev event.Event) bool {
			if f == nil {
				return true
			}
			ok, err := f.Evaluator().Match(ev)
			return ok && err == nil
		}
		arrives := func(what string, msg *filters.Message) {
			msg.Namespace, msg.Name = msg.Event.Object.Namespace(), msg.Event.Object.Name()
			found[what]++
			if ok, err := when.Evaluator().MatchMessage(msg); ok && err == nil {
				fatal("%s arrives: %s of %s, old %v", what, msg.Event.Op, msg.Event.Object.JSON(), msg.Event.Old)
			}
		}
		at := event.Resync
		for _, o := range objects {
			selected := is(selects, event.Event{Op: at, Object: o})
			leaves := slices.ContainsFunc(objects, func(before *object.Object) bool {
				return before.Namespace() == o.Namespace() &&
					is(selects, event.Event{Op: at, Object: before})
			})
			for _, op := range event.Ops {
				olds := []*object.Object{nil}
				if op == event.Update {
					olds = objects
				}
				for _, old := range olds {
					ev := event.Event{Op: op, Object: o, Old: old}
					// What leaves may be in any state, but in the same namespace.
					if m.Ops.Has(op) && (selected || op == event.Delete && leaves) &&
						is(filter, ev) {
						arrives(op.String(), &filters.Message{Event: ev,
							Type: cloudevent.TypeOf(op)})
					}
					if handled.Handled && (selected || op == event.Delete && leaves) &&
						is(filter, ev) {
						arrives("handled", &filters.Message{Event: ev, Type: "com.example.a",
							Data: `"a"`})
					}
				}
			}
			if !selected || !is(deny, event.Event{Op: at, Object: o}) {
				continue
			}
			if slices.Contains(m.Rules, "r") {
				arrives("violation", &filters.Message{Event: event.Event{Op: event.Update, Object: o},
					Rule: "r", Violated: true, Type: cloudevent.Violated})
				continue
			}
			for _, later := range objects {
				if slices.Contains(m.Ends, "r") && later.Namespace() == o.Namespace() {
					arrives("end", &filters.Message{Event: event.Event{Op: event.Update,
						Object: later}, Rule: "r", Type: cloudevent.Resolved})
				}
			}
		}
	}
	for _, filter := range []string{`label("team") == "a"`, ""} { // what leaves has another team
		check(t.Fatalf, compile(t, filters.KindSelect, `label("team") == "a"`),
			compile(t, filters.KindDeny, `object.f == "a"`),
			compile(t, filters.KindFilter, filter),
			compile(t, filters.KindWhen, `label("team") == "b"`))
	}
	for _, what := range []string{"add", "update", "delete", "violation", "handled"} {
		if found[what] == 0 {
			t.Errorf("nothing was found of which no %s arrives: %v", what, found)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		compiled := func(name string, kind filters.Kind, more ...string) *filters.Filter {
			if rapid.IntRange(0, 3).Draw(t, "has "+name) == 0 {
				return nil
			}
			text := expression(comparison(append(more, ofObject...)...)).Draw(t, name)
			f, err := filters.Compile(filters.Expression{Text: text, Kind: kind})
			if err != nil {
				return nil
			}
			return f
		}
		selects, deny := compiled("select", filters.KindSelect), compiled("deny", filters.KindDeny)
		filter := compiled("filter", filters.KindFilter, "old.f", "old.metadata.labels.team")
		when := compiled("when", filters.KindWhen, "namespace", "name", "old.f", "rule",
			"old", `changed("f")`, `became(object.f == "a")`)
		if when != nil && deny != nil {
			check(t.Fatalf, selects, deny, filter, when)
		}
	})
}

func TestTexts(t *testing.T) {
	all := []Missed{{Listener: "a", All: true}, {Listener: "b", Handled: true},
		{Listener: "c", All: true}, {Listener: "d", All: true}}
	want := []string{"a: anything", "b: " + WhatHandled, "c: anything", "d: anything"}
	if got := Texts(all, false); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	all = append(all, Missed{Listener: "e", All: true})
	want = append(want, "e: anything")
	if got := Texts(all, true); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	want = []string{"4 listeners (a, c, d …): anything", "b: " + WhatHandled}
	if got := Texts(all, false); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
