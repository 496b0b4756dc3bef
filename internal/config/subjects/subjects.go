// Package subjects finds what is wrong with a subject of NATS in the texts of the expression that
// makes it.
//
//   - Only what is part of every subject that the expression makes is looked at: a text that it is,
//     or one that it joins with others by +.
//   - What is refused here is refused of each message by package nats of internal/sink as well.
package subjects

import (
	"strings"
	"unicode"
)

const example = `, as in '"k8s." + resource'`

// Check returns what is wrong with the texts of an expression, as it follows its field, and what to
// do; both are empty if nothing is.
func Check(expression string) (problem, hint string) {
	parts, ok := joined(expression)
	if !ok {
		return "", ""
	}
	for i, part := range parts {
		if part.unknown {
			continue
		}
		if problem, hint = checkText(part.text, i == 0, i == len(parts)-1); problem != "" {
			return problem, hint
		}
	}
	return "", ""
}

// checkText checks a text that a subject has, at its beginning, its end or both.
func checkText(text string, first, last bool) (problem, hint string) {
	switch {
	case text == "" && first && last:
		return " is empty", "write a text or a field" + example
	case strings.ContainsFunc(text, unicode.IsSpace):
		return " has a space or a line break in it, which a subject cannot have",
			"join its levels by dots" + example
	case strings.ContainsAny(text, "*>"):
		return " has a wildcard (* or >) in it, which is for those who subscribe",
			"name the one subject that is published to" + example
	case strings.ContainsFunc(text, unicode.IsControl):
		return " has a control character in it, which a subject cannot have", "remove it"
	case first && strings.HasPrefix(text, "."):
		return " begins with a dot, and a level must not be empty", "remove the dot"
	case last && strings.HasSuffix(text, "."):
		return " ends with a dot, and a level must not be empty",
			"remove the dot, or join what follows" + example
	case strings.Contains(text, ".."):
		return " has two dots in a row, and a level must not be empty", "remove one of them"
	case first && (strings.HasPrefix(text, "$") && !strings.HasPrefix(text, "$KV.") ||
		strings.HasPrefix(text, "_INBOX.")):
		return " begins as the server's own subjects do", "begin it with another text" + example
	}
	return "", ""
}

// part is a part of a subject: a text, or what is not known before there is a message.
type part struct {
	text    string
	unknown bool
}

// joined returns the parts that an expression joins by +. Texts that follow one another are one. It
// is not ok if the expression may be something else.
func joined(expression string) (parts []part, ok bool) {
	add := func(source string) bool {
		source = strings.TrimSpace(source)
		text, isText := literal(source)
		if source == "" || !isText && decides(source) {
			return false
		}
		if last := len(parts) - 1; isText && last >= 0 && !parts[last].unknown {
			parts[last].text += text
			return true
		}
		parts = append(parts, part{text, !isText})
		return true
	}
	begin := 0
	for i, c := range outside(expression) {
		if c == '+' {
			if !add(expression[begin:i]) {
				return nil, false
			}
			begin = i + 1
		}
	}
	return parts, add(expression[begin:])
}

// decides reports whether a part has an operator that binds less than +, or a comment: then the
// texts next to it may be parts of anything.
func decides(source string) bool {
	plain := strings.NewReplacer("??", "", "?.", "").Replace(string(outside(source)))
	if strings.ContainsAny(plain, "?:=<>|&!;#\n") || strings.Contains(plain, "//") {
		return true
	}
	for _, word := range strings.Fields(plain) {
		switch word {
		case "and", "or", "not", "in", "contains", "matches", "startsWith", "endsWith", "let":
			return true
		}
	}
	return false
}

// literal returns the text of a part that is nothing but a text in quotes without escapes.
func literal(source string) (text string, ok bool) {
	last := len(source) - 1
	if last < 1 || !strings.ContainsRune("\"'`", rune(source[0])) || source[last] != source[0] {
		return "", false
	}
	text = source[1:last]
	return text, !strings.ContainsAny(text, source[:1]+`\`)
}

// outside returns an expression with spaces for what is in quotes or in brackets, byte by byte.
func outside(expression string) []byte {
	plain := []byte(expression)
	depth := 0
	var quote byte
	for i := 0; i < len(plain); i++ {
		c := plain[i]
		hide := depth > 0 || quote != 0
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' && i+1 < len(plain) {
				plain[i] = ' '
				i++
			} else if c == quote {
				quote = 0
			}
		case strings.IndexByte("\"'`", c) >= 0:
			quote, hide = c, true
		case strings.IndexByte("([{", c) >= 0:
			depth++
			hide = true
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		if hide {
			plain[i] = ' '
		}
	}
	return plain
}
