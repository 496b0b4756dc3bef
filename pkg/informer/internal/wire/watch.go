package wire

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Watch is the stream of a watch that the server has begun to answer.
type Watch struct {
	body   io.ReadCloser
	in     stream
	parser *object.Parser
}

// NewWatch returns the watch whose answer is body. It calls idle before each read, which may block.
func NewWatch(body io.ReadCloser, parser *object.Parser, idle func()) *Watch {
	return &Watch{body: body, parser: parser, in: stream{r: body, lines: true, idle: idle}}
}

// Close ends the watch.
func (w *Watch) Close() {
	_ = w.body.Close() // nothing more can be learnt from it
}

// Next reads a frame. A frame without an object, or with one of another kind than the parser's, is
// passed to skip.
func (w *Watch) Next(skip func(error)) (frame object.WatchEvent, err error) {
	for {
		err := w.in.value(func(text []byte) (end int, err error) {
			frame, end, err = w.parser.ParseWatchEvent(text)
			return end, err
		})
		switch {
		case err != nil && isObjectError(err):
		case err == nil && frame.Object != nil && frame.Object.Kind() != w.parser.Kind:
			err = fmt.Errorf("expected a %s, got %.60q", w.parser.Kind, frame.Object.Kind())
		default:
			return frame, err
		}
		skip(err)
	}
}

func isObjectError(err error) bool {
	var refused *object.ObjectError
	return errors.As(err, &refused)
}

// ending is how a watch ended.
type ending int

const (
	// Unreadable is the end of a watch of which something came that cannot be read. Frames before
	// it may be damaged as well.
	Unreadable ending = iota
	// Ended is the end that the server, or the request's deadline, makes.
	Ended
	// Lost is the end of a watch whose connection was lost.
	Lost
)

// Ending returns how the watch ended, after Next has returned err. Whatever a connection's error is
// called, it says nothing against the frames before it.
func (w *Watch) Ending(err error) ending {
	switch read := w.in.err; {
	case read == nil || err != read && err != noEOF(read) || isDamaged(err):
		return Unreadable
	case err == io.EOF || errors.Is(err, context.DeadlineExceeded):
		return Ended
	default:
		return Lost
	}
}
