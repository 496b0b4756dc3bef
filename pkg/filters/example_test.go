package filters_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func Example() {
	filter, err := filters.Compile(filters.Expression{
		Text:     `any(object.status.containerStatuses, .restartCount > 5) && changed("status.containerStatuses")`,
		File:     "config.yaml",
		Line:     17,
		Listener: "crash-loops",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var p object.Parser
	pod := func(restarts int) *object.Object {
		o, err := p.Parse(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1"},`+
				`"status":{"containerStatuses":[{"name":"web","restartCount":%d}]}}`, restarts))
		if err != nil {
			fmt.Println(err)
		}
		return o
	}
	evaluator := filter.Evaluator()
	for _, ev := range []event.Event{
		{Op: event.Update, Old: pod(4), Object: pod(5)},
		{Op: event.Update, Old: pod(5), Object: pod(6)},
		{Op: event.Update, Old: pod(6), Object: pod(6)},
		{Op: event.Delete, Object: pod(6)},
	} {
		fmt.Println(evaluator.Match(ev))
	}
	// Output:
	// false <nil>
	// true <nil>
	// false <nil>
	// false <nil>
}

func ExampleCompile_error() {
	_, err := filters.Compile(filters.Expression{
		Text: "op == \"update\" &&\n  any(obejct.status.containerStatuses, .ready)",
		File: "config.yaml", Line: 17, Listener: "crash-loops",
	})
	fmt.Println(err)
	// Output:
	// config.yaml:18:7: listener "crash-loops": unknown name "obejct"; did you mean "object"?
	//     any(obejct.status.containerStatuses, .ready)
	//         ^
}

// One Filter serves many workers at once, each with its own Evaluator.
func TestEvaluatorsShareAFilter(t *testing.T) {
	filter, err := filters.Compile(
		filters.Expression{Text: `any(object.items, .n matches "^4" && changed("items")) || object.n matches string(object.n)`})
	if err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			var p object.Parser
			e := filter.Evaluator()
			for i := range 200 {
				n := (worker + i) % 10
				o, err := p.Parse(
					fmt.Appendf(nil,
						`{"apiVersion":"v1","kind":"X","metadata":{"name":"x"},"items":[{"n":"%d"}]}`, n))
				if err != nil {
					t.Error(err)
					return
				}
				old, err := p.Parse(
					[]byte(`{"apiVersion":"v1","kind":"X","metadata":{"name":"x"}}`))
				if err != nil {
					t.Error(err)
					return
				}
				ok, err := e.Match(event.Event{Op: event.Update, Object: o, Old: old})
				if ok != (n == 4) || err != nil {
					t.Errorf("%d: %v, %v", n, ok, err)
				}
			}
		})
	}
	workers.Wait()
}

func ExampleEvaluator_JSONOf() {
	f, err := filters.Compile(filters.Expression{
		Text: `{"text": severity + ": " + message, "link": "https://example.com/" + name}`,
		Kind: filters.KindData,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	pod, err := p.Parse([]byte(`{"metadata":{"name":"web-1","namespace":"shop"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Evaluator().JSONOf(&filters.Message{
		Event: event.Event{Op: event.Add, Object: pod}, Name: pod.Name(),
		Rule: "memory-limit", Severity: "high", Message: "no memory limit", Violated: true,
	}))
	// Output: {"link":"https://example.com/web-1","text":"high: no memory limit"} <nil>
}
