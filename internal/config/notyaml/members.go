package notyaml

import (
	"regexp"
	"strconv"
	"strings"
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
		if !opensMapping(strings.TrimLeft(value, "[ ")) || isObject(head[2], value) {
			return []lineMember{{head[2], value, offset}}
		}
		all = inBraces(line, offset)
	}
	if trimmed := strings.TrimLeft(line, " -"); len(all) == 0 && strings.HasPrefix(trimmed, "{") {
		all = inBraces(line, len(line)-len(trimmed))
	}
	return all
}

// opensMapping reports whether a value begins a mapping in braces, and is not a template.
func opensMapping(value string) bool {
	return strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "{{")
}

var keyInBraces = regexp.MustCompile(`[{,]\s*["']?([A-Za-z_][A-Za-z0-9_-]*)["']?:\s+`)

// inBraces finds the members of {…} and of mappings in it. A value ends at the next member or at
// the bracket that closes its mapping; brackets and quotes in it belong to it.
func inBraces(line string, from int) (all []lineMember) {
	behind := from
	for _, head := range keyInBraces.FindAllStringSubmatchIndex(line[from:], -1) {
		key, begin := line[from+head[2]:from+head[3]], from+head[1]
		value := line[begin:]
		if from+head[0] < behind || opensMapping(strings.TrimLeft(value, "[ ")) &&
			!isObject(key, value) {
			continue
		}
		behind = begin + endOfValue(value)
		if value = strings.TrimSpace(line[begin:behind]); value != "" {
			all = append(all, lineMember{key, value, begin})
		}
	}
	return all
}

// endOfValue returns where a value in braces ends.
func endOfValue(text string) int {
	var open []byte
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [{,(:", text[i-1]) >= 0) &&
			strings.IndexByte(text[i+1:], c) >= 0:
			quote = c
		case c == '[' || c == '{':
			open = append(open, c)
		case (c == ']' || c == '}') && len(open) == 0:
			return i
		case c == ']' || c == '}':
			if closing[open[len(open)-1]] != string(c) {
				return i
			}
			open = open[:len(open)-1]
		case c == ',' && len(open) == 0 && keyAfterComma.MatchString(text[i:]):
			return i
		case c == '#' && i > 0 && text[i-1] == ' ':
			return i
		}
	}
	return len(text)
}

var keyAfterComma = regexp.MustCompile(`^,\s*(["']?[A-Za-z_][A-Za-z0-9_-]*["']?:\s|$)`)

// isObject reports whether the value of a key is an expression that returns an object, which YAML
// takes for a mapping: {"text": "pod " + name}.
func isObject(key, value string) bool {
	return (key == "data" || key == "patch") && strings.HasPrefix(value, "{") &&
		!strings.HasPrefix(value, "{{") && operator.MatchString(outsideQuotes(value))
}

// outsideQuotes returns a text without what is in double quotes.
func outsideQuotes(text string) string {
	outside := ""
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 0 {
			outside += part + "\x00"
		}
	}
	return outside
}

var objectBegins = regexp.MustCompile(`^(\s*(?:- +)?)(data|patch):\s+\{`)

// openObject finds an expression that returns an object, of several lines and without quotes, that
// goes on in line n.
func openObject(lines []string, n int) (Finding, bool) {
	const most = 40
	for i := min(n, len(lines)) - 1; i >= max(0, n-most); i-- {
		m := objectBegins.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		open := 0
		for at := i; at < n-1 && at < len(lines); at++ {
			if open += balance(lines[at]); open <= 0 {
				return Finding{}, false
			}
		}
		text := strings.Join(lines[i:min(n, len(lines))], "\n")
		if !operator.MatchString(outsideQuotes(text)) || n-1 == i && balance(lines[i]) == 0 {
			return Finding{}, false
		}
		return Finding{i + 1, len([]rune(m[0])), "the value of " + m[2] +
			" is an expression, which YAML takes for a mapping",
			"write " + m[2] + ": | and the expression below it, indented more than " + m[2]}, true
	}
	return Finding{}, false
}

var keyOfLine = regexp.MustCompile(`^(\s*)((?:- +)*)([A-Za-z_"'][^:]*):(\s+(.*))?$`)

// belowDash finds a field that begins in the column of the dash of the item that it belongs to.
func belowDash(lines []string, n int) (Finding, bool) {
	if n < 1 || n > len(lines) {
		return Finding{}, false
	}
	is := keyOfLine.FindStringSubmatch(strings.TrimRight(lines[n-1], " \r"))
	if is == nil || is[2] != "" {
		return Finding{}, false
	}
	for i := n - 2; i >= 0; i-- {
		line := strings.TrimRight(lines[i], " \r")
		if text := strings.TrimSpace(line); text == "" || text[0] == '#' || spaces(line) > len(is[1]) {
			continue
		}
		item := keyOfLine.FindStringSubmatch(line)
		if item == nil || item[1] != is[1] || item[2] == "" {
			return Finding{}, false
		}
		return Finding{n, len(is[1]) + 1, is[3] + " begins in the column of the dash before " + item[3],
			"begin it in column " + strconv.Itoa(len(item[1])+len(item[2])+1) + ", as " + item[3] + " does"}, true
	}
	return Finding{}, false
}

// unspaced matches a field whose colon has no space behind it.
var unspaced = regexp.MustCompile(`^( *)([a-z][A-Za-z]*):([^\s:/].*)$`)

// goesOn finds a line that goes on with the value of the line before it, and begins in the column
// of its name.
func goesOn(lines []string, n int) (Finding, bool) {
	if n < 2 || n > len(lines) {
		return Finding{}, false
	}
	line, before := strings.TrimRight(lines[n-1], " \r"), strings.TrimRight(lines[n-2], " \r")
	if part := unspaced.FindStringSubmatch(line); part != nil &&
		(hasText[part[2]] || hasFields[part[2]]) {
		return Finding{n, len(part[1]) + 1, "a space is missing after the colon of " + part[2],
			"write " + part[2] + ": " + Short(part[3])}, true
	}
	is := keyOfLine.FindStringSubmatch(before)
	if text := strings.TrimSpace(line); is == nil || is[5] == "" || text == "" || text[0] == '#' ||
		text[0] == '-' || keyOfLine.MatchString(line) ||
		spaces(line) > len(is[1])+len(is[2]) || blockHeader.MatchString(is[5]) ||
		!operator.MatchString(line) && !operator.MatchString(is[5]+" ") {
		return Finding{}, false
	}
	return Finding{n, spaces(line) + 1, "this line goes on with the value of " + is[3] +
		", and is not indented more than " + is[3],
		"write " + is[3] + ": | and the value below it, in lines that are indented more than " + is[3]}, true
}
