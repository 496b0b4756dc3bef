package author

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrFailed is given when a module or a case is not as it should be, which was written already.
var ErrFailed = errors.New("failed")

// UsageError is a mistake on the command line.
type UsageError struct{ error }

// Unwrap gives the mistake.
func (e UsageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// failure is an ErrFailed with a summary.
func failure(format string, args ...any) error {
	return failed{fmt.Sprintf(format, args...)}
}

type failed struct{ text string }

func (f failed) Error() string { return f.text }

func (failed) Is(target error) bool { return target == ErrFailed }

// printable gives a text in which nothing can harm a terminal or break the line: what is not
// printable is escaped as in Go.
func printable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// printableLines is printable for a text of several lines. Tabs become spaces.
func printableLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = printable(strings.ReplaceAll(line, "\t", "    "))
	}
	return lines
}

// page writes a report of rows, each a word and what belongs to it. It keeps the first error.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// row writes lines beside a word, which stands beside the first only.
func (p *page) row(word string, lines ...string) {
	for _, line := range lines {
		p.line("%s", strings.TrimRight(fmt.Sprintf("  %-9s %s", word, line), " "))
		word = ""
	}
}

// number writes a number in groups of three digits.
func number[T int | int64 | uint64](n T) string {
	digits := strconv.FormatUint(uint64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// count writes a number and its noun.
func count[T int | int64 | uint64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// size writes a number of bytes in the unit that suits it.
func size(n int64) string {
	switch {
	case n < 10<<10:
		return count(n, "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
}

// quantity writes a number of bytes as a configuration has it.
func quantity(n int64) string {
	switch {
	case n > 0 && n%(1<<20) == 0:
		return fmt.Sprintf("%dMi", n>>20)
	default:
		return fmt.Sprintf("%dKi", (n+1<<10-1)>>10)
	}
}

// took writes a duration with three digits.
func took(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "us"}} {
		if d >= unit.size {
			return fmt.Sprintf("%.3g %s", roundTo3(float64(d)/float64(unit.size)), unit.name)
		}
	}
	return fmt.Sprintf("%d ns", d)
}

// roundTo3 keeps three digits of what %.3g would write with an exponent.
func roundTo3(f float64) float64 {
	if f >= 999.5 {
		return 999
	}
	return f
}
