package filters

import (
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// trace is what a filter that explains knows of its expression's parts. In its program every part
// is the second argument of a call that records its value; the first one is a call that says the
// part has begun, so that what a fault left unfinished is known.
type trace struct {
	parts map[ast.Node]*part // by the node the user wrote
	list  []*part
	open  []opened // those that have begun and not ended, the outermost first

	begins []*ast.CallNode // of the parts within predicates
}

// part is a node whose value is recorded.
type part struct {
	number int
	depth  int // the number of predicates it stands in
	runs   int
	first  []recorded // the first runs, shownRuns - 1 of them
	last   recorded   // the last of those after them
}

type opened struct {
	part *part
	item int // of the innermost predicate
}

// recorded is the value of one run, and the items that the predicates around were at.
type recorded struct {
	at    [MaxNesting]int
	value any
}

// shownRuns is how many runs of a part are shown: the first ones, and the last, which is the one
// that decided.
const shownRuns = 3

// add makes a part of a node that stands in depth predicates.
func (t *trace) add(n ast.Node, depth int) *part {
	p, ok := t.parts[n]
	if !ok { // the parser puts one node in two places for 1 < a < 9 and a ?: b
		p = &part{number: len(t.list), depth: min(depth, MaxNesting)}
		t.parts[n] = p
		t.list = append(t.list, p)
	}
	return p
}

// wrap puts the calls around what has become of the node. A nil trace changes nothing.
func (t *trace) wrap(written, rewritten ast.Node) ast.Node {
	if t == nil || t.parts[written] == nil {
		return rewritten
	}
	p := t.parts[written]
	var item []ast.Node
	if p.depth > 0 {
		item = []ast.Node{&ast.IntegerNode{}}
	}
	begin := call(written, "@begins"+strconv.Itoa(p.number), item...)
	if p.depth > 0 {
		t.begins = append(t.begins, begin.(*ast.CallNode))
	}
	if typeOf(rewritten) == typeBool {
		return call(written, boolTrace+strconv.Itoa(p.number), begin, rewritten)
	}
	return call(written, "@gives"+strconv.Itoa(p.number), begin, rewritten)
}

// count lets those that begin within a predicate know its item. expr's compiler can do that and its
// checker refuses it, so it is done between them.
func (t *trace) count() {
	if t == nil {
		return
	}
	for _, begin := range t.begins {
		index := &ast.PointerNode{Name: "index"}
		index.SetLocation(begin.Location())
		index.SetNature(*begin.Arguments[0].Nature())
		begin.Arguments[0] = index
	}
}

// boolTrace begins the names of those that give what is known to be true or false. Other parts lose
// their type, which makes the operations on them those of values that are not known before.
const boolTrace = "@givesBool"

func isBoolTraceName(name string) bool { return strings.HasPrefix(name, boolTrace) }

// bind adds the functions that record.
func (t *trace) bind(env map[string]any) {
	if t == nil {
		return
	}
	for _, p := range t.list {
		number := strconv.Itoa(p.number)
		if p.depth > 0 {
			env["@begins"+number] = func(item int) bool { return t.begin(p, item) }
		} else {
			env["@begins"+number] = func() bool { return t.begin(p, 0) }
		}
		env["@gives"+number] = func(_, value any) any { t.end(value); return value }
		env[boolTrace+number] = func(_, value bool) bool { t.end(value); return value }
	}
}

func (t *trace) begin(p *part, item int) bool {
	t.open = append(t.open, opened{p, item})
	return true
}

// end records the value of the part that began last. It is not looked at before the run is over, so
// that a run that is recorded takes hardly longer than one that is not.
func (t *trace) end(value any) {
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

// items are those that the predicates around the innermost open part are at.
func (t *trace) items() (at [MaxNesting]int) {
	// the part of a predicate around another began before that one's, and is open
	for _, o := range t.open {
		if d := o.part.depth; d > 0 {
			at[d-1] = o.item
		}
	}
	return at
}

// failed makes a run of every part that a fault left unfinished.
func (t *trace) failed() {
	for len(t.open) > 0 {
		t.end(failure{})
	}
}

// failure stands for the value of a part that failed.
type failure struct{}
