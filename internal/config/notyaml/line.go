package notyaml

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Quoted writes a value so that YAML leaves it as it is.
func Quoted(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }

// NotClosed ends the messages about a quote that has no second one.
const NotClosed = " is not closed on its line"

// Line returns why a line is not YAML, if that can be seen in the line.
func Line(line string, flow bool) (column int, message, hint string) {
	for _, m := range membersOf(line) {
		if flow {
			m.value = m.ends()
		}
		column = utf8.RuneCountInString(line[:m.offset]) + 1
		value := m.value
		if within := strings.TrimPrefix(value, `"`); within != value && strings.HasSuffix(within, `""`) &&
			!strings.HasPrefix(within, `"`) { // the outer ones were to be YAML's
			value = wrongEscape.ReplaceAllString(strings.TrimSuffix(within, `"`), `$1\$2`)
		}
		write := fmt.Sprintf("put all of it in single quotes, as in %s: %s, or use | and write it on a line of its own", m.key, Short(Quoted(value)))
		if (m.key == "message" || m.key == "text") && !strings.ContainsAny(m.value, "\"'`?{[+(") {
			write = fmt.Sprintf("it is an expression, and text in it needs quotes: write %s: %s", m.key,
				Short(Quoted(`"`+m.value+`"`)))
		}
		if hint := variableHint(m); hint != "" && (flow || strings.Contains(line, "{")) {
			return column, "the value of " + m.key + " has brackets, which end it within {…}", hint
		}
		if message, hint := m.nested(); message != "" && !flow {
			return column, message, hint
		}
		if from := source.FindString(m.value); from != "" {
			return column, "a mapping in the line of " + m.key + " needs braces",
				"write " + m.key + ": {" + Short(from) + "}"
		}
		if rest, _ := afterQuote(m.value); rest != "" && m.isQuotedText() {
			write = fmt.Sprintf("put quotes for the text and for YAML around it, as in %s: %s", m.key,
				Short(Quoted(`"`+m.value[1:len(m.value)-1]+`"`)))
		}
		if inner, ok := quotedWhole(m.value); ok {
			write = fmt.Sprintf("quotes within quotes end the value: put other quotes around all of it, as in %s: %s",
				m.key, Short(inOtherQuotes(inner)))
		}
		if item, dash := strings.CutPrefix(m.value, "- "); dash && !flow {
			return column, "a list of " + m.key + " begins on the line of its name",
				"write " + m.key + ": [" + Short(item) + "], or one item a line after a dash, below " + m.key
		}
		sign, brackets := m.questionIn(line, flow)
		switch rest, closed := afterQuote(m.value); {
		case isObject(m.key, m.value):
			return column, "the value of " + m.key + " is an expression, which YAML takes for a mapping",
				write
		case m.value == "" || strings.HasPrefix(m.value, "#"):
		case strings.ContainsRune(`"'`, rune(m.value[0])):
			switch escape := wrongEscape.FindStringSubmatch(m.value); {
			case escape != nil && m.value[0] == '"' && rest == "" && closed:
				inner := strings.ReplaceAll(m.value[1:len(m.value)-1], `\"`, `"`)
				return column, "the value of " + m.key + " has " + escape[2] +
						" in double quotes, where YAML knows no such escape",
					fmt.Sprintf("put it in single quotes, and two backslashes where a regular expression has one, as in %s: %s",
						m.key, Short(Quoted(wrongEscape.ReplaceAllString(inner, `$1\$2`))))
			case !closed:
				return column, "the quote that begins the value of " + m.key + NotClosed,
					"close it, or put the value in single quotes"
			case rest != "" && !strings.HasPrefix(rest, "#"):
				return column, "the value of " + m.key +
					" begins with a quote and goes on behind it", write
			}
		case strings.ContainsRune("|>", rune(m.value[0])) && afterSign(m.value) != "":
			return column, fmt.Sprintf("the text of %s begins on the line of its %c", m.key, m.value[0]),
				fmt.Sprintf("begin it on the next line, indented more than %s, or write %s: %s", m.key, m.key,
					Short(Quoted(afterSign(m.value))))
		case strings.ContainsRune("@`%&*|>?!", rune(m.value[0])) &&
			!blockHeader.MatchString(m.value):
			return column, fmt.Sprintf(
				"the value of %s begins with %c, which means something else in YAML", m.key,
				m.value[0]), write
		case m.value[0] == ':' && (flow || m.inBrackets(line)):
			return column, "the value of " + m.key +
					" begins with a colon, which is a sign of its own within {…}",
				m.inQuotes(":")
		case strings.HasPrefix(m.value, "{{"):
			return column, "the value of " + m.key + " begins with {{, and an expression is no template",
				fmt.Sprintf("write fields without braces, and join them with texts in quotes by +, as in %s: %s",
					m.key, Short(Quoted(fromTemplate(m.key, m.value))))
		case strings.ContainsRune("[{", rune(m.value[0])) && endsBehind(m.value) &&
			strings.Contains(m.value, "] //"):
			return column + utf8.RuneCountInString(m.value[:strings.Index(m.value, "//")]),
				"a comment begins with //", "comments begin with #"
		case m.value[0] == '[' && endsBehind(m.value) && !operator.MatchString(m.value):
			return column, "the value of " + m.key + " goes on behind its bracket",
				"write all of it in the brackets, with commas, as in [a, b]"
		case strings.ContainsRune("[{", rune(m.value[0])) && endsBehind(m.value):
			return column, "the value of " + m.key + " begins with a bracket and goes on behind it",
				write
		case m.value[0] != '[' && strings.Contains(m.value+" ", ": "):
			return column, `the value of ` + m.key +
				` has ": " in it, which YAML takes for another field`, write
		case sign != "":
			return column, fmt.Sprintf("the value of %s has %q in it, which YAML takes for a key within %s",
					m.key, sign, brackets),
				m.inQuotes(sign)
		case (flow || strings.Contains(line, "{")) && m.value[0] != '[' &&
			strings.ContainsAny(m.value, "[]{},"):
			return column, "the value of " + m.key +
				" has brackets or commas, which end it within {…}", write
		}
	}
	return 0, "", ""
}

