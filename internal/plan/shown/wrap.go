package shown

import (
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// width is how long a line of a plan gets, after the name of what is in it.
const width = 100

// Conditions returns conditions that must all hold as the lines of one expression. On are the ops
// of the events.
func Conditions(on event.OpSet, list []condition.Condition) []string {
	if whole := all(list, on == onlyUpdates); utf8.RuneCountInString(whole) <= width {
		return []string{whole}
	}
	var lines []string
	parts := Each(on, list)
	for i, part := range parts {
		if i < len(parts)-1 {
			part += " &&"
		}
		lines = append(lines, wrapped(part)...)
	}
	return lines
}

// Joined returns short items as one line, and others as they are.
func Joined(items []string) []string {
	if line := strings.Join(items, "; "); utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	return items
}

// wrapped breaks an expression behind operators between conditions.
func wrapped(text string) (lines []string) {
	pieces := pieces(text)
	line := pieces[0]
	for _, piece := range pieces[1:] {
		if utf8.RuneCountInString(line+" "+piece) > width {
			lines, line = append(lines, line), "  "+piece
			continue
		}
		line += " " + piece
	}
	return append(lines, line)
}

// pieces returns the parts of an expression between which a line may end. A text in it stays whole.
func pieces(text string) (all []string) {
	begin, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && (strings.HasPrefix(rest, "&& ") || strings.HasPrefix(rest, "|| ")):
			all = append(all, text[begin:i+2])
			begin = i + 3
		}
	}
	return append(all, text[begin:])
}
