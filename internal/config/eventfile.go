package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

// MaxEvents is the largest text of events that is read, in bytes, as JSON; as YAML it may have
// maxYAMLEvents.
const (
	MaxEvents     = 64 << 20
	maxYAMLEvents = 16 << 20
)

// EventText is an event as a file has it.
type EventText struct {
	// Op is add, update, delete or resync. Default: update if there is an old object, else add.
	Op event.Op `json:"op"`
	// Object is the event's object. Required.
	Object json.RawMessage `json:"object"`
	// Old is the object before an update, which has one; no other event has.
	Old json.RawMessage `json:"old"`
	// Initial is true for an event of the first list.
	Initial bool `json:"initial"`
	// FinalStateUnknown is true for a delete that was missed itself.
	FinalStateUnknown bool `json:"finalStateUnknown"`
	// Missed is how many events of the object were missed before.
	Missed int `json:"missed"`
	// Resumed is true for what happened while informerd was away or could not watch.
	Resumed bool `json:"resumed"`

	Line int `json:"-"` // where it begins
}

// ReadEvents reads a text of one or more documents, YAML or JSON, JSON lines among it. A document
// is an event with the fields of EventText, or an object, which is taken as its add, or a list of
// objects. File is for errors, which are an Errors.
func ReadEvents(file string, data []byte) ([]EventText, error) {
	if len(data) > MaxEvents {
		return nil, Errors{{File: file, Message: fmt.Sprintf("the events have more than %d bytes",
			MaxEvents)}}
	}
	if err := document.CheckCharacters(file, data); err != nil {
		return nil, Errors{*err}
	}
	read := yamlEvents
	if isJSON(file, data) {
		read = jsonEvents
	}
	events, err := read(file, data)
	if err == nil && len(events) == 0 {
		return nil, Errors{{File: file, Message: "there is no event in it"}}
	}
	return events, err
}

// isJSON reports whether a text must be read as JSON. Many YAML texts begin with a brace, too.
func isJSON(file string, data []byte) bool {
	switch filepath.Ext(file) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) &&
		json.NewDecoder(bytes.NewReader(data)).Decode(new(json.RawMessage)) == nil
}

func jsonEvents(file string, data []byte) (events []EventText, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	line, counted := 1, 0
	for {
		start := int(decoder.InputOffset())
		start += len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t\r\n"))
		line, counted = line+bytes.Count(data[counted:start], []byte("\n")), start
		var text json.RawMessage
		err := decoder.Decode(&text)
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			e := Error{File: file, Line: line, Message: "not JSON: " + err.Error()}
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				e.Line, e.Column = document.LineColumn(data, int(syntax.Offset)-1)
			}
			return nil, Errors{e}
		}
		more, wrong := eventsOf(text)
		if wrong != nil {
			return nil, Errors{{File: file, Line: line, Message: wrong.Error()}}
		}
		for i := range more {
			more[i].Line = line
		}
		events = append(events, more...)
	}
}

func yamlEvents(file string, data []byte) (events []EventText, err error) {
	if len(data) > maxYAMLEvents {
		return nil, Errors{{File: file,
			Message: fmt.Sprintf("the events have more than %d bytes of YAML, and may have %d of JSON",
				maxYAMLEvents, MaxEvents)}}
	}
	err = document.Stream(eventFile, file, data, func(part document.Part) error {
		more, wrong, err := eventsIn(part)
		if err != nil {
			return err
		}
		if wrong != nil {
			return Errors{{File: file, Line: part.Place.Line, Column: part.Place.Column,
				Message: wrong.Error()}}
		}
		for i := range more {
			more[i].Line = part.Place.Line
		}
		events = append(events, more...)
		return nil
	})
	return events, err
}

// eventsIn decodes one document. An event is decoded by its fields, so that mistakes have their
// places: they are in err, an Errors. A mistake about the whole document is in wrong.
func eventsIn(part document.Part) (events []EventText, wrong, err error) {
	if part.HasMember("object") && !part.HasMember("kind") {
		var e EventText
		if err := part.Decode(&e); err != nil {
			return nil, nil, err
		}
		events, wrong = oneEvent(e)
		return events, wrong, nil
	}
	text, err := part.JSON()
	if err != nil {
		return nil, nil, err
	}
	events, wrong = eventsOf(text)
	return events, wrong, nil
}

// eventsOf reads one document of JSON.
func eventsOf(text []byte) (events []EventText, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, errors.New("this is neither an object nor an event: it must be a mapping")
	}
	_, object := fields["object"]
	_, kind := fields["kind"]
	var items []json.RawMessage
	switch {
	case kind && json.Unmarshal(fields["items"], &items) == nil && items != nil:
		for _, object := range items {
			events = append(events, EventText{Op: event.Add, Object: object})
		}
		return events, nil
	case kind:
		return []EventText{{Op: event.Add, Object: text}}, nil
	case !object:
		return nil, errors.New(
			"this is neither an object, which has apiVersion and kind, nor an event, which has op and object")
	}
	var e struct {
		EventText
		Op string `json:"op"` // in place of that of EventText
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return nil, errors.New("the event: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if e.Op != "" {
		op, err := event.ParseOp(e.Op)
		if err != nil {
			return nil, fmt.Errorf("op must be add, update, delete or resync, is %s",
				document.Quote(e.Op))
		}
		e.EventText.Op = op
	}
	return oneEvent(e.EventText)
}

// oneEvent checks an event and fills in its op.
func oneEvent(e EventText) ([]EventText, error) {
	err := e.Complete(len(e.Old) > 0 && string(e.Old) != "null")
	return []EventText{e}, err
}

// Complete fills in the op. The error is about fields that contradict each other.
func (e *EventText) Complete(old bool) error {
	if e.Op == 0 {
		e.Op = event.Add
		if old {
			e.Op = event.Update
		}
	}
	switch {
	case e.Op == event.Update && !old:
		return errors.New("op is update, but there is no old object: add old, the object before")
	case e.Op != event.Update && old:
		return fmt.Errorf("op is %s, but there is an old object, which only an update has", e.Op)
	case e.Op != event.Delete && e.FinalStateUnknown:
		return fmt.Errorf("op is %s, but finalStateUnknown is for a delete only", e.Op)
	case e.Missed < 0:
		return fmt.Errorf("missed must not be negative, is %d", e.Missed)
	}
	return nil
}
