package author

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/wording"
)

// UsageError is a mistake on the command line.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the mistake.
func (e UsageError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// printableLines is [wording.Printable] for a text of several lines. Tabs become spaces.
func printableLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = wording.Printable(strings.ReplaceAll(line, "\t", "    "))
	}
	return lines
}

// page writes a report of rows, each a word and its lines. It keeps the first error.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// row writes lines, the first one after a word, the others indented below it.
func (p *page) row(word string, lines ...string) {
	for _, line := range lines {
		p.line("%s", strings.TrimRight(fmt.Sprintf("  %-9s %s", word, line), " "))
		word = ""
	}
}

// number returns a number in groups of three digits.
func number[T int | int64 | uint64](n T) string {
	digits := strconv.FormatUint(uint64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// count returns a number and its noun.
func count[T int | int64 | uint64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// size returns a number of bytes in a suitable unit.
func size(n int64) string {
	switch {
	case n < 10<<10:
		return count(n, "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
}

// quantity returns a number of bytes as a configuration has it.
func quantity(n int64) string {
	if n > 0 && n%(1<<20) == 0 {
		return fmt.Sprintf("%dMi", n>>20)
	}
	return fmt.Sprintf("%dKi", (n+1<<10-1)>>10)
}

// took returns a duration with three digits.
func took(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "us"}} {
		if d >= unit.size {
			// %.3g would write 999.5 and more with an exponent.
			return fmt.Sprintf("%.3g %s", min(float64(d)/float64(unit.size), 999), unit.name)
		}
	}
	return fmt.Sprintf("%d ns", d)
}

// oneLine returns JSON without spaces and line breaks, and other text unchanged.
func oneLine(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// maxShort is how many bytes of a value a difference shows.
const maxShort = 200

func short(v any) string {
	var b bytes.Buffer
	if wording.WriteJSON(&b, v, "") != nil {
		return "?"
	}
	text := bytes.TrimSpace(b.Bytes())
	if len(text) > maxShort {
		text = append(text[:maxShort:maxShort], "…"...)
	}
	return wording.Printable(string(text))
}
