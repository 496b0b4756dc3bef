package migrate

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/wording"
)

// Expressions that are true or false, as are the conditions of the functions below.
const (
	always = "true"
	never  = "false"
)

// allOf is true if all conditions are; it is true for none.
func allOf(of ...string) string { return join(" && ", always, never, of) }

// anyOf is true if one of the conditions is; it is false for none. It is in brackets.
func anyOf(of ...string) string {
	c := join(" || ", never, always, of)
	if len(of) > 1 && strings.Contains(c, "||") {
		c = "(" + c + ")"
	}
	return c
}

// join leaves out neutral conditions, and those that occur twice.
func join(word, neutral, decides string, of []string) string {
	var parts []string
	for _, c := range of {
		switch {
		case c == decides:
			return c
		case c != neutral && !slices.Contains(parts, c):
			parts = append(parts, c)
		}
	}
	if parts == nil {
		return neutral
	}
	if len(strings.Join(parts, "")) > 76 {
		word = strings.TrimSuffix(word, " ") + "\n"
	}
	return strings.Join(parts, word)
}

func notTrue(c string) string {
	switch c {
	case always:
		return never
	case never:
		return always
	}
	return "!(" + c + ")"
}

// quoted returns a text as an expression has it.
func quoted(text string) string {
	return string(wording.MustJSON(text))
}

// bracketed returns a map or a list of an expression, in several lines if it is long.
func bracketed(open, end string, parts ...string) string {
	text := strings.Join(parts, ", ")
	if len(text) < 76 && !strings.Contains(text, "\n") {
		return open + text + end
	}
	return open + "\n  " + strings.ReplaceAll(strings.Join(parts, ",\n"), "\n", "\n  ") + "\n" + end
}

func mapOf(members ...string) string { return bracketed("{", "}", members...) }
