package author

import (
	"fmt"
	"io"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// placedEvent is an event and its place in a file.
type placedEvent struct {
	event.Event
	file string
	line int
}

// readEvents reads files of events; - is stdin.
func readEvents(paths []string, stdin io.Reader, parser *object.Parser) (all []placedEvent,
	err error) {
	for _, path := range paths {
		var data []byte
		if path == "-" {
			path = "stdin"
			data, err = readAll(stdin, path, config.MaxEvents)
		} else {
			data, err = readFile(path, config.MaxEvents)
		}
		if err != nil {
			return nil, fmt.Errorf("the events cannot be read: %w", err)
		}
		texts, err := config.ReadEvents(path, data)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			e, err := parseEvent(text, parser)
			if err != nil {
				return nil, config.Errors{{File: path, Line: text.Line, Message: err.Error()}}
			}
			all = append(all, placedEvent{e, path, text.Line})
		}
	}
	return all, nil
}

// parseEvent reads the objects of an event as an informer would.
func parseEvent(text config.EventText, parser *object.Parser) (e event.Event, err error) {
	e = event.Event{Op: text.Op, Initial: text.Initial, FinalStateUnknown: text.FinalStateUnknown,
		Missed: int32(text.Missed), Resumed: text.Resumed}
	if e.Object, err = parser.Parse(text.Object); err != nil {
		return e, fmt.Errorf("this is not a Kubernetes object: %w", err)
	}
	if text.Op == event.Update {
		if e.Old, err = parser.Parse(text.Old); err != nil {
			return e, fmt.Errorf("old is not a Kubernetes object: %w", err)
		}
	}
	return e, nil
}

// title returns a description of an event.
func title(e event.Event) string {
	words := e.Op.String() + " " + e.Object.Kind() + " " + e.Object.Key().String()
	if e.Initial {
		words += ", initial"
	}
	if e.FinalStateUnknown {
		words += ", final state unknown"
	}
	if e.Missed > 0 {
		words += fmt.Sprintf(", %d missed", e.Missed)
	}
	if e.Resumed {
		words += ", resumed"
	}
	return wording.Printable(words)
}
