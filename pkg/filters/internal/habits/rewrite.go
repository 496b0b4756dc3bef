package habits

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// rewriter writes the functions and methods of other languages in the words of this one, those
// within others first. It works on tokens, since much of what it reads is no expression here.
type rewriter struct {
	asked   Asked
	source  []rune
	tokens  []lexer.Token
	pair    map[int]int // the closing bracket of each opening one
	items   []string    // the names that items have here, the innermost last
	changes []lang.Fix  // of the outermost parts that change
	failed  bool        // there is something that has no form here
}

// Asked is what is to be rewritten.
type Asked struct {
	Text      string
	Functions []string     // that there are
	Refused   map[int]bool // the places of fields that lists and texts do not have, in characters
	// Swap chooses in where contains would be written, and the other way round: some languages
	// have one name for both.
	Swap bool
}

// Rewritings returns the parts of a text that have a form in this language, each as a whole.
func Rewritings(asked Asked) []lang.Fix {
	tokens, err := lexer.Lex(file.NewSource(asked.Text))
	if err != nil {
		return nil
	}
	r := &rewriter{asked: asked, source: []rune(asked.Text), tokens: tokens, pair: map[int]int{}}
	var open []int
	for i, token := range tokens {
		switch {
		case token.Kind != lexer.Bracket:
		case strings.Contains("([{", token.Value):
			open = append(open, i)
		case len(open) == 0:
			return nil
		default:
			r.pair[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return nil
	}
	r.part(0, len(tokens)-1)
	if r.failed {
		return nil
	}
	return r.changes
}

// part returns the tokens from one to before another as text, with what is between them.
func (r *rewriter) part(from, to int) string {
	var b strings.Builder
	for i := from; i < to; {
		if i > from {
			b.WriteString(r.between(r.tokens[i-1].To, r.tokens[i].From))
		}
		known := len(r.changes)
		begin := i == from || r.looseBefore(i)
		c := r.chain(i, to, begin)
		if c.changed {
			if !c.closed && !(begin && (c.next >= to || r.isLoose(c.next))) {
				c.text = "(" + c.text + ")"
			}
			r.changes = append(r.changes[:known], lang.Fix{From: r.tokens[i].From,
				To: r.tokens[c.next-1].To, Text: c.text})
		}
		b.WriteString(c.text)
		i = c.next
	}
	return b.String()
}

func (r *rewriter) between(from, to int) string { return string(r.source[from:max(from, to)]) }

func (r *rewriter) raw(i int) string { return r.between(r.tokens[i].From, r.tokens[i].To) }

// is reports whether a token is this operator or bracket.
func (r *rewriter) is(i int, values ...string) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].Kind != lexer.String &&
		slices.Contains(values, r.tokens[i].Value)
}

// isName reports whether a token is a word, which an operator such as contains is too.
func (r *rewriter) isName(i int) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].Kind != lexer.String &&
		wholeWord.MatchString(r.tokens[i].Value)
}

// isLoose reports whether a token binds less than any operator that a rewritten text has.
func (r *rewriter) isLoose(i int) bool {
	return r.is(i, "&&", "||", "and", "or", ",", ";", "?", ":", "{", "}", "(", ")", "]")
}

func (r *rewriter) looseBefore(i int) bool {
	return r.isLoose(i-1) || r.is(i-1, ">") && r.is(i-2, "=")
}

// chain is a value with the fields, indexes and calls that follow it.
type chain struct {
	text    string
	next    int  // the token behind it
	changed bool // it is not what was written
	closed  bool // no operator of it is outside of brackets
}

// chain reads the chain that begins at a token.
func (r *rewriter) chain(i, to int, begins bool) chain {
	c, ok := r.begin(i, to, begins)
	for ok && c.next < to {
		behind, at := c, c.next
		blank := r.between(r.tokens[at-1].To, r.tokens[at].From)
		switch {
		case r.is(at, ".", "?.") && r.isName(at+1):
			behind = r.step(c, at, blank)
		case r.is(at, "["):
			if key, ok := r.condition(c, at); ok {
				behind = key
				break
			}
			behind.text = c.operand() + blank + r.bracket(at)
			behind.next, behind.closed = r.pair[at]+1, true
		case r.is(at, "|") && begins && r.isName(at+1):
			behind = r.piped(c, at)
		}
		if behind.next == c.next {
			break
		}
		c = behind
	}
	return c
}

// operand returns the text for something to follow it.
func (c chain) operand() string {
	if c.closed {
		return c.text
	}
	return "(" + c.text + ")"
}