var (
	innerField = regexp.MustCompile(`^([a-z][A-Za-z0-9]*):(?: +(\S.*))?$`)
	laterField = regexp.MustCompile(`^([^:"'\[{]*?),? +([a-z][A-Za-z0-9]*): +\S`)
	blockText  = regexp.MustCompile(`^[|>][0-9+-]* +([^#\s].*)$`)
)

// nested is about fields that begin on the line of another one.
func (m lineMember) nested() (message, hint string) {
	if inner := innerField.FindStringSubmatch(m.value); inner != nil && hasFields[m.key] &&
		source.FindString(m.value) == "" {
		write := "write " + m.key + ": {" + Short(m.value) + "}"
		if inner[2] == "" {
			write = "begin " + inner[1] + " on the next line, indented more than " + m.key
		} else if m.key == "rules" || m.key == "policies" {
			write = "begin a list below it: - " + Short(m.value)
		}
		return "a mapping in the line of " + m.key + " needs braces", write
	}
	if later := laterField.FindStringSubmatch(m.value); later != nil && !m.isExpression() &&
		later[2] != m.key && (hasFields[later[2]] || hasText[later[2]]) {
		return m.key + " and " + later[2] + " are on one line",
			"write " + m.key + ": " + Short(later[1]) + ", and " + later[2] + " on a line of its own"
	}
	return "", ""
}

// hasFields are fields whose value is a mapping or a list, and hasText others that often follow.
var hasFields, hasText = setOf("cluster http health shutdown state leaderElection tracing informers " +
	"listeners policies outputs deadLetters informer buffer spill retry handler limits grants rules " +
	"webhook slack file kafka nats alertmanager stdout kubernetesEvent rotate tls sasl sign batch " +
	"headers labels indexes"), setOf("name deny message severity for repeat filter select when on " +
	"resource namespaces url path wasm resync workers")

