package plugins

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// tail keeps the end of what a call writes to stderr. The zero value is empty; a guest that writes
// nothing pays nothing.
type tail struct {
	kept []byte
}

// add takes the next bytes. It drops older ones once they are as many as those that are needed.
func (t *tail) add(b []byte) {
	const needed = 2 * maxOutput
	b = b[max(0, len(b)-2*needed):]
	if t.kept = append(t.kept, b...); len(t.kept) > 2*needed {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-needed:]...)
	}
}

func (t *tail) bytes() []byte { return t.kept }

// reset begins another call.
func (t *tail) reset() { t.kept = t.kept[:0] }

// lastMessage returns what a guest says about its end: the message that it gave to result.v1 error
// last, else how a panic of Go begins.
func lastMessage(message string, lines []string) string {
	if message == "" && len(lines) > 0 && isPanic(lines[0]) {
		message = lines[0]
	}
	if len(message) > maxMessage {
		message = message[:maxMessage] + "…"
	}
	return strings.ToValidUTF8(message, "\uFFFD")
}

// lastLogLines returns the lines that a call wrote to stderr: from where a panic of Go begins, else
// the last of them.
func lastLogLines(b []byte) (lines []string) {
	if begin := panicIndex(b); begin >= 0 {
		b = b[begin:]
		b = b[:min(len(b), maxOutput)]
	} else {
		b = b[max(0, len(b)-maxOutput):]
	}
	for line := range bytes.Lines(b) {
		if line := clean(strings.TrimRight(string(line), "\r\n")); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// panics are how the last words of a Go program begin.
var panics = []string{"panic: ", "fatal error: ", "runtime: out of memory"}

func isPanic(line string) bool {
	return slices.ContainsFunc(panics, func(p string) bool { return strings.HasPrefix(line, p) })
}

// panicIndex returns where the first line is that begins a panic, -1 if there is none.
func panicIndex(b []byte) int {
	for at := 0; at < len(b); {
		if isPanic(string(b[at:min(len(b), at+30)])) {
			return at
		}
		next := bytes.IndexByte(b[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return -1
}

// clean returns a line of bounded length that does no harm to a terminal.
func clean(line string) string {
	line = strings.ToValidUTF8(line[:min(len(line), 4*maxLine)], "\uFFFD")
	line = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return '\uFFFD'
	}, line)
	if runes := []rune(line); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return line
}
