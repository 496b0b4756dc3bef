package object

import (
	"errors"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// WatchEvent is one frame of a watch stream.
type WatchEvent struct {
	Type string // ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, or what the server made of it
	// Object is set for ADDED, MODIFIED and DELETED.
	Object *Object
	// Text is a copy of the object's JSON for all other types, which carry something that has no
	// name.
	Text string
}

// ParseWatchEvent reads the frame {"type":…,"object":…} at the beginning of text and gives the
// offset behind it. If the text ends before the frame does, the error is an ErrTruncated. With an
// *ObjectError, the frame itself is whole and end is behind it, so that a reader may pass over an
// object that is none. Objects are in their stored form.
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

// frameType gives the type of a frame; those there are cost no memory.
func frameType(inner string) string {
	for _, known := range [...]string{"MODIFIED", "ADDED", "DELETED", "BOOKMARK", "ERROR"} {
		if inner == known {
			return known
		}
	}
	return unescapedCopy(inner)
}
