package progress

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

const (
	// quiet is how long lists may take before there is a line, and each how often it is drawn.
	quiet = time.Second
	each  = 250 * time.Millisecond
	// show is how many lists that are not complete a line names.
	show = 2
)

// Line is a terminal with a line at its end that changes. It is an io.Writer for everything else
// that is written there. It is safe for concurrent use. Make one with New.
type Line struct {
	to    io.Writer
	width func() int

	mu    sync.Mutex
	shown string
}

// New returns a Line without a text. The function returns how wide the terminal is.
func New(to io.Writer, width func() int) *Line { return &Line{to: to, width: width} }

// clear removes what is on the line that the cursor is on.
const clear = "\r\x1b[K"

// Write implements io.Writer. What is written should be whole lines.
func (l *Line) Write(p []byte) (int, error) {
	return l.write(l.to, p)
}

// With returns a writer for another stream that is shown on the same terminal.
func (l *Line) With(w io.Writer) io.Writer { return with{l, w} }

type with struct {
	line *Line
	to   io.Writer
}

// Write implements io.Writer.
func (b with) Write(p []byte) (int, error) { return b.line.write(b.to, p) }

// write writes to a stream in place of the line, which then follows.
func (l *Line) write(to io.Writer, p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown == "" {
		return to.Write(p)
	}
	_, _ = io.WriteString(l.to, clear) // it is gone with the terminal
	n, err := to.Write(p)
	_, _ = io.WriteString(l.to, l.shown)
	return n, err
}

// set makes a text that of the line, "" for none.
func (l *Line) set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	runes := []rune(text)
	if width := l.width() - 1; len(runes) > width {
		runes = runes[:max(0, width)]
	}
	if text = string(runes); text == l.shown {
		return
	}
	_, _ = io.WriteString(l.to, clear+text) // it is gone with the terminal
	l.shown = text
}

// Run shows how far informers are until all of them are complete, or ctx is done.
func (l *Line) Run(ctx context.Context, status func() []informer.Status) {
	defer l.set("")
	begun := time.Now()
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		took := time.Since(begun)
		if took < quiet {
			continue
		}
		all := status()
		text := Text(all, took)
		if text == "" && len(all) > 0 {
			return
		}
		l.set(text)
	}
}

// Text returns the line for informers whose lists have taken so long; "" if all are complete.
func Text(all []informer.Status, took time.Duration) string {
	complete, objects := 0, 0
	var coming []string
	for i := range all {
		s := &all[i]
		if s.Synced {
			complete++
			objects += s.Objects
			continue
		}
		name := s.Resource.String()
		if s.Scope.Namespace != "" {
			name += " in " + s.Scope.Namespace
		}
		text := fmt.Sprintf("%s: %s", name, size(float64(s.Received)))
		if seconds := took.Seconds(); seconds > 0 && s.Received > 0 {
			text += fmt.Sprintf(", %s/s", size(float64(s.Received)/seconds))
		}
		if s.Err != nil {
			text = name + ": waiting, see the log"
		}
		coming = append(coming, printable(text))
	}
	if len(coming) == 0 {
		return ""
	}
	rest := ""
	if more := len(coming) - show; more > 0 {
		coming, rest = coming[:show], fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("first lists: %d of %d, %d objects; %s%s", complete, len(all), objects,
		strings.Join(coming, "; "), rest)
}

// size returns a number of bytes for people.
func size(bytes float64) string {
	for _, unit := range []string{"B", "KiB", "MiB"} {
		if bytes < 1024 {
			return strconv.FormatFloat(bytes, 'f', min(1, len(unit)-1), 64) + " " + unit
		}
		bytes /= 1024
	}
	return strconv.FormatFloat(bytes, 'f', 1, 64) + " GiB"
}

// printable leaves out what a terminal could take for a command.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
