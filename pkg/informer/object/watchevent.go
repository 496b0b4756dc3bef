package object

import (
	"errors"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// WatchEvent is one event of a watch stream.
type WatchEvent struct {
	Type string // ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, or another one
	// Object is set for ADDED, MODIFIED and DELETED.
	Object *Object
	// Text is a copy of the object's JSON for all other types, whose objects may have no name.
	Text string
}

// ParseWatchEvent reads the event {"type":…,"object":…} at the beginning of text and returns its
// end in text. Its object is in the stored form. If text ends before the event does, the error is
// ErrTruncated. An *ObjectError says that the event is complete but its object is malformed, so the
// caller may skip it.
func (p *Parser) ParseWatchEvent(text []byte) (w WatchEvent, end int, err error) {
	s := view(text)
	i := jsontext.SkipSpace(s, 0)
	if i >= len(s) || s[i] != '{' {
		return w, i, scan.Unexpected(s, i, "a watch frame")
	}
	objectStart, objectEnd := -1, -1
	var objectErr error
	c := scan.Scanner{IgnoreNames: true}
	i = jsontext.SkipSpace(s, i+1)
	for first := true; i >= len(s) || s[i] != '}'; first = false {
		if !first {
			if i >= len(s) || s[i] != ',' {
				return w, i, scan.Unexpected(s, i, "',' or '}'")
			}
			i = jsontext.SkipSpace(s, i+1)
		}
		nameEnd, value, _, err := c.MemberName(s, i)
		if err != nil {
			return w, nameEnd, err
		}
		switch name := s[i+1 : nameEnd-1]; name {
		case "object":
			objectStart = value
			i, objectErr = p.read(s, value)
			if objectErr != nil && !errors.Is(objectErr, scan.ErrTruncated) {
				i, err = c.Value(s, value, 1)
			} else {
				err = objectErr
			}
			objectEnd = i
		default:
			if i, err = c.Value(s, value, 1); err == nil && name == "type" && s[value] == '"' {
				w.Type = frameType(s[value+1 : i-1])
			}
		}
		if err != nil {
			return w, i, err
		}
		i = jsontext.SkipSpace(s, i)
	}
	i++
	if objectStart < 0 {
		return w, i, &ObjectError{errors.New("watch frame has no object")}
	}
	switch w.Type {
	case "ADDED", "MODIFIED", "DELETED":
		if objectErr == nil {
			w.Object, objectErr = p.build(objectStart, objectEnd, true)
		}
		if objectErr != nil {
			return w, i, &ObjectError{objectErr}
		}
		return w, i, nil
	default:
		w.Text = string(text[objectStart:objectEnd])
		return w, i, nil
	}
}

// frameType returns the type of an event. The known types take no memory.
func frameType(inner string) string {
	for _, known := range [...]string{"MODIFIED", "ADDED", "DELETED", "BOOKMARK", "ERROR"} {
		if inner == known {
			return known
		}
	}
	return strings.Clone(jsontext.Unescape(inner)) // with its own memory
}
