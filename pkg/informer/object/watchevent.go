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
	// Object is set for ADDED, MODIFIED and DELETED, unless that is Foreign: not one of the
	// parser's Own. Version is its resourceVersion.
	Object  *Object
	Foreign bool
	Version string
	// Text is a copy of the object's JSON for all other types, whose objects may have no name.
	Text string
}

// ParseWatchEvent reads the event {"type":…,"object":…} at the beginning of text and returns its
// end in text. Its object is in the stored form. If text ends before the event does, the error is
// ErrTruncated. An *ObjectError says that the event is complete but its object is malformed, so the
// caller may skip it.
func (p *Parser) ParseWatchEvent(text []byte) (w WatchEvent, end int, err error) {
	s := view(text)
	objectStart, objectEnd := -1, -1
	var objectErr error
	c := scan.Scanner{IgnoreNames: true}
	i, err := scanMembers(&c, s, jsontext.SkipSpace(s, 0), func(name string, value int) (i int,
		err error) {
		if name != "object" || objectStart >= 0 { // the first one, as in the metadata
			if i, err = c.Value(s, value, 1); err == nil && name == "type" && s[value] == '"' {
				w.Type = frameType(s[value+1 : i-1])
			}
			return i, err
		}
		objectStart = value
		if w.Version, w.Foreign = p.foreign(s, value); w.Foreign {
			if i = lineEnd(s, value); i > 0 && w.isChange() {
				return i, errEnough
			}
			i, err = c.Value(s, value, 1)
		} else if i, objectErr = p.read(s, value); errors.Is(objectErr, scan.ErrTruncated) {
			err = objectErr
		} else if objectErr != nil {
			i, err = c.Value(s, value, 1)
		}
		objectEnd = i
		return i, err
	})
	switch {
	case err == errEnough:
		return w, i, nil
	case err != nil:
		return w, i, err
	case objectStart < 0:
		return w, i, &ObjectError{errors.New("watch frame has no object")}
	case !w.isChange():
		w.Text, w.Version, w.Foreign = string(text[objectStart:objectEnd]), "", false
		return w, i, nil
	case w.Foreign:
		return w, i, nil
	case objectErr == nil:
		w.Object, objectErr = p.build(objectStart, objectEnd, true)
	}
	if objectErr != nil {
		return w, i, &ObjectError{objectErr}
	}
	w.Version = w.Object.ResourceVersion()
	return w, i, nil
}

// lineEnd returns the end of the line that place i is in if a watch frame ends there, 0 if it may not
// be one. API servers write each frame as a line, so that what is foreign need not be read to its
// end. What follows a closing brace within a frame is never an opening one. Nobody ends some frames
// with lines and others without.
func lineEnd(s string, i int) int {
	end := i + strings.IndexByte(s[i:], '\n')
	if end > i && s[end-1] == '}' && (end+1 == len(s) || s[end+1] == '{') {
		return end
	}
	return 0
}

// isChange reports whether the event is about one object's state.
func (w *WatchEvent) isChange() bool {
	return w.Type == "ADDED" || w.Type == "MODIFIED" || w.Type == "DELETED"
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