// begin reads the first value of a chain, false if the token does not begin one.
func (r *rewriter) begin(i, to int, begins bool) (c chain, ok bool) {
	c = chain{text: r.raw(i), next: i + 1, closed: true}
	infix := r.is(i, "contains", "startsWith", "endsWith", "matches")
	switch {
	case r.tokens[i].Kind == lexer.Bracket:
		c.text, c.next = r.bracket(i), r.pair[i]+1
	case r.is(i+1, "(") && (r.tokens[i].Kind == lexer.Identifier || infix && begins):
		return r.call(r.raw(i), nil, i, i+1), true
	case r.is(i, ".", "?.", "#"):
		if i+1 < to && r.isName(i+1) && r.tokens[i].To == r.tokens[i+1].From &&
			!r.is(i+2, "(") {
			c.text, c.next = c.text+r.raw(i+1), i+2
		}
	default:
		return c, r.tokens[i].Kind != lexer.Operator
	}
	return c, true
}

// bracket returns a pair of brackets with what is in it.
func (r *rewriter) bracket(open int) string {
	end := r.pair[open]
	if end == open+1 {
		return r.between(r.tokens[open].From, r.tokens[end].To)
	}
	return r.raw(open) + r.between(r.tokens[open].To, r.tokens[open+1].From) +
		r.part(open+1, end) + r.between(r.tokens[end-1].To, r.tokens[end].From) + r.raw(end)
}

// step reads .name or .name(…) behind a value.
func (r *rewriter) step(c chain, at int, blank string) chain {
	name := r.raw(at + 1)
	if r.is(at+2, "(") {
		return r.call(name, &c, at+1, at+2)
	}
	if (r.asked.Refused[r.tokens[at+1].From] || c.changed) && slices.Contains(lengths, name) {
		return chain{text: "len(" + c.text + ")", next: at + 2, changed: true, closed: true}
	}
	if key, ok := r.condition(c, at); ok {
		return key
	}
	c.text = c.operand() + blank + r.raw(at) +
		r.between(r.tokens[at].To, r.tokens[at+1].From) + name
	c.next, c.closed = at+2, true
	return c
}

// lengths are fields of other languages that are the length of a value.
var lengths = []string{"length", "size", "count", "Length", "Count"}

// condition reads object.status.conditions.Ready, which is a list here.
func (r *rewriter) condition(c chain, at int) (key chain, ok bool) {
	name := r.tokens[min(at+1, len(r.tokens)-1)]
	next := at + 2
	if r.is(at, "[") {
		next = r.pair[at] + 1
		if name.Kind != lexer.String || next != at+3 {
			return c, false
		}
	}
	if slices.Contains(ofConditions, name.Value) || !r.asked.Refused[name.From] || strings.ReplaceAll(c.text, "?", "") != "object.status.conditions" {
		return c, false
	}
	return chain{text: "condition(" + strconv.Quote(name.Value) + ")", next: next, changed: true,
		closed: true}, true
}

// ofConditions are fields of a condition, and not types of one.
var ofConditions = []string{"type", "status", "reason", "message"}

// piped reads value | length, which needs brackets here.
func (r *rewriter) piped(c chain, at int) chain {
	name := r.raw(at + 1)
	if r.is(at+2, "(") {
		if slices.Contains(r.asked.Functions, name) {
			return c // it is right like this
		}
		return r.call(name, &c, at+1, at+2)
	}
	args, next := []string{c.text}, at+2 // Go's templates have constants behind the name
	for ; next < len(r.tokens) && r.isConstant(next); next++ {
		args = append(args, r.raw(next))
	}
	if w := r.write(name, args, false, next); w.changed {
		return w
	}
	return c
}

// isConstant reports whether a token is a text or a number.
func (r *rewriter) isConstant(i int) bool {
	return r.tokens[i].Kind == lexer.String || r.tokens[i].Kind == lexer.Number
}

// call reads the brackets of a function, or of a method of a value, and writes the call.
func (r *rewriter) call(name string, on *chain, at, open int) chain {
	args := r.arguments(name, on, open)
	module, texts, named := "", []string(nil), false
	if on != nil && modules[on.text] {
		module = on.text
	} else if on != nil {
		texts = append(texts, on.text)
	}
	for _, arg := range args {
		texts, named = append(texts, arg.text), named || arg.named
	}
	next := r.pair[open] + 1
	if each := ofSeveral(name, texts); each != "" && on == nil {
		if closed := name == "any" && (r.is(at-1, "&&", "and") || r.is(next, "&&", "and")); closed {
			return chain{text: "(" + each + ")", next: next, changed: true, closed: true}
		}
		return chain{text: each, next: next, changed: true}
	}
	if on != nil || named || !slices.Contains(r.asked.Functions, name) {
		if c := r.write(module+name, texts, on != nil && module == "", next); c.changed {
			return c
		}
	}
	c := chain{text: name, next: next, closed: true}
	if on != nil {
		c.text, c.changed = on.operand()+"."+name, on.changed
		texts = texts[min(1, len(texts)):]
	}
	c.text += "(" + strings.Join(texts, ", ") + ")"
	return c
}
