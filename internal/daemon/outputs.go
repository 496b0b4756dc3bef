package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/delivery"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
)

// output is the sink of one output. The listeners that use it share it.
type output struct {
	name        string
	digest      string
	*opened          // nil until it is opened
	reportsOnly bool // it takes what rules report, and nothing else
	when, data  *filters.Filter
}

// opened is an output that is open. It is closed when nobody uses it any more.
type opened struct {
	sink  sink.Sink
	to    *delivery.Output // of sink
	users atomic.Int32     // the plan that runs, and setups of listeners
}

// route returns the output as a route has it.
func (o *output) route() route.Output {
	r := route.Output{When: o.when, Data: o.data, ReportsOnly: o.reportsOnly}
	if o.opened != nil {
		r.To = o.to
	}
	return r
}

// hold notes one more user of an output.
func (o *opened) hold() { o.users.Add(1) }

// letGo notes one less, and reports whether nobody is left.
func (o *opened) letGo() bool { return o.users.Add(-1) == 0 }

// close closes the sink once the writes under way have ended, or ctx is done.
func (o *opened) close(ctx context.Context) error {
	return errors.Join(o.to.Retire(ctx), o.sink.Close(ctx))
}

// outputs are those of a plan, by name.
type outputs map[string]*output

// newOutputs returns the outputs of a plan, without opening them. Those that the ones before have
// in the same way are the same.
func newOutputs(p *plan.Plan, before outputs) outputs {
	all := outputs{}
	for name, planned := range p.Outputs {
		o := &output{name: name, digest: p.Digests.Outputs[name], when: planned.When,
			data: planned.Data, reportsOnly: planned.Config.Alertmanager != nil}
		if was := before[name]; was != nil && was.digest == o.digest {
			o.opened = was.opened
		}
		all[name] = o
	}
	return all
}

// check returns what is wrong with the secrets and files that the outputs name.
func (o outputs) check(cfg *config.Config) (mistakes config.Errors) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		mistakes = append(mistakes, sinks.Check(cfg, cfg.Outputs[name])...)
	}
	return mistakes
}

// open makes the sinks that are not there yet. With mistakes it makes none.
func (o outputs) open(ctx context.Context, p *plan.Plan, r *runtime) error {
	made := outputs{}
	var mistakes config.Errors
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if o[name].opened != nil {
			continue
		}
		planned := p.Outputs[name]
		s, err := r.maker.New(p.Config, planned.Config, sinks.Expressions{Subject: planned.Subject,
			Patch: planned.Patch, Text: planned.Text, Labels: planned.Labels})
		if err != nil {
			mistakes = append(mistakes, p.Config.ErrorAt(planned.Field,
				fmt.Sprintf("%s: %v", planned.Field, err), ""))
			continue
		}
		o[name].opened = &opened{sink: s, to: delivery.NewOutput(name, s, r.log)}
		made[name] = o[name]
	}
	if len(mistakes) == 0 {
		return nil
	}
	return errors.Join(plan.NotLoaded(p.Config, mistakes), made.close(ctx))
}

// without returns the outputs whose sinks others do not have.
func (o outputs) without(others outputs) outputs {
	rest := outputs{}
	for name, out := range o {
		if other := others[name]; other == nil || other.opened != out.opened {
			rest[name] = out
		}
	}
	return rest
}

// hold notes that the plan with the outputs runs, in the place of others.
func (o outputs) hold(before outputs) {
	for name, out := range o {
		out.hold()
		if was := before[name]; was != nil && was.opened != out.opened {
			out.to.Replaces(was.to)
		}
	}
}

// close closes the sinks, to which nobody writes any more.
func (o outputs) close(ctx context.Context) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if out := o[name].opened; out != nil {
			if err := out.sink.Close(ctx); err != nil {
				errs = append(errs, fmt.Errorf("output %q: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}
