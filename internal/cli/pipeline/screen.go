package pipeline

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/status"
)

// Key is a key that was pressed: a character, or one of those below.
type Key rune

const (
	keyUp Key = -1 - iota
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
	keyEscape

	keyEnter     Key = '\r'
	keyInterrupt Key = 3
	keyBackspace Key = 0x7f
)

// sequences are what terminals send for keys without a character, after an escape.
var sequences = map[string]Key{"[A": keyUp, "OA": keyUp, "[B": keyDown, "OB": keyDown,
	"[5~": keyPageUp, "[6~": keyPageDown, "[H": keyHome, "OH": keyHome, "[1~": keyHome,
	"[F": keyEnd, "OF": keyEnd, "[4~": keyEnd}

// ReadKeys reads keys until the end of what it reads, or of ctx. An escape with nothing behind it
// that was sent together with it is the key.
func ReadKeys(ctx context.Context, from io.Reader, to chan<- Key) {
	in := bufio.NewReader(from)
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		k := Key(r)
		switch {
		case r == '\n' || r == '\r':
			k = keyEnter
		case r == '\b':
			k = keyBackspace
		case r == 0x1b && in.Buffered() == 0:
			k = keyEscape
		case r == 0x1b:
			k = sequences[readSequence(in)]
		}
		if k == 0 {
			continue
		}
		select {
		case to <- k:
		case <-ctx.Done():
			return
		}
	}
}

// readSequence reads what is behind an escape, which ends with a letter or ~.
func readSequence(in *bufio.Reader) string {
	var b strings.Builder
	for in.Buffered() > 0 && b.Len() < 8 {
		c, err := in.ReadByte()
		if err != nil {
			break
		}
		b.WriteByte(c)
		if b.Len() > 1 && (c == '~' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			break
		}
	}
	return b.String()
}

// Screen is what top shows, and where its user is in it.
type Screen struct {
	View     View
	Status   *status.Status
	Rates    status.Rates
	Selected string // a listener; "" is the first one
	Depth    bool   // it is shown in depth
	Note     string // is shown instead of the help

	typing bool // keys belong to the filter
	page   int  // how many listeners fit
}

// Press does what a key means, and reports whether that is the end.
func (s *Screen) Press(k Key) (end bool) {
	if k == keyInterrupt {
		return true
	}
	if s.typing {
		s.write(k)
		return false
	}
	switch k {
	case 'q':
		return true
	case keyEscape:
		if s.Depth {
			s.Depth = false
		} else {
			s.View.Filter = ""
		}
	case keyEnter:
		s.Selected, s.Depth = s.current(), true
	case keyUp, 'k':
		s.move(-1)
	case keyDown, 'j':
		s.move(1)
	case keyPageUp:
		s.move(-max(s.page, 1))
	case keyPageDown:
		s.move(max(s.page, 1))
	case keyHome:
		s.move(-len(s.Status.Listeners))
	case keyEnd:
		s.move(len(s.Status.Listeners))
	case 's':
		i := slices.Index(Sorts, s.View.Sort)
		s.View.Sort = Sorts[(i+1)%len(Sorts)]
	case 'r':
		s.View.Reverse = !s.View.Reverse
	case '/':
		s.typing = true
	}
	return false
}

// write changes the filter.
func (s *Screen) write(k Key) {
	switch {
	case k == keyEnter:
		s.typing = false
	case k == keyEscape:
		s.typing, s.View.Filter = false, ""
	case k == keyBackspace:
		_, size := utf8.DecodeLastRuneInString(s.View.Filter)
		s.View.Filter = s.View.Filter[:len(s.View.Filter)-size]
	case k >= ' ':
		s.View.Filter += string(rune(k))
	}
}

// current returns the listener that is selected, or else the first one.
func (s *Screen) current() string {
	shown := s.View.listeners(s.Status, s.Rates)
	for _, l := range shown {
		if l.Name == s.Selected {
			return l.Name
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return shown[0].Name
}

// move selects another listener.
func (s *Screen) move(by int) {
	shown := s.View.listeners(s.Status, s.Rates)
	if len(shown) == 0 {
		return
	}
	at := max(0, slices.IndexFunc(shown, func(l *status.Listener) bool {
		return l.Name == s.Selected
	}))
	s.Selected = shown[min(max(at+by, 0), len(shown)-1)].Name
}

// Lines returns what is shown in a terminal of a size.
func (s *Screen) Lines(width, height int) []string {
	var b strings.Builder
	first := -1 // the line of the listener that is selected
	if s.Depth {
		if err := s.View.WriteOne(&b, s.Status, s.Rates, s.Selected); err != nil {
			fmt.Fprintln(&b, words.Plain(err.Error()))
		}
	} else {
		_ = s.View.Write(&b, s.Status, s.Rates) // into memory
	}
	text := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if !s.Depth {
		current := s.current()
		above := len(text) - len(s.View.listeners(s.Status, s.Rates))
		for i := above; i >= 0 && i < len(text); i++ {
			if name, _, _ := strings.Cut(text[i], " "); name == words.Plain(current) {
				first = i
			}
		}
		text = s.window(text, above, first, height-1)
	}
	text = text[:min(len(text), max(height-1, 0))]
	for i := range text {
		text[i] = fitted(text[i], width)
	}
	return append(text, fitted(s.help(), width))
}

// window returns the lines that fit, with the one that is selected among them and marked. Those
// above the listeners stay as long as there is room for a few listeners.
func (s *Screen) window(text []string, above, selected, height int) []string {
	head, rest := text[:max(above, 0)], text[max(above, 0):]
	if over := len(head) + min(len(rest), 3) - height; over > 0 {
		head = head[min(over, max(len(head)-1, 0)):] // the heads of the columns are the last line
	}
	s.page = max(height-len(head), 1)
	at := max(selected-above, 0)
	from := min(max(at-s.page/2, 0), max(len(rest)-s.page, 0))
	out := slices.Clone(head)
	for i := from; i < min(from+s.page, len(rest)); i++ {
		line := rest[i]
		if i == at && selected >= 0 { // without colors as well: reversed is none
			line = "\x1b[7m" + strings.ReplaceAll(line, "\x1b[0m", "\x1b[0;7m") + "\x1b[0m"
		}
		out = append(out, line)
	}
	return out
}

// help returns the last line.
func (s *Screen) help() string {
	switch {
	case s.Note != "":
		return words.Plain(s.Note)
	case s.typing:
		return "filter: " + words.Plain(s.View.Filter) + "_   enter: keep it  escape: remove it"
	case s.Depth:
		return "escape: back  q: end"
	}
	help := "order: " + s.View.Sort
	if s.View.Reverse {
		help += ", reversed"
	}
	if s.View.Filter != "" {
		help += "  filter: " + words.Plain(s.View.Filter)
	}
	return help + "   enter: in depth  s: order  r: reverse  /: filter  q: end"
}

// fitted cuts a line to a width. Colors do not count, and end with the line.
func fitted(line string, width int) string {
	var b strings.Builder
	n, colors := 0, false
	for i := 0; i < len(line); {
		if line[i] == 0x1b {
			end := i + strings.IndexByte(line[i:], 'm') + 1
			if end <= i {
				break
			}
			b.WriteString(line[i:end])
			colors, i = true, end
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if n == width {
			break
		}
		b.WriteRune(r)
		n, i = n+1, i+size
	}
	if colors {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}
