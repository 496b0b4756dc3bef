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
func (m lineMember) questionIn(line string, flow bool) (sign, brackets string) {
	value := m.ends()
	if value != "" && value[0] == '[' {
		value = quoted.ReplaceAllString(value, "")
	}
	switch sign = question.FindString(value); {
	case sign == "":
	case value[0] == '[' && !m.inBrackets(line):
		return sign, "[…]"
	case flow || m.inBrackets(line):
		return sign, "{…}"
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

// withinBraces finds a line that is wrong in the brackets in which line n is, or which it opens.
func withinBraces(lines []string, n int) (Finding, bool) {
	const most = 40
	if n < 1 || n > len(lines) || objectBegins.MatchString(lines[n-1]) {
		return Finding{}, false
	}
	before := 0
	for i := n - 2; i >= max(0, n-most) && before <= 0; i-- {
		before += balance(lines[i])
	}
	open := max(0, before)
	if open > 0 {
		if f, found := inBracesOnly(lines, n); found {
			return f, true
		}
	}
	open += balance(lines[n-1])
	for i := n; open > 0 && i < min(len(lines), n+most); i++ {
		if f, found := inBracesOnly(lines, i+1); found {
			return f, true
		}
		open += balance(lines[i])
	}
	return Finding{}, false
}

// quotedKey is a key in quotes, without which its line reads as any other.
var quotedKey = regexp.MustCompile(`^(\s*)["']([A-Za-z_][A-Za-z0-9_-]*)["'](:\s.*)$`)

// inBracesOnly looks at a line that is in brackets which another line opens.
func inBracesOnly(lines []string, n int) (Finding, bool) {
	line, quotes := lines[n-1], 0
	if key := quotedKey.FindStringSubmatch(line); key != nil {
		line, quotes = key[1]+key[2]+key[3], 2
	}
	column, message, hint := Line(line, true)
	return Finding{n, column + quotes, message, hint}, column > 0
}
