package admin

import (
	"context"
	"errors"
	"iter"
	"slices"

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
		q, left := s.query(), s.Limit
		if match != nil {
			q.Limit = 0
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
	s.Heads = true
	for letter, err := range l.List(ctx, s) {
		var one *LetterError
		switch {
		case errors.As(err, &one):
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
	n := 0
	for some := range slices.Chunk(ids, chunk) {
		dropped, err := l.Store.Delete(some...)
		if err != nil {
			return n, err
		}
		n += dropped
	}
	return n, errors.Join(wrong...)
}

// chunk is how many letters are removed or looked up at once.
const chunk = 1000

// Replay implements DeadLetters.
func (l *Local) Replay(context.Context, Selection, []byte, func(Outcome)) error {
	return ErrNeedsDaemon
}

// snapshot iterates over those letters that were there when it began, since a replay may put them
// back.
func (l *Local) snapshot(ctx context.Context, ids []string) iter.Seq2[deadletter.Letter, error] {
	return func(yield func(deadletter.Letter, error) bool) {
		for some := range slices.Chunk(ids, chunk) {
			for letter, err := range l.Store.List(ctx, deadletter.Query{IDs: some}) {
				if !yield(letter, err) {
					return
				}
			}
		}
	}
}
