package syntax

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// prefixForms are the functions of Go's templates, whose arguments follow them, and what is
// written here. $0 and $1 are the arguments; and, or and eq may have more.
var prefixForms = map[string]string{
	"eq": "$0 == $1", "ne": "$0 != $1", "lt": "$0 < $1", "le": "$0 <= $1", "gt": "$0 > $1",
	"ge": "$0 >= $1", "and": "$0 && $1", "or": "$0 || $1", "not": "!$0", "empty": "len($0) == 0",
	"hasPrefix": "$1 startsWith $0", "hasSuffix": "$1 endsWith $0", "contains": "$1 contains $0",
	"default": "$1 ?? $0", "lower": "lower($0)", "upper": "upper($0)", "len": "len($0)",
	"index": "$0[$1]", "hasKey": "$1 in $0", "quote": "$0", "toString": "string($0)",
}

var prefixToken = regexp.MustCompile("^(?:\"[^\"]*\"|'[^']*'|`[^`]*`|[()]|-?\\d[\\w.]*|[$.]?[A-Za-z_][\\w.$]*)")

// prefix recognizes a condition of Go's templates, such as eq .status.phase "Failed".
func (s Source) prefix(_ string, offset int, _ []rune) *lang.CompileError {
	text := strings.TrimSpace(s.Text)
	for _, begin := range []string{"{{-", "{{", "if "} {
		text = strings.TrimSpace(strings.TrimPrefix(text, begin))
	}
	for _, end := range []string{"}}", " then "} {
		text, _, _ = strings.Cut(text, end)
	}
	text = strings.TrimSpace(text)
	var tokens []string
	for rest := text; rest != ""; rest = strings.TrimLeft(rest, " \t\r\n") {
		token := prefixToken.FindString(rest)
		if token == "" || len(tokens) > 100 {
			return nil
		}
		tokens, rest = append(tokens, token), rest[len(token):]
	}
	if len(tokens) < 2 || tokens[0] == "not" && tokens[1] != "(" {
		return nil
	}
	p := prefixReader{s, tokens}
	write := ""
	if tokens[0] == "(" {
		write = p.argument(0)
	} else {
		write = p.call(0)
	}
	fix := &lang.Fix{From: 0, To: len([]rune(s.Text)), Text: write}
	if write == "" || len(p.tokens) > 0 || !s.reads(*fix) {
		return nil
	}
	return s.Proposed(offset, fix, "an operator is written between its values: write %s", write)
}

type prefixReader struct {
	source Source
	tokens []string
}

// call reads a function and its arguments, "" if there is none.
func (p *prefixReader) call(depth int) string {
	if len(p.tokens) < 2 || depth > 10 {
		return ""
	}
	name := p.tokens[0]
	form := prefixForms[name]
	p.tokens = p.tokens[1:]
	var args []string
	for len(p.tokens) > 0 && p.tokens[0] != ")" {
		arg := p.argument(depth)
		if arg == "" {
			return ""
		}
		args = append(args, arg)
	}
	want := strings.Count(form, "$")
	switch {
	case form == "" || len(args) < want:
		return ""
	case len(args) > want && (name == "and" || name == "or"):
		return strings.Join(args, strings.TrimSuffix(strings.TrimPrefix(form, "$0"), "$1"))
	case len(args) > want && name == "eq":
		return args[0] + " in [" + strings.Join(args[1:], ", ") + "]"
	case len(args) > want:
		return ""
	}
	for i, arg := range args {
		form = strings.Replace(form, "$"+string(rune('0'+i)), strings.ReplaceAll(arg, "$", "\x00"), 1)
	}
	return strings.ReplaceAll(form, "\x00", "$")
}

func (p *prefixReader) argument(depth int) string {
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	if token != "(" {
		if strings.ContainsRune("\"'`-0123456789", rune(token[0])) {
			return token
		}
		return p.source.rooted(token)
	}
	inner := p.call(depth + 1)
	if inner == "" || len(p.tokens) == 0 || p.tokens[0] != ")" {
		return ""
	}
	p.tokens = p.tokens[1:]
	return "(" + inner + ")"
}
