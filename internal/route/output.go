package route

import (
	"fmt"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
)

// outputStage is a worker's evaluators for one output.
type outputStage struct {
	name       string
	reports    bool // and nothing else
	when, data *filters.Evaluator
	view       filters.Message // of the current message
}

func (o Output) stage() outputStage {
	s := outputStage{name: o.To.Name, reports: o.ReportsOnly}
	if o.When != nil {
		s.when = o.When.Evaluator()
	}
	if o.Data != nil {
		s.data = o.Data.Evaluator()
	}
	return s
}

// plain reports whether the output takes all messages as they are.
func (s *outputStage) plain() bool { return s.when == nil && s.data == nil }

// make returns a message as the output gets it, and whether the output wants it. With an error that
// is not known, or there is no data, and the output wants it.
func (s *outputStage) make(m sink.Message) (made sink.Message, wanted bool, err error) {
	delivery.View(&s.view, &m)
	defer func() { s.view = filters.Message{} }() // it refers to no objects
	if s.when != nil {
		wanted, err = s.when.MatchMessage(&s.view)
		if err != nil || !wanted {
			return m, err != nil, s.failed("when", err)
		}
	}
	if s.data != nil {
		text, err := s.data.JSONOf(&s.view)
		if err != nil {
			return m, true, s.failed("data", err)
		}
		m.Body, m.Data = sink.BodyData, text
	}
	return m, true, nil
}

func (s *outputStage) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("output %q: its %s failed: %w", s.name, what, err)
}
