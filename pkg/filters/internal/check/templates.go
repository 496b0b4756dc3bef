package check

import (
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

// inText are the placeholders in texts: {{ .metadata.name }}, ${name}, $(name), #{name}, {name} and
// <object.metadata.name>. A field that is named within a sentence may be meant by its name.
var inText = regexp.MustCompile(`\{\{-?\s*(.*?)\s*-?\}\}|[$#]\{\s*(.*?)\s*\}|\$\(\s*(.*?)\s*\)|` +
	`\{([$.]*[A-Za-z][\w.]*)\}|<(object\.[\w.]+)>`)

// rooted is what is hardly meant in another way, even in a text that is compared: a field, or a
// call of a function.
var rooted = regexp.MustCompile(`^[.$]*(object|old|metadata|spec|status)\.|^[a-z]\w*\(.*\)$`)

// maxPlaceholders is how many placeholders of one expression are read.
const maxPlaceholders = 20

// template warns about a text with placeholders, which stay in it as they are. What is in one must
// be known, since other texts have brackets, too.
func (w *warner) template(n *ast.StringNode) {
	if !strings.ContainsAny(n.Value, "{$<") {
		return
	}
	sent := w.draft.Kind.Returns() != lang.ReturnsBool
	ok := syntax.Letters.MatchString
	if !sent {
		ok = rooted.MatchString
	}
	found := len(inText.FindAllStringIndex(n.Value, maxPlaceholders+1))
	if w.placeholders += found; found == 0 || w.placeholders > maxPlaceholders {
		return
	}
	filled := w.draft.FilledIn(n.Value, inText, ok)
	switch {
	case filled.Others && filled.Named != "":
		w.warnf(n, "%q stays as it is: an expression is no template; join texts with +, as in \"pod \" + %s",
			filled.Named, filled.Value)
	case filled.Named != "":
		w.warnf(n, "%q stays as it is: an expression is no template; write %s", filled.Named,
			w.asOperand(n, filled.Text))
	case sent && syntax.Template.MatchString(n.Value):
		w.warnf(n, "%q is sent as it is: an expression is no template; join texts with +, as in \"pod \" + object.metadata.name",
			syntax.Template.FindString(n.Value))
	}
}

// asOperand returns a sum of texts for the place of a node, in brackets if an operator there binds
// more tightly.
func (w *warner) asOperand(n ast.Node, sum string) string {
	if w.texts == nil {
		w.texts = nodes.NewExtents(w.draft.Text)
	}
	at, whole := w.texts.Span(n)
	text := []rune(w.draft.Text)
	if !whole || at.To > len(text) {
		return sum
	}
	const blank = " \t\r\n"
	if strings.HasSuffix(strings.TrimRight(string(text[:at.From]), blank), "??") ||
		strings.HasPrefix(strings.TrimLeft(string(text[at.To:]), blank), "??") {
		return "(" + sum + ")"
	}
	return sum
}
