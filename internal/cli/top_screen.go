package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/status"
)

// key is a key that was pressed: a character, or one of those below.
type key rune

const (
	keyUp key = -1 - iota
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
	keyEscape

	keyEnter     key = '\r'
	keyInterrupt key = 3
	keyBackspace key = 0x7f
)

// sequences are what terminals send for keys without a character, after an escape.
var sequences = map[string]key{"[A": keyUp, "OA": keyUp, "[B": keyDown, "OB": keyDown,
	"[5~": keyPageUp, "[6~": keyPageDown, "[H": keyHome, "OH": keyHome, "[1~": keyHome,
	"[F": keyEnd, "OF": keyEnd, "[4~": keyEnd}

// readKeys reads keys until the end of what it reads, or of ctx. An escape with nothing behind it
// that was sent together with it is the key.
func readKeys(ctx context.Context, from io.Reader, to chan<- key) {
	in := bufio.NewReader(from)
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		k := key(r)
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

// screen is what top shows, and where its user is in it.
type screen struct {
	view     view
	status   *status.Status
	rates    status.Rates
	selected string // a listener; "" is the first one
	depth    bool   // it is shown in depth
	typing   bool   // keys belong to the filter
	note     string
	page     int // how many listeners fit
}

// press does what a key means, and reports whether that is the end.
func (s *screen) press(k key) (end bool) {
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
		if s.depth {
			s.depth = false
		} else {
			s.view.filter = ""
		}
	case keyEnter:
		s.selected, s.depth = s.current(), true
	case keyUp, 'k':
		s.move(-1)
	case keyDown, 'j':
		s.move(1)
	case keyPageUp:
		s.move(-max(s.page, 1))
	case keyPageDown:
		s.move(max(s.page, 1))
	case keyHome:
		s.move(-len(s.status.Listeners))
	case keyEnd:
		s.move(len(s.status.Listeners))
	case 's':
		i := slices.Index(sorts, s.view.sort)
		s.view.sort = sorts[(i+1)%len(sorts)]
	case 'r':
		s.view.reverse = !s.view.reverse
	case '/':
		s.typing = true
	}
	return false
}

// write changes the filter.
func (s *screen) write(k key) {
	switch {
	case k == keyEnter:
		s.typing = false
	case k == keyEscape:
		s.typing, s.view.filter = false, ""
	case k == keyBackspace:
		_, size := utf8.DecodeLastRuneInString(s.view.filter)
		s.view.filter = s.view.filter[:len(s.view.filter)-size]
	case k >= ' ':
		s.view.filter += string(rune(k))
	}
}

// current returns the listener that is selected, or else the first one.
func (s *screen) current() string {
	shown := s.view.listeners(s.status, s.rates)
	for _, l := range shown {
		if l.Name == s.selected {
			return l.Name
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return shown[0].Name
}

// move selects another listener.
func (s *screen) move(by int) {
	shown := s.view.listeners(s.status, s.rates)
	if len(shown) == 0 {
		return
	}
	at := max(0, slices.IndexFunc(shown, func(l *status.Listener) bool {
		return l.Name == s.selected
	}))
	s.selected = shown[min(max(at+by, 0), len(shown)-1)].Name
}

// lines returns what is shown in a terminal of a size.
func (s *screen) lines(width, height int) []string {
	var b strings.Builder
	first := -1 // the line of the listener that is selected
	if s.depth {
		if err := showOne(&b, s.status, s.rates, s.selected, false, &s.view); err != nil {
			fmt.Fprintln(&b, plain(err.Error()))
		}
	} else {
		_ = s.view.write(&b, s.status, s.rates) // into memory
	}
	text := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if !s.depth {
		current := s.current()
		above := len(text) - len(s.view.listeners(s.status, s.rates))
		for i := above; i >= 0 && i < len(text); i++ {
			if name, _, _ := strings.Cut(text[i], " "); name == plain(current) {
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
func (s *screen) window(text []string, above, selected, height int) []string {
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
func (s *screen) help() string {
	switch {
	case s.note != "":
		return plain(s.note)
	case s.typing:
		return "filter: " + plain(s.view.filter) + "_   enter: keep it  escape: remove it"
	case s.depth:
		return "escape: back  q: end"
	}
	help := "order: " + s.view.sort
	if s.view.reverse {
		help += ", reversed"
	}
	if s.view.filter != "" {
		help += "  filter: " + plain(s.view.filter)
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
