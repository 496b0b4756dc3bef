package migrate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fieldselector "k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
)

// jqModels are filters of jq with what they return, by hand.
var jqModels = []struct {
	filter string
	result func(o map[string]any) any
	simple bool
}{
	{"", func(o map[string]any) any { return o }, true},
	{".", func(o map[string]any) any { return o }, true},
	{".metadata.labels", func(o map[string]any) any { return at(o, "metadata", "labels") }, true},
	{`.metadata.labels["a/b"]`, func(o map[string]any) any {
		return at(o, "metadata", "labels", "a/b")
	}, true},
	{`.metadata | .labels | ."a/b"`, func(o map[string]any) any {
		return at(o, "metadata", "labels", "a/b")
	}, true},
	{"[.spec.nodeName, .metadata.labels]", func(o map[string]any) any {
		return []any{at(o, "spec", "nodeName"), at(o, "metadata", "labels")}
	}, true},
	{`{node: .spec.nodeName, "l": .metadata.labels, spec}`, func(o map[string]any) any {
		return []any{at(o, "spec", "nodeName"), at(o, "metadata", "labels"), at(o, "spec")}
	}, true},
	{"{}", func(map[string]any) any { return nil }, true},
	{`.spec | {nodeName, x: [.nodeName]}`, func(o map[string]any) any {
		return at(o, "spec", "nodeName")
	}, true},
	{".metadata.labels | length", func(o map[string]any) any {
		l, _ := at(o, "metadata", "labels").(map[string]any)
		return len(l)
	}, false},
	{".spec.nodeName // 1", func(o map[string]any) any {
		return at(o, "spec", "nodeName")
	}, false},
	{".. | .x?", func(map[string]any) any { return nil }, false},
}

func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func drawState(t *rapid.T) map[string]any {
	l := map[string]any{}
	for _, key := range []string{"a/b", "c"} {
		if v := rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, key); v != "" {
			l[key] = v
		}
	}
	o := map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "x", "namespace": "shop", "labels": l,
			"annotations": map[string]any{
				"n": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "n")}},
		"spec": map[string]any{"nodeName": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "node")}}
	return o
}

// A hook is run for what shell-operator documents: its events, the objects at the start, and
// updates that change what its filter returns. A filter that is not simple lets every update pass.
func TestHookModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jq := rapid.SampledFrom(jqModels).Draw(t, "jq")
		b := map[string]any{"kind": "Pod", "jqFilter": jq.filter}
		wants := []string{"Added", "Modified", "Deleted"}
		if rapid.Bool().Draw(t, "events") {
			wants = slices.DeleteFunc(wants, func(string) bool {
				return rapid.Bool().Draw(t, "no")
			})
			as := rapid.SampledFrom([]string{"executeHookOnEvent", "watchEvent"}).Draw(t, "as")
			b[as] = wants
		}
		synchronized := rapid.Bool().Draw(t, "synchronized")
		if !synchronized {
			b["executeHookOnSynchronization"] = false
		}
		source, err := json.Marshal(map[string]any{"configVersion": "v1", "kubernetes": []any{b}})
		if err != nil {
			t.Fatal(err)
		}
		text, report, err := Convert(Options{}, Source{"hook.yaml", source})
		if err != nil {
			t.Fatal(err)
		}
		if len(wants) == 0 && !synchronized {
			if text != nil || !report.Has(Lost) {
				t.Fatalf("a snapshot has a listener: %s", text)
			}
			return
		}
		if !jq.simple && !report.Has(Lost) {
			t.Fatalf("the filter %s is not reported", jq.filter)
		}
		cfg, p := compiled(t, text)
		if jq.filter != "{}" { // it never changes, and that is a warning
			if w := warnings(cfg, p); len(w) > 0 {
				t.Fatalf("%v\n%s", w, text)
			}
		}
		state := drawState(t)
		check := func(e event.Event, want bool) {
			e.Object = parsed(t, state)
			if got := passes(t, p.Listeners[0], e, oneObject{}); got != want {
				t.Fatalf("%v of %v: %v, and not %v\n%s\n%s", e.Op, state, got, want, source, text)
			}
		}
		check(event.Event{Op: event.Add, Initial: true}, synchronized)
		check(event.Event{Op: event.Add}, slices.Contains(wants, "Added"))
		for range 3 {
			old := state
			state = drawState(t)
			differs := !reflect.DeepEqual(jq.result(old), jq.result(state)) || !jq.simple
			if jq.filter == "" || jq.filter == "." {
				differs = true // there is an update only if something has changed
			}
			check(event.Event{Op: event.Update, Old: parsed(t, old)},
				differs && slices.Contains(wants, "Modified"))
		}
		check(event.Event{Op: event.Delete}, slices.Contains(wants, "Deleted"))
	})
}

