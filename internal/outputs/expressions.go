package outputs

import (
	"sync"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
)

// evaluators are evaluators of one expression, of which each serves one goroutine at a time.
type evaluators struct{ pool sync.Pool }

// evaluating is an evaluator and the message that it looks at.
type evaluating struct {
	*filters.Evaluator
	message filters.Message
}

func newEvaluators(f *filters.Filter) *evaluators {
	return &evaluators{sync.Pool{New: func() any { return &evaluating{Evaluator: f.Evaluator()} }}}
}

// run evaluates the expression for a message.
func (e *evaluators) run(m *sink.Message,
	value func(*filters.Evaluator, *filters.Message) (string, error)) (string, error) {
	x := e.pool.Get().(*evaluating)
	delivery.View(&x.message, m)
	text, err := value(x.Evaluator, &x.message)
	x.message = filters.Message{} // refer to no object
	e.pool.Put(x)
	return text, err
}

// textOf returns a function that returns the text of an expression, nil without one.
func textOf(f *filters.Filter) func(*sink.Message) (string, error) {
	if f == nil {
		return nil
	}
	e := newEvaluators(f)
	return func(m *sink.Message) (string, error) {
		return e.run(m, (*filters.Evaluator).TextOf)
	}
}

// jsonOf returns a function that returns the value of an expression as JSON, nil without one.
func jsonOf(f *filters.Filter) func(*sink.Message) (string, error) {
	if f == nil {
		return nil
	}
	e := newEvaluators(f)
	return func(m *sink.Message) (string, error) {
		return e.run(m, (*filters.Evaluator).JSONOf)
	}
}
