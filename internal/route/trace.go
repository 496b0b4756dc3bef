package route

import (
	"time"

	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer"
)

// What a trace says that has become of an event.
const (
	outcomePassed   = "passed" // to the outputs
	outcomeFiltered = "filtered"
	outcomeDropped  = "dropped" // by the handler
	outcomeFailed   = "failed"  // and is tried again, or a dead letter
)

// begin begins the trace of an event, nil if it is not traced. began is only known if it is.
func (w *worker) begin(d *informer.Delivery) (began time.Time, trace *tracing.Trace) {
	r := w.route
	if d.Recalled {
		return began, nil
	}
	trace = r.tracer.Begin(r.name, r.resource, &d.Event, r.recent.Begin(&d.Event))
	if trace != nil {
		began = time.Now()
	}
	return began, trace
}

// Receivers returns the names of the outputs that get the reports of rules, by their numbers as
// receivers; "" is not one. There are none before Use.
func (r *Route) Receivers() []string {
	if p := r.pipeline.Load(); p != nil {
		return p.receivers
	}
	return nil
}

// Recent returns what keeps the listener's last events while somebody looks at them.
func (r *Route) Recent() *tracing.Recorder { return &r.recent }
