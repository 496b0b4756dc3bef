package admin

import (
	"context"
	"errors"
	"iter"

	"github.com/informerd/informerd/internal/deadletter"
)

var (
	// ErrNeedsDaemon is returned by Replay without a daemon.
	ErrNeedsDaemon = errors.New(
		"no informerd runs with this configuration, and a replay needs one: its listeners and outputs take the letters")
	errNothingSelected = errors.New("no letters were selected")
	errNoFilter        = errors.New("filters are not available here")
)

// Local is the letters of a store in this process.
type Local struct {
	Store  *deadletter.Store
	Filter filter
}

// List implements DeadLetters.
func (l *Local) List(ctx context.Context, s Selection) iter.Seq2[deadletter.Letter, error] {
	return func(yield func(deadletter.Letter, error) bool) {
		match, err := l.compile(s.Filter)
		if err != nil {
			yield(deadletter.Letter{}, err)
			return
		}
		q, left := s.Query, s.Limit
		if len(q.IDs) == 0 { // as no arguments of a command
			q.IDs = nil
		}
		if match != nil {
			q.Limit, q.Heads = 0, false
		}
		for letter, err := range l.Store.List(ctx, q) {
			if err == nil && match != nil {
				var selected bool
				if selected, err = match(&letter); err == nil && !selected {
					continue
				}
			}
			if err != nil && letter.ID != "" {
				err = &LetterError{letter.ID, err.Error()}
			}
			if s.Heads {
				letter.Object, letter.Old, letter.Message = nil, nil, nil
			}
			if !yield(letter, err) {
				return
			}
			if left--; match != nil && left == 0 {
				return
			}
		}
	}
}

func (l *Local) compile(filter string) (func(*deadletter.Letter) (bool, error), error) {
	switch {
	case filter == "":
		return nil, nil
	case l.Filter == nil:
		return nil, errNoFilter
	}
	return l.Filter(filter)
}

// selected returns the IDs of letters, with errors about single letters.
func (l *Local) selected(ctx context.Context, s Selection) (ids []string, wrong []error,
	err error) {
	if s.Empty() {
		return nil, nil, errNothingSelected
	}
	s.Heads, ids = true, []string{} // nil would select all
	for letter, err := range l.List(ctx, s) {
		switch {
		case errors.As(err, new(*LetterError)):
			if len(wrong) < maxWrong {
				wrong = append(wrong, err)
			}
		case err != nil:
			return nil, nil, err
		default:
			ids = append(ids, letter.ID)
		}
	}
	return ids, wrong, nil
}

// maxWrong is how many errors about single letters are reported together.
const maxWrong = 20

// Drop implements DeadLetters.
func (l *Local) Drop(ctx context.Context, s Selection) (int, error) {
	ids, wrong, err := l.selected(ctx, s)
	if err != nil {
		return 0, err
	}
	n, err := l.Store.Delete(ids...)
	return n, errors.Join(append(wrong, err)...)
}

// Replay implements DeadLetters.
func (l *Local) Replay(context.Context, Selection, []byte, func(Outcome)) error {
	return ErrNeedsDaemon
}
