package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/wording"
)

// Lines is where a daemon writes its events, each one JSON value in a line, and passes them on as
// people read them. It is for one writer at a time.
type eventLines struct {
	To io.Writer
	// YAML: the whole event as a document instead of a line.
	YAML bool
	// Color: ops are colored.
	Color bool
	// Resources: the objects of several resources are written, so lines name the resource.
	Resources bool
	// Zone is the time zone of times; nil is that of the machine.
	Zone *time.Location

	rest []byte // of a line that has not ended
}

// Write implements io.Writer.
func (l *eventLines) Write(text []byte) (int, error) {
	l.rest = append(l.rest, text...)
	whole := l.rest[:bytes.LastIndexByte(l.rest, '\n')+1]
	var out []byte
	for line := range bytes.Lines(whole) {
		if line = line[:len(line)-1]; len(line) > 0 {
			out = append(out, l.line(line)...)
		}
	}
	l.rest = append(l.rest[:0], l.rest[len(whole):]...)
	if len(out) == 0 {
		return len(text), nil
	}
	if _, err := l.To.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// cloudEvent is what a line needs of an event.
type cloudEvent struct {
	Time     time.Time `json:"time"`
	Op       string    `json:"op"`
	Type     string    `json:"type"`
	Subject  string    `json:"subject"`
	Initial  bool      `json:"initial"`
	Unseen   bool      `json:"finalstateunknown"`
	Missed   int       `json:"missed"`
	Rule     string    `json:"rule"`
	Severity string    `json:"severity"`
	Data     struct {
		Object  any    `json:"object"`
		Old     any    `json:"old"`
		Message string `json:"message"`
	} `json:"data"`
}

func (l *eventLines) line(text []byte) []byte {
	if l.YAML {
		if written, err := document.FromJSON(text); err == nil {
			return append([]byte("---\n"), written...)
		}
		return append(text, '\n')
	}
	var e cloudEvent
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&e); err != nil {
		return append(text, '\n')
	}
	return []byte(l.shortLine(&e))
}

// colors are those of SGR, by op.
var opColors = map[string]string{"add": "32", "update": "33", "delete": "31", "resync": "36",
	"violated": "1;31", "resolved": "1;32"}

// op returns an event's op or, of what a rule reports, violated or resolved.
func eventOp(e *cloudEvent) string {
	if e.Rule != "" {
		return e.Type[strings.LastIndexByte(e.Type, '.')+1:]
	}
	return e.Op
}

func (l *eventLines) shortLine(e *cloudEvent) string {
	painted := fmt.Sprintf("%-8s", wording.Printable(eventOp(e)))
	if color := opColors[eventOp(e)]; l.Color && color != "" {
		painted = "\x1b[" + color + "m" + painted + "\x1b[0m"
	}
	line := e.Time.In(cmp.Or(l.Zone, time.Local)).Format(time.TimeOnly) + " " + painted + " " +
		l.object(e.Subject)
	if eventText := eventText(e); eventText != "" {
		line += "  " + eventText
	}
	return line + "\n"
}

// object returns the namespace and name of an event's object.
func (l *eventLines) object(subject string) string {
	_, name, found := strings.Cut(subject, "/")
	if !found || l.Resources {
		name = subject
	}
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return wording.Printable(name)
}

// what returns what has happened to the object.
func eventText(e *cloudEvent) string {
	if e.Rule != "" {
		text := wording.Printable(e.Rule)
		if e.Severity != "" {
			text += " (" + wording.Printable(e.Severity) + ")"
		}
		if e.Data.Message != "" && e.Data.Message != e.Rule && eventOp(e) == "violated" {
			text += ": " + wording.Printable(e.Data.Message)
		}
		return text
	}
	var parts []string
	if e.Op == "update" {
		parts = append(parts, differenceText(e.Data.Old, e.Data.Object))
	}
	if e.Initial {
		parts = append(parts, "(existed before)")
	}
	if e.Unseen {
		parts = append(parts, "(the delete itself was not seen)")
	}
	if e.Missed > 0 {
		parts = append(parts, fmt.Sprintf("(%d more in between)", e.Missed))
	}
	return strings.Join(parts, " ")
}

// differences returns what differs, as far as a line has room.
func differenceText(old, new any) string {
	all := compareValues(nil, "", old, new)
	if len(all) == 0 {
		return "nothing but metadata.resourceVersion"
	}
	var texts []string
	for _, c := range all[:min(len(all), maxChanges)] {
		texts = append(texts, c.String())
	}
	text := strings.Join(texts, ", ")
	if more := len(all) - maxChanges; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
