package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// lineWidth is the width to which short events are cut, in characters.
const lineWidth = 120

// screen is the viewer's output. Lines of several goroutines are not mixed.
type screen struct {
	mu  sync.Mutex
	out io.Writer
}

func newScreen(out io.Writer) *screen { return &screen{out: out} }

// Announce prints what happens next.
func (s *screen) Announce(format string, args ...any) { s.Print("── "+format, args...) }

// Line prints one line below an announcement.
func (s *screen) Line(format string, args ...any) { s.Print("   "+format, args...) }

// Print prints text unchanged. A closed screen is not an error: main gets a signal for that.
func (s *screen) Print(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, format+"\n", args...)
}

// lines returns a writer that prints each complete line below an announcement.
func (s *screen) lines() *lineWriter { return &lineWriter{screen: s} }

type lineWriter struct {
	screen *screen
	rest   string
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest += string(p)
	for {
		line, rest, whole := strings.Cut(w.rest, "\n")
		if !whole {
			return len(p), nil
		}
		w.rest = rest
		w.screen.Line("%s", line)
	}
}

// cut shortens a line to lineWidth.
func cut(line string) string {
	runes := []rune(strings.TrimRight(line, " "))
	if len(runes) <= lineWidth {
		return string(runes)
	}
	return string(runes[:lineWidth-1]) + "…"
}
