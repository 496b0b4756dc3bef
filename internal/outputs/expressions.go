package outputs

import (
	"sync"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
)

// evaluating is an evaluator and the message that it looks at. It serves one goroutine at a time.
type evaluating struct {
	*filters.Evaluator
	message filters.Message
}

// evaluated returns a function that evaluates an expression for a message, nil without one.
func evaluated(f *filters.Filter, value func(*filters.Evaluator, *filters.Message) (string,
	error)) func(*sink.Message) (string, error) {
	if f == nil {
		return nil
	}
	pool := sync.Pool{New: func() any { return &evaluating{Evaluator: f.Evaluator()} }}
	return func(m *sink.Message) (string, error) {
		x := pool.Get().(*evaluating)
		delivery.View(&x.message, m)
		text, err := value(x.Evaluator, &x.message)
		x.message = filters.Message{} // refer to no object
		pool.Put(x)
		return text, err
	}
}

// textOf returns a function that returns the text of an expression, nil without one.
func textOf(f *filters.Filter) func(*sink.Message) (string, error) {
	return evaluated(f, (*filters.Evaluator).TextOf)
}

// jsonOf returns a function that returns the value of an expression as JSON, nil without one.
func jsonOf(f *filters.Filter) func(*sink.Message) (string, error) {
	return evaluated(f, (*filters.Evaluator).JSONOf)
}
