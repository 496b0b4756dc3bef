package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// longText is how many lines a text may have whose end is found easily: a screen.
const longText = 40

// Write writes the text. If it is long, what becomes of the event comes first.
func (a *Answer) Write(w io.Writer) error {
	text, err := a.lines()
	if err != nil {
		return err
	}
	short := ""
	if bytes.Count(text, []byte("\n")) > longText {
		short = "In short:\n  " + strings.Join(a.Verdicts, "\n  ") + "\n"
	}
	_, err = fmt.Fprintf(w, "%s\n%s%s", a.head(), short, text)
	return err
}

// WriteBelow writes the text below summaries, which have what becomes of the event. It leaves out
// notes that are noted already of the object, and adds the others to these.
func (a *Answer) WriteBelow(w io.Writer, noted map[string]bool) error {
	a.text = slices.DeleteFunc(a.text, func(e entry) bool {
		key := a.objectKey() + "\n" + e.line
		before := noted[key]
		noted[key] = true
		return before && strings.HasPrefix(e.line, notePrefix)
	})
	text, err := a.lines()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n%s", a.head(), text)
	return err
}

func (a *Answer) head() string {
	return fmt.Sprintf("listener %s, %s of %s %q", a.Listener, a.Op, a.Object.Kind, a.Object.Key())
}

func (a *Answer) lines() ([]byte, error) {
	var b bytes.Buffer
	for _, e := range a.text {
		if e.tree == nil {
			fmt.Fprintln(&b, e.line)
		} else if err := e.tree.Write(&b); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Summary returns one line, with the listener's name if it is one of several.
func (a *Answer) Summary(several bool) string {
	name := ""
	if several {
		name = a.Listener + ": "
	}
	return fmt.Sprintf("%s%s %q: %s\n", name, a.Object.Kind, a.Object.Key(), a.verdict())
}

func (a *Answer) verdict() string { return strings.Join(a.Verdicts, "; ") }

// WriteJSON writes one object, on one line.
func (a *Answer) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(a)
}
