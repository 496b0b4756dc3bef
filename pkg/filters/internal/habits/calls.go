package habits

import (
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

var (
	wholeWord = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	keyIs     = regexp.MustCompile(`^# == ("[^"\\]*"|'[^'\\]*')$|^("[^"\\]*"|'[^'\\]*') == #$`)
	keysIn    = regexp.MustCompile(`(^|\.)(\w+)$`)
	textual   = regexp.MustCompile(
		`\.(name|namespace|image|phase|nodeName|message|reason|type|status|kind|uid|host|hostname|path|key|version)$` +
			`|^(label|annotation|lower|upper|trim|string)\(.*\)$|^"[^"]*"$`)
)

// modules are names of other languages that hold functions.
var modules = map[string]bool{"strings": true, "slices": true, "maps": true, "regexp": true,
	"Object": true, "re": true}

// argument is one in brackets, as it is written here.
type argument struct {
	text  string
	named bool // it is a condition in which the item had a name
}

// arguments reads the arguments between brackets. A condition with a name for the item, as in
// c => c.name == "a" or c, c.name == "a", becomes one without.
func (r *rewriter) arguments(name string, on *chain, open int) (args []argument) {
	end, from := r.pair[open], open+1
	var parts [][2]int
	for i := from; i <= end; i++ {
		if other, ok := r.pair[i]; ok {
			i = other
			continue
		}
		if i == end && from < end || r.is(i, ",") {
			parts = append(parts, [2]int{from, i})
			from = i + 1
		}
	}
	first := 1 // the argument that may be the name of the item
	if on != nil {
		first = 0
	}
	if takesCondition(name) && len(parts) == first+2 && parts[first][1] == parts[first][0]+1 &&
		r.isName(parts[first][0]) && r.tokens[parts[first][0]].Kind == lexer.Identifier {
		for _, part := range parts[:first] {
			args = append(args, argument{text: r.part(part[0], part[1])})
		}
		last := parts[first+1]
		return append(args, r.ofItem(r.raw(parts[first][0]), last[0], last[1]))
	}
	for _, part := range parts {
		from, to := part[0], part[1]
		head := from
		variable := ""
		if r.is(from, "(") && r.pair[from] == from+2 {
			variable, head = r.raw(from+1), from+3
		} else if r.isName(from) {
			variable, head = r.raw(from), from+1
		}
		if variable != "" && head+2 < to && r.is(head, "=") && r.is(head+1, ">") {
			args = append(args, r.ofItem(variable, head+2, to))
			continue
		}
		if takesCondition(name) && len(args) == first && len(parts) == first+1 {
			if item := r.unnamed(from, to); item != "" {
				args = append(args, r.ofItem(item, from, to))
				continue
			}
			r.refuseOuter("", from, to)
		}
		args = append(args, argument{text: r.part(from, to)})
	}
	return args
}

// ItemNames are what other languages often call an item of a list. Single letters are others.
var ItemNames = []string{"item", "it", "elem", "element", "each", "entry", "container", "value"}

// unnamed returns the name that a condition has for an item without saying so, as in
// any(list, item.name == "a"); "" if it has none.
func (r *rewriter) unnamed(from, to int) string {
	for i := from; i+1 < to; i++ {
		value := r.tokens[i].Value
		if r.tokens[i].Kind == lexer.Identifier && !r.is(i-1, ".", "?.") && r.is(i+1, ".", "?.") &&
			!slices.Contains(r.items, value) &&
			(len(value) == 1 || slices.Contains(ItemNames, value)) {
			return value
		}
	}
	return ""
}

// ofItem reads a condition in which a name is the item. What is around it must not be named, since
// it has no name here.
func (r *rewriter) ofItem(variable string, from, to int) argument {
	r.refuseOuter(variable, from, to)
	r.items = append(r.items, variable)
	text := OfItem(r.part(from, to), variable)
	r.items = r.items[:len(r.items)-1]
	return argument{text: text, named: true}
}

// refuseOuter gives up if a condition names the item of an enclosing list: that has no name here.
// The exception is the name of the item that the condition itself is about.
func (r *rewriter) refuseOuter(except string, from, to int) {
	for i := from; i < to; i++ {
		if r.tokens[i].Kind == lexer.Identifier && !r.is(i-1, ".", "?.") &&
			slices.Contains(r.items, r.tokens[i].Value) && r.tokens[i].Value != except {
			r.failed = true
		}
	}
}

// takesCondition reports whether a function of any language has a condition about items.
func takesCondition(name string) bool {
	return slices.Contains(lang.Predicates, name) || Table[strings.ToLower(name)].Item
}

// write writes a function or method of another language here. Unchanged means that it has no form.
func (r *rewriter) write(name string, args []string, method bool, next int) chain {
	c := chain{next: next, changed: true, closed: true}
	lower := strings.ToLower(name)
	if method && len(args) == 2 && (lower == "exists" || Table[lower].Item) {
		if text := ofMap(lower, args[0], args[1]); text != "" {
			c.text, c.closed = text, atomic(text)
			return c
		}
	}
	if method && OfKeys[lower] && len(args) == 2 && constantText(args[1]) &&
		isMapOfTexts(args[0]) {
		lower = "haskey"
	}
	if isText := len(args) > 0 && textual.MatchString(args[0]); lower == "includes" &&
		isText != r.asked.Swap || lower == "contains" && !r.asked.Swap {
		lower = "contains"
	} else if lower == "contains" || lower == "includes" {
		lower = "includes"
	}
	h, args := For(lower, args)
	if !method && h.Write == "" { // strings.HasPrefix is like HasPrefix
		for module := range modules {
			if rest, ok := strings.CutPrefix(lower, strings.ToLower(module)); ok && h.Write == "" {
				h = Table[rest]
			}
		}
	}
	switch {
	case h.Write != "" && h.Args == len(args):
		c.text = h.Fill(args)
	case slices.Contains(r.asked.Functions, name) && len(args) > 0:
		c.text = name + "(" + strings.Join(args, ", ") + ")"
	default:
		return chain{next: next - 1}
	}
	c.closed = atomic(c.text)
	return c
}

// ofMap writes a condition about the items of a map of texts, which are its keys in CEL.
func ofMap(name, of, condition string) string {
	if !isMapOfTexts(of) || constantText(condition) {
		return ""
	}
	if found := keyIs.FindStringSubmatch(condition); found != nil && (name == "exists" ||
		name == "some" || name == "any") {
		key := found[1] + found[2]
		for _, what := range []string{"label", "annotation"} {
			if of == "object.metadata."+what+"s" {
				return what + "(" + key + ") != nil"
			}
		}
		return key + " in " + of
	}
	return Table[name].Fill([]string{"keys(" + of + ")", condition})
}

// isMapOfTexts reports whether a text names a field that is a map of texts in most resources.
func isMapOfTexts(text string) bool {
	found := keysIn.FindStringSubmatch(text)
	return found != nil && HasKeys([]any{found[2]})
}

var oneText = regexp.MustCompile(`^(?:"[^"]*"|'[^']*')$`)

func constantText(text string) bool { return oneText.MatchString(text) }

// atomic reports whether a text is one value, which no operator around it can split.
func atomic(text string) bool {
	tokens, err := lexer.Lex(file.NewSource(text))
	if err != nil {
		return false
	}
	depth := 0
	for _, token := range tokens {
		switch {
		case token.Kind == lexer.Bracket && strings.Contains("([{", token.Value):
			depth++
		case token.Kind == lexer.Bracket:
			depth--
		case token.Kind == lexer.Operator && depth == 0 && token.Value != "." &&
			token.Value != "?." && token.Value != "#":
			return false
		}
	}
	return true
}

// OfItem rewrites a condition in which a variable is the item.
func OfItem(condition, variable string) string {
	tokens, err := lexer.Lex(file.NewSource(condition))
	if err != nil || !wholeWord.MatchString(variable) {
		return condition
	}
	var b strings.Builder
	source, behind := []rune(condition), 0
	for i, token := range tokens {
		if token.Kind != lexer.Identifier || token.Value != variable ||
			i > 0 && (tokens[i-1].Value == "." || tokens[i-1].Value == "?.") ||
			i+1 < len(tokens) && tokens[i+1].Value == "(" && tokens[i+1].Kind == lexer.Bracket {
			continue
		}
		b.WriteString(string(source[behind:token.From]))
		behind = token.To
		if i+1 >= len(tokens) || tokens[i+1].Value != "." || tokens[i+1].Kind != lexer.Operator {
			b.WriteString("#")
		}
	}
	return b.String() + string(source[behind:])
}