// Selectors of objects and of namespaces select the same.
func TestSelectorsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawSelector := func() *metav1.LabelSelector {
			s := &metav1.LabelSelector{}
			if rapid.Bool().Draw(t, "labels") {
				s.MatchLabels = map[string]string{
					"a/b": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "v")}
			}
			for range rapid.IntRange(0, 2).Draw(t, "expressions") {
				operators := []metav1.LabelSelectorOperator{"In", "NotIn", "Exists",
					"DoesNotExist"}
				e := metav1.LabelSelectorRequirement{
					Key:      rapid.SampledFrom([]string{"a/b", "c"}).Draw(t, "key"),
					Operator: rapid.SampledFrom(operators).Draw(t, "operator")}
				if e.Operator == "In" || e.Operator == "NotIn" {
					e.Values = rapid.SampledFrom([][]string{{"1"}, {"1", "2"}}).Draw(t, "values")
				}
				s.MatchExpressions = append(s.MatchExpressions, e)
			}
			return s
		}
		object, namespace := drawSelector(), drawSelector()
		names := rapid.SampledFrom([][]string{nil, {"x"}, {"x", "y"}, {"y", "z"}}).Draw(t, "names")
		b := map[string]any{"kind": "pods", "labelSelector": object,
			"nameSelector": map[string]any{"matchNames": names},
			"namespace":    map[string]any{"labelSelector": namespace}}
		source, err := json.Marshal(map[string]any{"configVersion": "v1", "kubernetes": []any{b}})
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := Convert(Options{}, Source{"hook.yaml", source})
		if err != nil {
			t.Fatal(err)
		}
		_, p := compiled(t, text)
		l := p.Listeners[0]
		inf := l.Config.Informer()
		byServer, err := labels.Parse(inf.LabelSelector)
		if err != nil {
			t.Fatal(err)
		}
		byField, err := fieldselector.ParseSelector(inf.FieldSelector)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := metav1.LabelSelectorAsSelector(object)
		if err != nil {
			t.Fatal(err)
		}
		namespaces, err := metav1.LabelSelectorAsSelector(namespace)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			state, around := drawState(t), drawState(t)
			of := labelsOf(state)
			want := objects.Matches(of) && namespaces.Matches(labelsOf(around)) &&
				(len(names) == 0 || slices.Contains(names, "x"))
			got := byServer.Matches(of) && byField.Matches(fieldselector.Set{"metadata.name": "x"})
			if l.Select != nil && got {
				e := l.Select.Evaluator()
				e.Caches = oneObject{"namespaces", "", "shop", parsed(t, around)}
				got, err = e.Match(event.Event{Op: event.Add, Object: parsed(t, state)})
				if err != nil {
					t.Fatal(err)
				}
			}
			if got != want {
				t.Fatalf("%v, and not %v: %v in %v\n%s\n%s", got, want, state, around, source,
					text)
			}
		}
	})
}

func labelsOf(o map[string]any) labels.Set {
	set := labels.Set{}
	for k, v := range at(o, "metadata", "labels").(map[string]any) {
		set[k] = fmt.Sprint(v)
	}
	return set
}
