package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// maxTried bounds the texts of the proposals of one expression that are tried, in bytes. Others are
// reported as they are.
const maxTried = 16 << 10

// tried returns the mistakes with proposals that compile in their place: it tries each, and leaves
// out those that would be answered by the next mistake. Functions and methods within others become
// one proposal.
func (s draft) tried(err error) error {
	all := lang.Mistakes(err)
	if len(all) == 0 {
		return err
	}
	s.trials = new(int)
	found := mistakes{s.rewritten(all)}
	for i, mistake := range found.all {
		if mistake.Fix == nil || s.compiles(*mistake.Fix, all) {
			continue
		}
		general := mistake.General
		if general == "" {
			general = beforeProposal(mistake.Message)
			if general != mistake.Message && strings.HasPrefix(general, unknownPrefix) {
				general += s.variablesHint()
			}
		}
		found.all[i] = s.CompileError(mistake.Offset, "%s", general)
	}
	return found.err()
}

// beforeProposal returns a message up to its proposal.
func beforeProposal(message string) string {
	for _, begin := range []string{"; write ", ": write ", "; did you mean "} {
		if before, _, ok := strings.Cut(message, begin); ok {
			return before
		}
	}
	return message
}

var fieldsBehind = regexp.MustCompile(`^(?:\??\.\w+)+`)

// compiles reports whether a change brings no mistake into the text at its place. A result of
// another type than the whole expression needs is none.
func (s draft) compiles(fix lang.Fix, known []*lang.CompileError) bool {
	_, ok := s.remaining(fix, known)
	return ok
}

// remaining returns those of the known mistakes that a change leaves within the text at its place,
// false if it brings others there.
func (s draft) remaining(fix lang.Fix, known []*lang.CompileError) (rest []string, ok bool) {
	after := s
	if *s.trials += len(s.Text); *s.trials > maxTried {
		return nil, true
	}
	after.Text = fix.Apply(s.Text)
	_, _, err := after.checked()
	end := fix.From + len([]rune(fix.Text))
	if text := []rune(after.Text); end < len(text) { // and the fields that follow
		end += len(fieldsBehind.FindString(string(text[end:])))
	}
	for _, mistake := range lang.Mistakes(err) {
		if mistake.Offset < fix.From || mistake.Offset > end ||
			strings.HasPrefix(mistake.Message, s.Kind.Must()) {
			continue
		}
		if !slices.ContainsFunc(known, func(old *lang.CompileError) bool {
			return old.Message == mistake.Message
		}) {
			return nil, false
		}
		rest = append(rest, mistake.Message)
	}
	return rest, true
}

// rewritten replaces the mistakes within functions and methods of other languages by one mistake
// for each, which proposes the whole.
func (s draft) rewritten(all []*lang.CompileError) []*lang.CompileError {
	var done []lang.Fix
	refused := map[int]bool{} // fields of lists and texts
	for _, mistake := range all {
		refused[mistake.Offset] = strings.Contains(mistake.Message, ", it has no field ")
	}
	for _, swap := range []bool{false, true} {
		for _, fix := range habits.Rewritings(habits.Asked{Text: s.Text,
			Functions: s.Kind.Functions(), Refused: refused, Swap: swap}) {
			if slices.ContainsFunc(done, func(d lang.Fix) bool {
				return fix.From < d.To && d.From < fix.To
			}) {
				continue
			}
			if whole := s.whole(all, fix); whole != nil {
				all, done = whole, append(done, fix)
			}
		}
	}
	return all
}

// whole replaces the mistakes in a part of the text by one that proposes the part, nil if that does
// not compile.
func (s draft) whole(all []*lang.CompileError, fix lang.Fix) []*lang.CompileError {
	inside := func(e *lang.CompileError) bool { return e.Offset >= fix.From && e.Offset < fix.To }
	first := slices.IndexFunc(all, inside)
	if first < 0 {
		return nil
	}
	old := all[first]
	if *s.trials > maxTried {
		return nil
	}
	rest, ok := s.remaining(fix, all)
	if !ok || slices.Contains(rest, old.Message) {
		return nil
	}
	if old.Fix != nil && *old.Fix == fix && !slices.ContainsFunc(all[first+1:], inside) {
		return all
	}
	e := s.Proposed(old.Offset, &fix, "%s; write %s", s.otherForm(old), fix.Text)
	e.General = old.General
	kept := slices.DeleteFunc(slices.Clone(all), func(e *lang.CompileError) bool {
		return inside(e) && !slices.Contains(rest, e.Message)
	})
	return append(kept, e)
}

// otherForm returns what is wrong about a form of another language in which a mistake was found.
func (s draft) otherForm(found *lang.CompileError) string {
	before, _, _ := strings.Cut(found.Message, "; ")
	switch {
	case strings.HasPrefix(before, "methods are "), strings.HasPrefix(before, "the function "),
		strings.HasPrefix(before, "unknown function "), strings.Contains(before, " has no field "),
		strings.HasPrefix(before, `"+" cannot take `), strings.HasSuffix(before, "between two values"):
		return before
	case strings.HasPrefix(before, unknownPrefix) && strings.Contains(found.Message, "; within any("):
		return found.Message
	case strings.Contains(found.Message, "an item has no name here"):
		return "an item has no name here, it is #, and its fields are .name"
	}
	return "this is a form of another language"
}
