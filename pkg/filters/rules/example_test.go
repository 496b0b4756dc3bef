package rules_test

import (
	"fmt"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func Example() {
	rule, err := rules.Compile(rules.Definition{
		Name: "pending-too-long", Severity: "high", For: 10 * time.Minute,
		Deny: filters.Expression{Text: `object.status.phase == "Pending"`, Listener: "pods"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	book := rules.NewBook([]*rules.Rule{rule}, 1)
	evaluator := book.Evaluator(nil)

	var p object.Parser
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	see := func(after time.Duration, op event.Op, phase string) {
		pod, err := p.Parse(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1"},"status":{"phase":%q}}`,
			phase))
		if err != nil {
			fmt.Println(err)
			return
		}
		outcome := evaluator.Evaluate(event.Event{Op: op, Object: pod}, start.Add(after))
		fmt.Printf("%s %s:", after, phase)
		for _, t := range outcome.Transitions {
			fmt.Printf(" %s %s since %s", t.Rule.Name(), t.State, t.Since.Format(time.TimeOnly))
			book.Took(pod.Key(), t, 0, start.Add(after)) // else it is offered again
		}
		fmt.Println(" again", outcome.RecheckAfter)
	}
	see(0, event.Add, "Pending")
	see(4*time.Minute, event.Update, "Pending")
	see(10*time.Minute, event.Resync, "Pending") // the caller asks again, as RecheckAfter said
	see(11*time.Minute, event.Update, "Pending")
	fmt.Println(len(book.Open()), "open")
	see(12*time.Minute, event.Update, "Running")
	// Output:
	// 0s Pending: again 10m0s
	// 4m0s Pending: again 6m0s
	// 10m0s Pending: pending-too-long violated since 03:00:00 again 0s
	// 11m0s Pending: again 0s
	// 1 open
	// 12m0s Running: pending-too-long resolved since 03:00:00 again 0s
}
