package plugins

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// How much of a crash is told.
const (
	maxStackLine = 200     // characters
	maxFrames    = 30      // of the engine's stack; it gives no more
	maxSpoken    = 4 << 10 // bytes of what the guest wrote to stderr
	maxLastWords = 256     // bytes of a guest's own message in an error's text
)

// crash makes the error of a call that failed, with what is known about how it came to that.
func (g *guest) crash(function string, reason Reason, cause error) error {
	e := &CrashError{Listener: g.module.spec.Listener, Func: function, Reason: reason, Cause: cause}
	if reason == ReasonRefused {
		e.Cause = &told{oneLine(cause.Error()), cause}
		return e
	}
	text, _, _ := strings.Cut(cause.Error(), traceBegin)
	text = strings.ReplaceAll(strings.TrimSuffix(text, recovered), recovered+":", ":")
	said := spoken(g.said.bytes())
	if reason == ReasonTrap || reason == ReasonExit || reason == ReasonMemory {
		if words := lastWords(g.message, said); words != "" {
			text += fmt.Sprintf(": the handler said %q", words)
		}
		e.Stack = said
		g.panics.crashed(said)
	}
	e.Stack = append(e.Stack, g.frames()...)
	e.Cause = &told{oneLine(text), cause}
	return e
}

// oneLine puts spaces in place of line breaks and the like.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// told is an error with a text of one line, in place of one that goes on with the engine's stack.
type told struct {
	text string
	err  error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.err }

// What the engine adds to errors.
const (
	recovered  = " (recovered by wazero)"
	traceBegin = "\nwasm stack trace:"
	goTrace    = "\n\nGo runtime stack trace:"
)

// frames are the functions that the guest was in, the innermost first, as the engine tells them in
// the error of the call.
func (g *guest) frames() (lines []string) {
	if g.failure == nil {
		return nil
	}
	_, trace, _ := strings.Cut(g.failure.Error(), traceBegin)
	trace, _, _ = strings.Cut(trace, goTrace)
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, meter.HostModule+".") || len(lines) == maxFrames {
			continue
		}
		lines = append(lines, clean(g.frame(line)))
	}
	return lines
}

// frame tells a function by its name, or by its number in the guest's own file.
func (g *guest) frame(line string) string {
	line, own := strings.CutPrefix(line, ".") // the module has no name
	if !own {
		return line // a host function
	}
	if number, rest, ok := strings.Cut(strings.TrimPrefix(line, "$"), "("); ok && line[0] == '$' {
		if n, err := strconv.Atoi(number); err == nil {
			return fmt.Sprintf("$%d(%s", g.ownNumber(n), rest)
		}
	}
	return plainName(line)
}

// ownNumber gives the number that a function has in the guest's file. The meter adds an import
// behind all others.
func (g *guest) ownNumber(n int) int {
	if n >= len(g.module.compiled.ImportedFunctions()) {
		return n - 1
	}
	return n
}

var rustHash = regexp.MustCompile(`(::h|17h)[0-9a-f]{16}E?`)

var rustSigns = strings.NewReplacer("$LT$", "<", "$GT$", ">", "$RF$", "&", "$BP$", "*", "$C$", ",",
	"$u20$", " ",
	"$u27$", "'", "$u5b$", "[", "$u5d$", "]", "$u7b$", "{", "$u7d$", "}", "$u7e$", "~", "..", "::")

// plainName makes a name of Rust's easier to read: without its hash, and if it is mangled, with its
// parts apart.
func plainName(line string) string {
	name, signature, _ := strings.Cut(line, "(")
	if i := strings.LastIndexByte(line, '('); i >= 0 { // the name may have some, too
		name, signature = line[:i], line[i+1:]
	}
	plain := rustHash.ReplaceAllString(name, "")
	if rest, mangled := strings.CutPrefix(plain, "_ZN"); mangled {
		plain = rustSigns.Replace(strings.TrimPrefix(parts(rest), "_"))
	}
	return plain + "(" + signature
}

// parts takes apart what is written as 3foo5inner.
func parts(s string) string {
	var out []string
	for s != "" {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		n, err := strconv.Atoi(s[:digits])
		if err != nil || n > len(s)-digits {
			return strings.Join(append(out, s), "::")
		}
		out = append(out, strings.TrimPrefix(s[digits:digits+n], "_$"))
		if strings.HasPrefix(s[digits:], "_$") {
			out[len(out)-1] = "$" + out[len(out)-1]
		}
		s = s[digits+n:]
	}
	return strings.Join(out, "::")
}

// lastWords is what a guest says about its end: what it gave to result.v1 error last, else how a
// panic of Go begins.
func lastWords(message string, said []string) string {
	if message == "" && len(said) > 0 && isPanic(said[0]) {
		message = said[0]
	}
	if len(message) > maxLastWords {
		message = message[:maxLastWords] + "…"
	}
	return strings.ToValidUTF8(message, "\uFFFD")
}

// spoken are the lines that a call wrote to stderr: from where a panic of Go begins, else the last
// of them.
func spoken(b []byte) (lines []string) {
	if begin := panicBegins(b); begin >= 0 {
		b = b[begin:]
		b = b[:min(len(b), maxSpoken)]
	} else {
		b = b[max(0, len(b)-maxSpoken):]
	}
	for line := range bytes.Lines(b) {
		if line := clean(strings.TrimRight(string(line), "\r\n")); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Go's words for its ends.
var panics = []string{"panic: ", "fatal error: ", "runtime: out of memory"}

func isPanic(line string) bool {
	for _, p := range panics {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// panicBegins finds the first line that is a panic's, -1 if there is none.
func panicBegins(b []byte) int {
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

// clean makes one line of bounded length that does no harm to a terminal.
func clean(line string) string {
	line = strings.ToValidUTF8(line[:min(len(line), 4*maxStackLine)], "\uFFFD")
	line = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return '\uFFFD'
	}, line)
	if runes := []rune(line); len(runes) > maxStackLine {
		return string(runes[:maxStackLine]) + "…"
	}
	return line
}

// speech keeps the end of what a call writes to stderr. The zero value is empty; a guest that
// writes nothing pays nothing.
type speech struct {
	kept []byte
}

// add takes some more, and forgets what is too long ago once that is as much again.
func (s *speech) add(b []byte) {
	const most = 2 * maxSpoken
	b = b[max(0, len(b)-2*most):]
	if s.kept = append(s.kept, b...); len(s.kept) > 2*most {
		s.kept = append(s.kept[:0], s.kept[len(s.kept)-most:]...)
	}
}

func (s *speech) bytes() []byte { return s.kept }

// reset begins another call.
func (s *speech) reset() { s.kept = s.kept[:0] }

// loud writes to the log, and keeps the end.
type loud struct {
	*lines
	said *speech
}

func (l loud) write(ctx context.Context, b []byte) {
	l.said.add(b)
	l.lines.write(ctx, b)
}
