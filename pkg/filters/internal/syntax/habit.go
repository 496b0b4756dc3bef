package syntax

import (
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// WithHabit adds to a message what to write instead of a function or method with these
// Arguments.
func (s Source) WithHabit(offset int, at lang.Fix, name string, args []string,
	message string) *lang.CompileError {
	h, args := habits.For(name, args)
	switch {
	case h.Write == "" && h.Note == "":
		return s.CompileError(offset, "%s", message)
	case h.Write == "":
		return s.CompileError(offset, "%s; %s", message, h.Note)
	case h.Args == len(args) || h.Item && len(args) == 3:
		if len(args) == 3 && h.Item {
			args = []string{args[0], habits.OfItem(args[2], args[1])}
		}
		at.Text = h.Fill(args)
		for _, text := range []string{at.Text, "(" + at.Text + ")"} {
			at.Text = text
			if at.To > at.From && s.Mends(at, at.From) && !BindsLoosely(s.Text, at, h) {
				e := s.Proposed(offset, &at, "%s; write %s", message, text)
				e.General = message + "; write " + h.Example()
				return e
			}
		}
	}
	return s.CompileError(offset, "%s; write %s", message, h.Example())
}

// BindsLoosely reports whether an operator before or after the place would bind more tightly
// than the new text.
func BindsLoosely(text string, at lang.Fix, h habits.Habit) bool {
	if strings.HasPrefix(at.Text, "(") || !strings.Contains(h.Write, " ") ||
		strings.HasSuffix(h.Write, ")") && !strings.HasPrefix(h.Write, "(") {
		return false
	}
	runes := []rune(text)
	before, behind := strings.TrimSpace(string(runes[:at.From])),
		strings.TrimSpace(string(runes[min(at.To, len(runes)):]))
	loose := func(text string, edge func(string, string) bool) bool {
		if text == "" {
			return true
		}
		for _, word := range []string{"&&", "||", "and", "or", "(", ")", ",", ";", "?", ":", "{",
			"}"} {
			if edge(text, word) {
				return true
			}
		}
		return false
	}
	return !loose(before, strings.HasSuffix) || !loose(behind, strings.HasPrefix)
}
