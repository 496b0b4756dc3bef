package lang

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Expression is an expression, where it stands, and what is known of what it will see.
type Expression struct {
	Text string
	File string // of the configuration, "" if there is none
	Line int    // of the expression's first line in File, from 1; 0 if unknown
	// of each line's first character in File, from 1; 0 if unknown, then columns count within the
	// line
	Column   int
	Listener string
	Rule     string // that it belongs to, "" if it is none of a rule
	Cluster  string // the value of the variable cluster

	// Positions, if there are any, are where each character of the text is in File, and its end.
	// They go before Line and Column.
	Positions []Position
	// Comment is set if a comment follows the text in File, which may have been meant as its end.
	Comment bool

	// Kind says what the expression is for, and so which names there are and what it must return.
	Kind Kind
	// On are the events the expression may meet; 0 means all. What can never be true of them is a
	// warning.
	On event.OpSet
	// Informers are those that cached and byIndex may name, each with the names of its indexes.
	Informers map[string][]string
	// Dropped are the fields that the informer cuts out of its objects. To read one, or what is in
	// it, is a mistake.
	Dropped []object.Path
	// Schema says which fields the objects have. Nil: nothing is known, every field may be there.
	Schema *Schema
}

// Kind is what an expression is for.
type Kind uint8

const (
	// KindFilter looks at an event: op, object, old, initial, missed. It gives true or false.
	KindFilter Kind = iota
	// KindSelect looks at an object alone and says whether it belongs to a set: it has no op, old,
	// initial, missed, changed or became. It gives true or false.
	KindSelect
	// KindDeny is as KindSelect. It gives true if the object violates a rule.
	KindDeny
	// KindMessage is as KindSelect, but gives a text.
	KindMessage
)

// Position is a place in a file. Line and column count from 1, columns in characters.
type Position struct{ Line, Column int }

// inFile returns where the offset-th character is in the file.
func (s Expression) inFile(offset int, p Place) Position {
	if n := len(s.Positions); n > 0 {
		return s.Positions[min(max(offset, 0), n-1)]
	}
	return Position{p.Line + max(0, s.Line-1), p.Column + max(0, s.Column-1)}
}

// Place is a position in an expression. Columns count characters within the expression's own line,
// from 1.
type Place struct {
	Line, Column int
	text         string // of that line
}

// at finds the place of the offset-th character.
func (s Expression) at(offset int) Place {
	p := Place{Line: 1, Column: 1}
	start, n := 0, 0
	for i, r := range s.Text {
		if n >= offset {
			break
		}
		n++
		p.Column++
		if r == '\n' {
			p.Line++
			p.Column = 1
			start = i + 1
		}
	}
	p.text, _, _ = strings.Cut(s.Text[start:], "\n")
	p.text = strings.TrimRight(p.text, "\r")
	return p
}

// position names the place of the offset-th character the way compilers do. Without a known first
// line, lines are those of the expression.
func (s Expression) position(offset int) string {
	file := s.File
	if file == "" {
		file = s.Kind.Word().Name
	}
	at := s.inFile(offset, s.at(offset))
	return fmt.Sprintf("%s:%d:%d", file, at.Line, at.Column)
}

// owner says whose expression it is.
func (s Expression) owner() string {
	owner := ""
	if s.Listener != "" {
		owner = fmt.Sprintf("listener %q: ", s.Listener)
	}
	if s.Rule != "" {
		owner += fmt.Sprintf("rule %q: ", s.Rule)
	}
	return owner
}

// The part of a long line that an error shows around its place, in characters.
const (
	shownBefore = 60
	shownAfter  = 60
)

// snippet shows the place's line and a caret below it, nothing of an empty line.
func (p Place) snippet() string {
	if strings.TrimSpace(p.text) == "" {
		return ""
	}
	line := []rune(p.text)
	caret := min(p.Column-1, len(line))
	from, to := 0, len(line)
	head, tail := "", ""
	if caret > shownBefore {
		from, head = caret-shownBefore, "…"
	}
	if to-caret > shownAfter {
		to, tail = caret+shownAfter, "…"
	}
	var pad strings.Builder
	pad.WriteString(strings.Repeat(" ", len([]rune(head))))
	for _, r := range line[from:caret] {
		if r != '\t' { // a tab below a tab keeps the caret in its column
			r = ' '
		}
		pad.WriteRune(r)
	}
	return "\n  " + head + string(line[from:to]) + tail + "\n  " + pad.String() + "^"
}
