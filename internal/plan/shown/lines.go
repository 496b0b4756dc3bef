package shown

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// Lines writes lines until a write fails.
type Lines struct {
	io.Writer
	Err error
	// Whole: expressions are written as they are in the configuration, else as the beginning of
	// one line.
	Whole bool
	// Alone: each item has its name, and no indentation, so that its lines need no others.
	Alone bool
	name  string // of the last item
}

// Order returns names as they are written: alone, their order means nothing.
func (p *Lines) Order(names []string) []string {
	if p.Alone {
		return slices.Sorted(slices.Values(names))
	}
	return names
}

// Line writes a line, indented by twice the depth.
func (p *Lines) Line(depth int, format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p, strings.Repeat("  ", depth)+format+"\n", args...)
	}
}

// Lines writes lines as they are.
func (p *Lines) Lines(depth int, all []string) {
	for _, line := range all {
		p.Line(depth, "%s", line)
	}
}

// Decided says of what is behind a buffer that it is there for nothing.
const Decided = "(the conditions before the buffer decide all of it: nothing more is dropped here)"

// place is the place of a warning, which differs if a line was added before it.
var place = regexp.MustCompile(`^\S+:\d+:\d+: `)

// Item writes a line with the name of something, "" for that of the item before it.
func (p *Lines) Item(depth int, name, text string) {
	if p.Alone {
		p.name = cmp.Or(name, p.name)
		depth, name, text = 0, p.name, place.ReplaceAllString(text, "")
	}
	p.Line(depth, "%-18s %s", name, text)
}

// Names writes names, on as many lines as they need.
func (p *Lines) Names(depth int, name string, all []string) {
	line := ""
	for i, one := range all {
		if i < len(all)-1 {
			one += ","
		}
		if line != "" && len(line)+len(one) >= maxNames {
			p.Item(depth, name, line)
			name, line = "", ""
		}
		line = strings.TrimSpace(line + " " + one)
	}
	p.Item(depth, name, line)
}

// maxNames is how long a line of names gets.
const maxNames = 100

// Expression writes an expression with what is before and after it. Alone, each of its lines has
// what is before it.
func (p *Lines) Expression(depth int, name, before, text, after string) {
	if !p.Whole {
		p.Item(depth, name, before+oneLine(text)+after)
		return
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines[len(lines)-1] += after
	p.Item(depth, name, before+lines[0])
	if !p.Alone {
		before = "  "
	}
	for _, line := range lines[1:] {
		p.Item(depth, "", before+strings.TrimRight(line, " \t\r"))
	}
}

// Rule writes a rule. Alone, what is no expression has a line of its own, so that it does not make
// lines of the expression differ.
func (p *Lines) Rule(depth int, name string, r *config.Rule) {
	after := ""
	if r.For.Duration > 0 {
		after += ", for " + document.Short(r.For.Duration)
	}
	if r.Repeat.Duration > 0 {
		after += ", again every " + document.Short(r.Repeat.Duration)
	}
	deny, message := fmt.Sprintf("rule %s (%s): ", r.Name, r.Severity), "  its message: "
	if p.Alone {
		p.Item(depth, name, fmt.Sprintf("rule %s: %s%s", r.Name, r.Severity, after))
		deny, message, after = "rule "+r.Name+", deny: ", "rule "+r.Name+", message: ", ""
	}
	p.Expression(depth, name, deny, r.Deny.Text, after)
	if !r.Message.IsZero() {
		p.Expression(depth, "", message, r.Message.Text, "")
	}
}

func oneLine(text string) string { return Cut(strings.Join(strings.Fields(text), " ")) }

// Cut returns the beginning of a line that is too long.
func Cut(text string) string {
	const limit = 100
	if line := []rune(text); len(line) > limit {
		return string(line[:limit]) + "…"
	}
	return text
}

// Some returns those of the names that are wanted, nil for all.
func Some(names, wanted []string) []string {
	if wanted == nil {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(wanted, name)
	})
}
