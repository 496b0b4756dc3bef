package route

import (
	"fmt"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// LetterFilter compiles a filter expression that is asked about the events of dead letters, of any
// kind. The function that it returns serves one goroutine at a time.
func LetterFilter(text string) (func(*deadletter.Letter) (bool, error), error) {
	f, err := filters.Compile(filters.Expression{Text: text, Kind: filters.KindFilter})
	if err != nil {
		return nil, err
	}
	evaluator := f.Evaluator()
	// What the informer has changed in the objects is changed already.
	parser := &object.Parser{KeepManagedFields: true, KeepSecretData: true}
	return func(l *deadletter.Letter) (bool, error) {
		e, err := LetterEvent(l, parser)
		if err != nil {
			return false, err
		}
		return evaluator.Match(e)
	}, nil
}

// LetterEvent returns the event that a letter is about. A report that time caused, of no event, is
// one of the object as it was.
func LetterEvent(l *deadletter.Letter, parser *object.Parser) (e event.Event, err error) {
	e = event.Event{Op: event.Resync, Initial: l.Initial, FinalStateUnknown: l.FinalStateUnknown,
		Missed: int32(l.Missed), Resumed: l.Resumed}
	if l.Op != "" {
		if e.Op, err = event.ParseOp(l.Op); err != nil {
			return e, err
		}
	}
	if e.Object, err = parser.Parse(l.Object); err != nil {
		return e, fmt.Errorf("the letter's object cannot be read: %w", err)
	}
	if e.Op == event.Update && len(l.Old) > 0 {
		if e.Old, err = parser.Parse(l.Old); err != nil {
			return e, fmt.Errorf("the letter's old object cannot be read: %w", err)
		}
	}
	return e, nil
}
