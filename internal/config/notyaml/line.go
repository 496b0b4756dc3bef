package notyaml

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// lineMember is a key with its value, on one line. Offset is where the value begins, in
// bytes of the line.
type lineMember struct {
	key, value string
	offset     int
}

var keyBefore = regexp.MustCompile(`^(\s*(?:- +)*)([A-Za-z_][A-Za-z0-9_-]*):\s+`)

// membersOf cuts a line into its members: one, or those in braces.
func membersOf(line string) []lineMember {
	var all []lineMember
	if head := keyBefore.FindStringSubmatch(line); head != nil {
		offset := len(head[0])
		value := strings.TrimRight(line[offset:], " \r")
		if !strings.HasPrefix(value, "{") {
			return []lineMember{{head[2], value, offset}}
		}
		all = inBraces(line, offset)
	}
	if trimmed := strings.TrimLeft(line, " -"); len(all) == 0 && strings.HasPrefix(trimmed, "{") {
		all = inBraces(line, len(line)-len(trimmed))
	}
	return all
}

var keyInBraces = regexp.MustCompile(`[{,]\s*([A-Za-z_][A-Za-z0-9_-]*):\s+`)

// inBraces finds the members of {…}, each up to the next key.
func inBraces(line string, from int) (all []lineMember) {
	heads := keyInBraces.FindAllStringSubmatchIndex(line[from:], -1)
	for i, head := range heads {
		begin, end := from+head[1], len(line)
		if i+1 < len(heads) {
			end = from + heads[i+1][0]
		}
		value := strings.TrimSpace(line[begin:end])
		if i+1 == len(heads) {
			for surplus(value) && strings.HasSuffix(value, "}") || strings.HasSuffix(value, "]") &&
				surplus(value) {
				value = strings.TrimSpace(value[:len(value)-1])
			}
			value = strings.TrimSuffix(value, ",")
		}
		if !strings.HasPrefix(value, "{") {
			all = append(all, lineMember{line[from+head[2] : from+head[3]], value, begin})
		}
	}
	return all
}

// surplus reports whether a text closes more brackets than it opens.
func surplus(text string) bool {
	return strings.Count(text, "[")+strings.Count(text, "{") <
		strings.Count(text, "]")+strings.Count(text, "}")
}

// Quoted writes a value so that YAML leaves it as it is.
func Quoted(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }

// NotClosed ends the messages about a quote that has no second one.
const NotClosed = " is not closed on its line"

// Line returns why a line is not YAML, if that can be seen in the line.
func Line(line string, flow bool) (column int, message, hint string) {
	for _, m := range membersOf(line) {
		column = utf8.RuneCountInString(line[:m.offset]) + 1
		write := fmt.Sprintf("put all of it in single quotes, as in %s: %s, or use | and write it on a line of its own", m.key, Short(Quoted(m.value)))
		if hint := variableHint(m); hint != "" && (flow || strings.Contains(line, "{")) {
			return column, "the value of " + m.key + " has brackets, which end it within {…}", hint
		}
		switch rest, closed := afterQuote(m.value); {
		case m.value == "" || strings.HasPrefix(m.value, "#"):
		case strings.ContainsRune(`"'`, rune(m.value[0])):
			switch {
			case !closed:
				return column, "the quote that begins the value of " + m.key + NotClosed,
					"close it, or put the value in single quotes"
			case rest != "" && !strings.HasPrefix(rest, "#"):
				return column, "the value of " + m.key +
					" begins with a quote and goes on behind it", write
			}
		case strings.ContainsRune("@`%&*|>?!", rune(m.value[0])) &&
			!blockHeader.MatchString(m.value):
			return column, fmt.Sprintf(
				"the value of %s begins with %c, which means something else in YAML", m.key,
				m.value[0]), write
		case strings.ContainsRune("[{", rune(m.value[0])) && endsBehind(m.value):
			return column, "the value of " + m.key + " begins with a bracket and goes on behind it",
				write
		case m.value[0] != '[' && strings.Contains(m.value+" ", ": "):
			return column, `the value of ` + m.key +
				` has ": " in it, which YAML takes for another field`, write
		case (flow || strings.Contains(line, "{")) && m.value[0] != '[' &&
			strings.ContainsAny(m.value, "[]{},\"'"):
			return column, "the value of " + m.key +
				" has brackets, quotes or commas, which end it within {…}", write
		}
	}
	return 0, "", ""
}

var variable = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

// variableHint returns the hint for a variable of a shell, where its name can be written instead.
func variableHint(m lineMember) string {
	name := variable.FindStringSubmatch(m.value)
	if name == nil || m.key != "url" && m.key != "secret" && m.key != "password" &&
		m.key != "Authorization" {
		return ""
	}
	return "variables are not replaced: write " + m.key + ": {fromEnv: " + name[1] + "}"
}

var blockHeader = regexp.MustCompile(`^[|>][0-9+-]*(\s+#.*)?$`)

// maxShown is how many characters of a value a hint shows.
const maxShown = 64

// Short cuts a value that is too long to be shown.
func Short(value string) string {
	if runes := []rune(value); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return value
}

// afterQuote is what follows a text in quotes, and whether there is a second quote.
func afterQuote(value string) (rest string, closed bool) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return "", true
	}
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && value[0] == '"':
			i++
		case value[i] == value[0] && value[0] == '\'' && i+1 < len(value) && value[i+1] == '\'':
			i++
		case value[i] == value[0]:
			return strings.TrimLeft(strings.TrimSpace(value[i+1:]), ","), true
		}
	}
	return "", false
}

// endsBehind reports whether something follows the bracket that matches the first one.
func endsBehind(value string) bool {
	depth := 0
	for i, r := range value {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				rest := strings.TrimSpace(value[i+1:])
				return rest != "" && !strings.HasPrefix(rest, "#") &&
					!strings.ContainsRune(",}]", rune(rest[0]))
			}
		}
	}
	return false
}
