package lang

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Expression is an expression as somebody wrote it: its text, its place in a file, its kind,
// and what is known of the events that it will see.
type Expression struct {
	Text string
	File string // of the configuration, "" if there is none
	Line int    // of the expression's first line in File, from 1; 0 if unknown
	// of each line's first character in File, from 1; 0 if unknown, then columns count within the
	// line
	Column   int
	Listener string
	Rule     string // that it belongs to, "" if there is none
	Output   string // the same
	Cluster  string // the value of the variable cluster, unless the kind looks at messages
	// ClusterLabels are cluster.labels.
	ClusterLabels map[string]string

	// Positions, if there are any, are the places in File of each character of the text and of
	// its end. They take precedence over Line and Column.
	Positions []Position

	// Kind is what the expression is for.
	Kind Kind
	// On has the ops of the events that the expression may see; 0 means all. What can never be
	// true of them is a warning.
	On event.OpSet
	// Informers has the informers that cached, byIndex and clusters may name, with the names of
	// their indexes.
	Informers map[string][]string
	// LookedUp says of those informers what their objects are, as far as it is known.
	LookedUp map[string]LookedUp
	// Dropped are the fields that the informer removes from its objects. Reading one, or a field
	// in it, is a mistake.
	Dropped []object.Path
	// Texts has the only texts that a variable of messages may be, besides the empty one. One
	// without an entry may be any.
	Texts map[string][]string
	// Schema describes the fields of the objects. With nil, any field may exist.
	Schema *Schema
	// NoData reports that no handler makes the data of the messages: it is always nil.
	NoData bool
	// IsCredential reports whether what has a name must not be written down: a text of data that
	// has it is warned of. Nil: nothing is.
	IsCredential func(name string) bool
	// Now is the time that age counts to; zero: that of each evaluation.
	Now time.Time
}

// LookedUp is what is known of the objects that cached, byIndex and clusters find in an informer.
type LookedUp struct {
	Schema  *Schema       // as Expression.Schema
	Dropped []object.Path // as Expression.Dropped
}

// Kind is what an expression is for, and so which names there are and what it must return.
type Kind uint8

const (
	// KindFilter looks at an event: op, object, old, initial, missed, resumed. It returns true
	// or false.
	KindFilter Kind = iota
	// KindSelect looks at an object alone and returns whether it belongs to a set: it has no op,
	// old, initial, missed, resumed, changed or became.
	KindSelect
	// KindDeny is like KindSelect. It returns true if the object violates a rule.
	KindDeny
	// KindMessage is like KindSelect, but returns a text.
	KindMessage
	// KindWhen looks at a message that an output could send: it has the names of an event, those
	// of MessageVariables, and no function of OfCaches. It returns whether the output sends it.
	KindWhen
	// KindData is like KindWhen, but returns any value, as JSON: what the output sends.
	KindData
	// KindText is like KindWhen, but returns a text: a subject, a label.
	KindText
)

// Position is a place in a file. Line and column count from 1, columns in characters.
type Position struct{ Line, Column int }

// inFile returns the position in the file of the offset-th character, which has a position in the
// expression.
func (s Expression) inFile(offset int, p Position) Position {
	if n := len(s.Positions); n > 0 {
		return s.Positions[min(max(offset, 0), n-1)]
	}
	return Position{p.Line + max(0, s.Line-1), p.Column + max(0, s.Column-1)}
}

// at returns the position in the expression of the offset-th character, and the line that has it.
func (s Expression) at(offset int) (Position, string) {
	p := Position{Line: 1, Column: 1}
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
	line, _, _ := strings.Cut(s.Text[start:], "\n")
	return p, strings.TrimRight(line, "\r")
}

// position returns the place of the offset-th character as compilers write it. If the first
// line is unknown, lines are those of the expression.
func (s Expression) position(offset int) string {
	at, _ := s.at(offset)
	at = s.inFile(offset, at)
	return fmt.Sprintf("%s:%d:%d", cmp.Or(s.File, s.Kind.Word().Name), at.Line, at.Column)
}

// owner returns the listener, the output and the rule that the expression belongs to.
func (s Expression) owner() string {
	owner := ""
	for _, of := range [][2]string{{"listener", s.Listener}, {"output", s.Output}, {"rule", s.Rule}} {
		if of[1] != "" {
			owner += fmt.Sprintf("%s %q: ", of[0], of[1])
		}
	}
	return owner
}

// The part of a long line that an error shows around its place, in characters.
const (
	shownBefore = 60
	shownAfter  = 60
)

// snippet returns a line with a caret below a column, nothing for an empty line.
func snippet(text string, column int) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	line := []rune(text)
	caret := min(column-1, len(line))
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
