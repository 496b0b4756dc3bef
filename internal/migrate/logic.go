package migrate

import (
	"encoding/json"
	"strings"
)

// condition is an expression that is true or false. It is simplified while it is put together.
type condition struct {
	kind conditionKind
	text string // of a leaf: a comparison or a call
	of   []condition
}

type conditionKind byte

const (
	always conditionKind = iota
	never
	leaf
	not
	and
	or
)

func isTrue(text string) condition { return condition{kind: leaf, text: text} }

// allOf is true if all conditions are; it is true for none.
func allOf(of ...condition) condition { return combine(and, always, never, of) }

// anyOf is true if one of the conditions is; it is false for none.
func anyOf(of ...condition) condition { return combine(or, never, always, of) }

// combine leaves out neutral conditions, and those that occur twice.
func combine(kind, neutral, decides conditionKind, of []condition) condition {
	c := condition{kind: kind}
	seen := map[string]bool{}
	for _, part := range of {
		parts := []condition{part}
		if part.kind == kind {
			parts = part.of
		}
		for _, p := range parts {
			if p.kind == decides {
				return p
			}
			if text := p.String(); p.kind != neutral && !seen[text] {
				seen[text] = true
				c.of = append(c.of, p)
			}
		}
	}
	switch len(c.of) {
	case 0:
		return condition{kind: neutral}
	case 1:
		return c.of[0]
	}
	return c
}

func notTrue(c condition) condition {
	switch c.kind {
	case always:
		return condition{kind: never}
	case never:
		return condition{kind: always}
	case not:
		return c.of[0]
	}
	return condition{kind: not, of: []condition{c}}
}

// String returns the expression, in several lines if it is long.
func (c condition) String() string {
	switch c.kind {
	case always:
		return "true"
	case never:
		return "false"
	case leaf:
		return c.text
	case not:
		return "!(" + c.of[0].String() + ")"
	}
	word, parts, length := " && ", make([]string, len(c.of)), 0
	if c.kind == or {
		word = " || "
	}
	for i, part := range c.of {
		parts[i] = part.String()
		if part.kind == or || part.kind == and {
			parts[i] = "(" + parts[i] + ")"
		}
		length += len(parts[i])
	}
	if length > 76 {
		word = strings.TrimSuffix(word, " ") + "\n"
	}
	return strings.Join(parts, word)
}

// weight returns how many nodes the expression has, or a few more.
func (c condition) weight() int {
	weight := 1
	if c.kind == leaf {
		return 4 + 2*strings.Count(c.text, ".") + strings.Count(c.text, ",") +
			2*strings.Count(c.text, "[") + strings.Count(c.text, "(") + 2*strings.Count(c.text, "?")
	}
	for _, part := range c.of {
		weight += 1 + part.weight()
	}
	return weight
}

// quoted returns a text as an expression has it.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a string is always encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func quotedList(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = quoted(text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}
