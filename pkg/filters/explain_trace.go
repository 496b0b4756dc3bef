package filters

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// trace records the values of an expression's parts, as its program evaluates them.
type trace struct {
	extents *lang.Extents
	parts   map[ast.Node]*part // by the node the user wrote
	list    []*part
	open    []openPart // those that have not ended, the outermost first
}

// part is a node whose value is recorded, with the text that it was written as.
type part struct {
	text     string
	place    lang.Position // in the expression
	children []*part
	became   bool     // it is a call of became
	changed  []string // the paths of a call of changed

	number int
	depth  int // the number of predicates that it is in
	runs   int
	first  []recorded // the first runs, shownRuns - 1 of them
	last   recorded   // the last of the further runs
}

type openPart struct {
	part *part
	item int // of the innermost predicate
}

// recorded is the value of one run, and the items of the predicates around it.
type recorded struct {
	at    [lang.MaxNesting]int
	value any
}

// shownRuns is how many runs of a part are shown: the first ones, and the last, which
// decided.
const shownRuns = 3

// reset forgets what was recorded.
func (t *trace) reset() {
	t.open = t.open[:0]
	for _, p := range t.list {
		p.runs, p.first, p.last = 0, nil, recorded{}
	}
}

// Part returns the number of the part that a node is.
func (t *trace) Part(n ast.Node) (number, depth int, ok bool) {
	p, ok := t.parts[n]
	if !ok {
		return 0, 0, false
	}
	return p.number, p.depth, true
}

// Begin notes that a part is being evaluated, so that what a fault leaves unfinished is known.
func (t *trace) Begin(part, item int) bool {
	t.open = append(t.open, openPart{t.list[part], item})
	return true
}

// End records the value of the part that began last. The value is written only after the
// run, so that recording hardly slows it.
func (t *trace) End(value any) {
	p := t.open[len(t.open)-1].part
	p.runs++
	r := recorded{at: t.items(), value: value}
	if len(p.first) < shownRuns-1 {
		p.first = append(p.first, r)
	} else {
		p.last = r
	}
	t.open = t.open[:len(t.open)-1]
}

// items returns the items of the predicates around the innermost open part.
func (t *trace) items() (at [lang.MaxNesting]int) {
	// the part of an outer predicate began before that of an inner one, and is open
	for _, o := range t.open {
		if d := o.part.depth; d > 0 {
			at[d-1] = o.item
		}
	}
	return at
}

// failed ends the parts that a fault left unfinished.
func (t *trace) failed() {
	for len(t.open) > 0 {
		t.End(failure{})
	}
}

// failure is the value of a part that failed.
type failure struct{}
