package notyaml

import (
	"regexp"
	"strings"
)

// question is what the parser takes for the begin of a key in brackets, also within a text: the
// operators ??, ?. and ?, and that of a URL.
var question = regexp.MustCompile(`\?[?.]?`)

// quoted is an item of a list that has quotes, within which a question mark is a part of it.
var quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// inBrackets reports whether a member is in brackets that are open where its value begins, or in
// ones that its own line closes or goes on with: a comma is behind it.
func (m lineMember) inBrackets(line string) bool {
	behind := m.value[endOfValue(m.value):]
	return balance(line[:m.offset]) > 0 || behind != "" && behind[0] != '#'
}

// ends returns the value up to the comma or the bracket that ends it in {…}.
func (m lineMember) ends() string {
	return strings.TrimSpace(m.value[:endOfValue(m.value)])
}

// questionIn returns the first operator with a question mark of a value that is in brackets, or is
// a list in brackets, and the brackets around it.
func (m lineMember) questionIn(line string) (sign, brackets string) {
	value := m.ends()
	if value != "" && value[0] == '[' {
		value = quoted.ReplaceAllString(value, "")
	}
	switch sign = question.FindString(value); {
	case sign == "":
	case m.inBrackets(line):
		return sign, "{…}"
	case value[0] == '[':
		return sign, "[…]"
	}
	return "", ""
}

var port = regexp.MustCompile(`^:[0-9]+$`)

// inQuotes says to put the value into quotes, for a sign in it. What may be a credential is not
// shown: a URL, and one word that is neither a path of fields nor a port.
func (m lineMember) inQuotes(sign string) string {
	switch value := m.ends(); {
	case port.MatchString(value):
		return `put "` + value + `" in quotes: ` + m.key + `: "` + value + `"`
	case strings.Contains(value, "://") || !strings.Contains(value, " ") && sign != "?.":
		return "put it in quotes"
	default:
		return "put it in quotes: " + m.key + ": " + Short(inOtherQuotes(value))
	}
}
