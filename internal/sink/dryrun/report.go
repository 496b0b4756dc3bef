package dryrun

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/informerd/informerd/internal/sink"
)

// Write is what an output would have sent or written.
type Write struct {
	Do      string            // as in POST, publish or append
	To      string            // the destination, without secrets
	Headers map[string]string // of a request or record, without secrets
	Body    []byte
}

// Show takes a write that is not made. Nil: writes are made.
type Show func(Write) error

// Hidden is shown in place of a secret.
const Hidden = "(hidden)"

// Host returns a URL without what may be secret in it.
func Host(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host}
	if u.Path == "" || u.Path == "/" {
		return shown.String()
	}
	return shown.String() + "/…"
}

// Report writes the lines of all outputs. It is safe for concurrent use.
type Report struct {
	To   io.Writer
	JSON bool

	mu sync.Mutex // held while a line is written
}

// line is a line as JSON.
type line struct {
	DryRun   bool              `json:"dryRun"` // always true
	Output   string            `json:"output"`
	Kind     string            `json:"kind"`
	Do       string            `json:"do"`
	To       string            `json:"to"`
	Listener string            `json:"listener"`
	Objects  []string          `json:"objects"`
	Headers  map[string]string `json:"headers,omitempty"`
	// Body is JSON as it is, and any other text as a string.
	Body json.RawMessage `json:"body,omitempty"`
}

// show writes the line of a write about messages of one listener.
func (r *Report) show(output, kind string, messages []sink.Message, w Write) error {
	l := line{DryRun: true, Output: output, Kind: kind, Do: w.Do, To: w.To, Headers: w.Headers}
	for i := range messages {
		m := &messages[i]
		l.Listener = m.Origin.Listener
		l.Objects = append(l.Objects, nameOf(m))
	}
	text, err := l.text(w.Body)
	if r.JSON {
		text, err = l.json(w.Body)
	}
	if err != nil {
		return fmt.Errorf("dry run: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.To, text+"\n"); err != nil {
		return fmt.Errorf("dry run: %w", err)
	}
	return nil
}

// nameOf returns the resource, the namespace and the name of a message's object.
func nameOf(m *sink.Message) string {
	parts := []string{m.Origin.Resource}
	if ns := m.Object.Namespace(); ns != "" {
		parts = append(parts, ns)
	}
	return strings.Join(append(parts, m.Object.Name()), "/")
}

func (l *line) json(body []byte) (string, error) {
	switch {
	case len(body) == 0:
	case json.Valid(body):
		l.Body = body
	default:
		l.Body, _ = json.Marshal(string(body)) // a string always has a JSON form
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(l)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// maxNamed is how many objects a line of text names.
const maxNamed = 3

func (l *line) text(body []byte) (string, error) {
	named := l.Objects
	more := ""
	if len(named) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(named)-maxNamed)
		named = named[:maxNamed]
	}
	var b strings.Builder
	do := l.Do
	if strings.ToUpper(do) != do { // the method of a request needs no word more
		do += " to"
	}
	fmt.Fprintf(&b, "would %s %s (output %s, %s) of listener %s about %s%s", do, l.To,
		l.Output, l.Kind, l.Listener, strings.Join(named, ", "), more)
	for _, name := range slices.Sorted(maps.Keys(l.Headers)) {
		fmt.Fprintf(&b, " [%s: %s]", name, l.Headers[name])
	}
	if len(body) > 0 {
		b.WriteString(": ")
		b.Write(body)
	}
	return printable(b.String()), nil
}

// printable escapes what would affect a terminal, or end the line.
func printable(text string) string {
	if strings.IndexFunc(text, odd) < 0 && !strings.ContainsRune(text, '\uFFFD') {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if odd(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func odd(r rune) bool { return !strconv.IsPrint(r) }
