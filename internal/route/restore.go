package route

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
)

// Restore puts back what a route of the listener had before a restart. Call it after the first Use,
// whose pipeline has the book that was made of [Saved.Rules], and before Run or Cut. What was
// unsent for outputs that the pipeline does not have becomes dead letters, as if the output had
// been removed while the route ran. The state must not be used afterwards.
func (r *Route) Restore(s *Saved) error {
	p := r.pipeline.Load()
	if p == nil {
		return fmt.Errorf("route %q has no pipeline", r.name)
	}
	if err := r.outboxes.restore(r, p, s); err != nil {
		return fmt.Errorf("route %q: %w", r.name, err)
	}
	r.cutting.book, r.cutting.rewound = s.rules != nil, s.rewound
	r.members.restore(s.members, p.remembers())
	return nil
}

// restore puts back what destinations had not sent. Of each output, those that were retired, and of
// removed outputs all, make dead letters of it before anything else is sent.
func (b *outboxes) restore(r *Route, p *Pipeline, s *Saved) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	present := map[string]uint64{}
	numbers := slices.Sorted(maps.Keys(s.destinations))
	for _, number := range numbers {
		if saved := s.destinations[number]; !saved.retired && b.byName[saved.output] != nil {
			present[saved.output] = number
		}
		b.number = max(b.number, number)
	}
	for _, number := range numbers {
		saved := s.destinations[number]
		var err error
		switch {
		case present[saved.output] == number:
			w, i := b.byName[saved.output], p.indexOf(saved.output)
			w.setNumber(number)
			w.cut = true
			if !s.rewound {
				w.restored.restore(saved.backlog, saved.restored)
			}
			err = w.Restore(saved.backlog, p.makers[i])
		case saved.backlog.Len() > 0:
			err = b.restoreRetired(r, p, number, saved)
		case b.keep:
			b.gone = append(b.gone, number)
		}
		if err != nil {
			return err
		}
	}
	for _, w := range p.destinations {
		if present[w.Name()] == 0 { // the number that it has may be another one's
			b.number++
			w.setNumber(b.number)
		}
	}
	return nil
}

// restoreRetired makes a destination that has dead letters made of what was unsent. The caller
// holds mu.
func (b *outboxes) restoreRetired(r *Route, p *Pipeline, number uint64,
	saved *savedDestination) error {
	w, err := b.open(r, p, delivery.NewOutput(saved.output, removed{}, r.log.Logger), noReceiver,
		r.retry.Load().policy())
	if err != nil {
		return err
	}
	w.setNumber(number)
	w.cut, w.cutRetired = true, saved.retired
	if err := w.Restore(saved.backlog, &delivery.Maker{Builder: p.Messages}); err != nil {
		return err
	}
	w.Retire()
	b.retire(w)
	if after := b.byName[saved.output]; after != nil {
		after.earlier = append(after.earlier, w)
	}
	return nil
}

// removed is the sink of an output that the listener does not use any more. Nothing is sent to it.
type removed struct{}

func (removed) Pace() sink.Pace             { return sink.Pace{} }
func (removed) Close(context.Context) error { return nil }

func (removed) Write(_ context.Context, messages []sink.Message) []error {
	return sink.AllFailed(len(messages), errors.New("the output is removed"))
}