func setOf(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

// isExpression reports whether a member may be an expression, or another text of many words.
func (m lineMember) isExpression() bool {
	return conditions[m.key] || strings.Contains(" message data text patch subject description ", " "+m.key+" ")
}

// isQuotedText reports whether a message is one text in quotes, with quotes in it.
func (m lineMember) isQuotedText() bool {
	last := len(m.value) - 1
	return (m.key == "message" || m.key == "text") && last > 1 && m.value[last] == m.value[0] &&
		!operator.MatchString(m.value) && !strings.ContainsAny(m.value[1:last], `"\`)
}

// afterSign returns what follows the sign of a block of text on its line.
func afterSign(value string) string {
	if m := blockText.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return ""
}

// source says where a value comes from, without braces.
var source = regexp.MustCompile(`^from(Env|File): [A-Za-z0-9_./-]+$`)

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

// wrongEscape is a backslash that YAML does not know in double quotes, such as that of \d.
var wrongEscape = regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*)(\\[^0abtnvfre "/\\N_LPxuU\t])`)

// operator is one of an expression, which stands between texts and not in them.
var operator = regexp.MustCompile(`==|!=|&&|\|\||=~` +
	`|(^|\s)([+<>?]|<=|>=|in|not|contains|startsWith|endsWith|matches|and|or|\?\?)(\s|$)`)

// quotedWhole returns the expression in quotes that it has in it itself: "a == "b"". In one that
// begins and ends with a text, as "a" == b + "c" does, operators are outside of the quotes.
func quotedWhole(value string) (inner string, ok bool) {
	last := len(value) - 1
	if last < 2 || value[0] != '"' && value[0] != '\'' || value[last] != value[0] {
		return "", false
	}
	outside, inside := "", ""
	for i, part := range strings.Split(value, value[:1]) {
		if i%2 == 0 {
			outside += part + "\x00"
		} else {
			inside += part + "\x00"
		}
	}
	return value[1:last], operator.MatchString(inside) && !operator.MatchString(outside) &&
		!strings.Contains(value, `\`)
}

// inOtherQuotes writes an expression in quotes that are not in it, if that can be.
func inOtherQuotes(value string) string {
	if strings.Contains(value, "'") && !strings.ContainsAny(value, `"\`) {
		return `"` + value + `"`
	}
	return Quoted(value)
}

// conditions are the fields with expressions that return true or false.
var conditions = map[string]bool{"filter": true, "select": true, "deny": true, "when": true}

var comparison = regexp.MustCompile(`==|!=|&&|\|\||[<>]`)

var placeholder = regexp.MustCompile(`\{\{-?\s*[.$]*(\w[\w.]*)\s*-?\}\}`)

// fromTemplate writes a template that begins with a field as an expression, or an example if there
// is more than fields and texts in it.
func fromTemplate(key, value string) string {
	var parts []string
	behind, compared := 0, comparison.MatchString(placeholder.ReplaceAllString(value, ""))
	for _, at := range placeholder.FindAllStringSubmatchIndex(value, -1) {
		name := value[at[2]:at[3]]
		if field, _, _ := strings.Cut(name, "."); strings.Contains(" metadata spec status kind ", " "+field+" ") {
			name = "object." + name
		}
		if text := value[behind:at[0]]; text != "" && !compared {
			text = `"` + text + `"`
			parts = append(parts, text)
		} else if compared {
			parts = append(parts, text)
		}
		parts, behind = append(parts, name), at[1]
	}
	rest := value[behind:]
	switch {
	case strings.ContainsAny(strings.Join(parts, "")+rest, "{}\\") ||
		!compared && strings.ContainsRune(rest, '"'):
		if conditions[key] {
			return `object.metadata.name == "web"`
		}
		return `"pod " + object.metadata.name`
	case compared:
		return strings.Join(parts, "") + rest
	case rest != "":
		parts = append(parts, `"`+rest+`"`)
	}
	return strings.Join(parts, " + ")
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
