package route

import (
	"context"
	"errors"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// Pipeline is what becomes of a listener's events. Nobody changes it once a Route has it.
type Pipeline struct {
	Select *filters.Filter // nil: every object is selected
	// Before is the select of an earlier pipeline of the route, if that was another one: it says
	// which objects the listener has, until each has come once more. The subscription has to be
	// scanned again. From then on, what is selected is remembered.
	Before *Selection
	// On are the events that go on to the filter, once Select has decided what they are to the
	// listener; 0: all.
	On     event.OpSet
	Filter *filters.Filter // nil: every event matches
	// OnError is what becomes of an event on which the filter fails: "skip" or "pass"; else it is a
	// dead letter.
	OnError string
	Rules   *rules.Book // of the selected objects; nil: there are none
	// RuleSet are to be the rules of the book, whose receivers are to be the outputs: see Book.Use.
	// Nil: the book is right.
	RuleSet []*rules.Rule
	Quiet   bool             // only what rules report goes out, no events
	Own     Own              // which events the listener's outputs have caused; nil: none
	Handler *plugins.Handler // nil: events go to the outputs as they are
	// Batch is the most events that a handler which takes several gets at once; 0 means 1.
	Batch    int
	Caches   filters.Caches // what expressions look up of other informers; may be nil
	Messages *cloudevent.Builder
	Outputs  []Output

	// moving: the select's answer may change although the object does not.
	moving       bool
	destinations []*destination    // to Outputs, in their order
	makers       []*delivery.Maker // for each of them
	// receivers are their names as receivers of the rules' reports, by number; "" is not one.
	receivers []string
	// newGuest and batches are Handler's, or others in tests. newGuest is nil without a handler.
	newGuest func(context.Context) (guest, error)
	batches  func() bool
}

// Selection is a select that was used before.
type Selection struct {
	Select *filters.Filter // nil: every object was selected
}

// Own knows the changes that a listener's own outputs have made.
type Own interface {
	// Own reports whether an event, as the informer has it, is such a change. It may wait a little,
	// but not when ctx is done.
	Own(ctx context.Context, e *event.Event) bool
}

// Output is an output as a listener uses it.
type Output struct {
	To *delivery.Output
	// When selects the output's messages, nil: all. Data makes their data, nil: it stays.
	When, Data *filters.Filter
	// ReportsOnly: the output gets what rules report, and no events.
	ReportsOnly bool
}

// remembers reports whether it matters which objects were selected.
func (p *Pipeline) remembers() bool { return p.Select != nil || p.Before != nil }

// completed returns a copy of the pipeline, ready for workers.
func (p *Pipeline) completed() (*Pipeline, error) {
	if p.Messages == nil {
		return nil, errors.New("the pipeline has no Messages")
	}
	for _, out := range p.Outputs {
		if out.To == nil {
			return nil, errors.New("an output of the pipeline is nowhere")
		}
	}
	own := *p
	own.moving = p.Select.LooksAround()
	if own.newGuest == nil && p.Handler != nil {
		own.newGuest = func(ctx context.Context) (guest, error) {
			g, err := p.Handler.NewInstance(ctx)
			if err != nil {
				return nil, err // and not a guest that is a nil pointer
			}
			return g, nil
		}
		own.batches = p.Handler.Batches
	}
	return &own, nil
}
