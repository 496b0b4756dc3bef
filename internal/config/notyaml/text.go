// Package notyaml says why a text is not YAML, as its author sees it. The parser says little about
// that, and people write expressions into YAML that it reads in its own way.
//
//   - What is found is the likeliest cause, not a proof: the parser has refused the text before.
//   - Of what is YAML, it finds what is surely not meant: templates, and items that YAML tears apart.
//   - Hints show what was written in a form that YAML accepts, at most 64 characters of it.
package notyaml

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Finding is what is wrong with a text that is not YAML, and where.
type Finding struct {
	Line, Column  int // count from 1
	Message, Hint string
}

var (
	conflict   = regexp.MustCompile(`^(<{7}|={7}|>{7})( |\r?$)`)
	template   = regexp.MustCompile(`\{\{-?[^{}]*-?\}\}`)
	otherNote  = regexp.MustCompile(`^\s*(//|/\*|--|;)`)
	tightColon = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_][A-Za-z0-9_-]*):([^\s:/].*)$`)
	tightDash  = regexp.MustCompile(`^(\s*)-([A-Za-z0-9_"'{[].*)$`)
	equalSign  = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_][A-Za-z0-9_-]*) ?= ?([^=].*)$`)
	noColon    = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_][A-Za-z0-9_-]*)(?: +([^ :{}\[\]"']+))?$`)
	lastSign   = regexp.MustCompile(`[^,;]([,;])\s*$`)
	blockBegin = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_][A-Za-z0-9_-]*): *[|>][0-9+-]*(\s+#.*)?\s*$`)
)

// Text finds what is wrong with a text at its line n, which counts from 1, as its author
// sees it.
func Text(lines []string, n int, cause string) (Finding, bool) {
	for i, line := range lines {
		if conflict.MatchString(line) {
			return Finding{i + 1, 1, "a conflict of a merge is not resolved here",
				"keep one of the two texts, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>"}, true
		}
	}
	if f, found := openQuote(lines, n); found {
		return f, true
	}
	for _, find := range []func([]string, int) (Finding, bool){openObject, withinBraces, belowDash,
		goesOn, otherColumn} {
		if f, found := find(lines, n); found {
			return f, true
		}
	}
	for _, at := range []int{n, n - 1} {
		if at < 1 || at > len(lines) {
			continue
		}
		line := strings.TrimRight(lines[at-1], " \r")
		if f, found := explainWords(line); found {
			f.Line = at
			return f, true
		}
		if f, found := unindented(lines, at); found {
			return f, true
		}
	}
	total := 0
	for _, line := range lines {
		total += balance(line)
	}
	if total == 0 && strings.Contains(cause, "',' or") && n >= 1 && n <= len(lines) {
		return Finding{n, spaces(lines[n-1]) + 1,
			"what is in brackets here needs commas",
			"write a comma between the items, also at the ends of lines"}, true
	}
	for _, at := range []int{n, n - 1} {
		if at < 1 || at > len(lines) {
			continue
		}
		if f, found := brackets(strings.TrimRight(lines[at-1], " \r")); found {
			f.Line = at
			return f, true
		}
	}
	return indentation(lines, n)
}

// openQuote finds a quote before line n that ends at a quote which is a part of the text there.
func openQuote(lines []string, n int) (Finding, bool) {
	for i := min(n-1, len(lines)) - 1; i >= 0; i-- {
		column, message, hint := Line(lines[i], false)
		if !strings.HasSuffix(message, NotClosed) {
			continue
		}
		quote := string([]rune(lines[i])[column-1:])[:1]
		for m := i + 1; m <= len(lines); m++ {
			if m == len(lines) {
				return Finding{i + 1, column, message, hint}, true
			}
			_, rest, found := strings.Cut(lines[m], quote)
			if !found {
				continue
			}
			if m+1 >= n-1 && strings.Trim(rest, " ,}]\r") != "" {
				return Finding{i + 1, column, message, hint}, true
			}
			break
		}
	}
	return Finding{}, false
}

// explainWords looks at one line.
func explainWords(line string) (Finding, bool) {
	column := func(offset int) int { return utf8.RuneCountInString(line[:offset]) + 1 }
	begin := column(len(line) - len(strings.TrimLeft(line, " ")))
	if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
		return Finding{}, false
	}
	if at := template.FindStringIndex(line); at != nil {
		return Finding{0, column(at[0]), "this is a template, and templates are not replaced",
			"render it first, as with helm template, or write what belongs there"}, true
	}
	if at := otherNote.FindStringSubmatchIndex(line); at != nil && !strings.HasPrefix(
		strings.TrimSpace(line), "---") {
		return Finding{0, column(at[2]), "a comment begins with " + line[at[2]:at[3]],
			"comments begin with #"}, true
	}
	if text := strings.TrimLeft(line, " -"); text != "" && strings.ContainsRune(`"'`, rune(text[0])) &&
		strings.Count(text, text[:1]) == 1 {
		return Finding{0, column(len(line) - len(text)), "the quote " + text[:1] + " is not closed",
			"write it at the end of the name or the text as well"}, true
	}
	if m := tightColon.FindStringSubmatch(line); m != nil {
		return Finding{0, column(len(m[1]) + len(m[2])), "a space is missing after the colon",
			"write " + Short(m[2]+": "+m[3])}, true
	}
	if m := tightDash.FindStringSubmatch(line); m != nil {
		return Finding{0, begin, "a space is missing after the dash",
			"write - " + Short(m[2])}, true
	}
	if m := equalSign.FindStringSubmatch(line); m != nil {
		return Finding{0, column(len(m[1]) + len(m[2])), "a field has a colon, not =",
			"write " + Short(m[2]+": "+m[3])}, true
	}
	if m := noColon.FindStringSubmatch(line); m != nil {
		return Finding{0, begin, "a colon is missing after " + m[2],
			"write " + strings.TrimRight(Short(m[2]+": "+m[3]), " ")}, true
	}
	if at := lastSign.FindStringSubmatchIndex(line); at != nil && balance(line) == 0 &&
		strings.Contains(line, ":") {
		return Finding{0, column(at[2]), "a field ends with " + line[at[2]:at[3]],
			"remove the " + line[at[2]:at[3]] + " at the end of the lines: they follow one another without it"}, true
	}
	return Finding{}, false
}

// unindented finds the first line of a block of text that is not indented.
func unindented(lines []string, n int) (Finding, bool) {
	for i := n - 2; i >= 0 && i >= n-3; i-- {
		m := blockBegin.FindStringSubmatch(lines[i])
		if m == nil {
			if strings.TrimSpace(lines[i]) == "" {
				continue
			}
			break
		}
		if own := len(m[1]); spaces(lines[n-1]) <= own {
			return Finding{n, spaces(lines[n-1]) + 1,
				"the text of " + m[2] + " must be indented more than " + m[2],
				fmt.Sprintf("begin its lines with %d spaces", own+2)}, true
		}
	}
	return Finding{}, false
}

// balance returns how many brackets are opened on a line and not closed, less those that are closed
// and not opened. Brackets in quotes do not count.
func balance(line string) int {
	open := 0
	eachBracket(line, func(_ int, opens bool) {
		if opens {
			open++
		} else {
			open--
		}
	})
	return open
}

// eachBracket calls each for the brackets of a line that are not in quotes, up to a comment.
func eachBracket(line string, each func(at int, opens bool)) {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [{,(:", line[i-1]) >= 0):
			quote = c
		case c == '#' && i > 0 && line[i-1] == ' ':
			return
		case c == '[' || c == '{':
			each(i, true)
		case c == ']' || c == '}':
			each(i, false)
		}
	}
}

// brackets finds brackets of a line that do not belong together.
func brackets(line string) (Finding, bool) {
	var open []int
	extra, crossed := -1, -1
	eachBracket(line, func(at int, opens bool) {
		switch {
		case opens:
			open = append(open, at)
		case extra >= 0 || crossed >= 0:
		case len(open) == 0:
			extra = at
		case closing[line[open[len(open)-1]]] != line[at:at+1]:
			crossed = open[len(open)-1]
		default:
			open = open[:len(open)-1]
		}
	})
	column := func(at int) int { return utf8.RuneCountInString(line[:at]) + 1 }
	switch {
	case extra >= 0:
		return Finding{0, column(extra), "the bracket " + line[extra:extra+1] +
			" closes nothing", "remove it"}, true
	case crossed < 0 && len(open) == 0:
		return Finding{}, false
	}
	add, last := "", crossed
	if crossed >= 0 {
		add = closing[line[crossed]]
	} else {
		last = open[len(open)-1]
		for i := len(open) - 1; i >= 0; i-- {
			add += closing[line[open[i]]]
		}
	}
	return Finding{0, column(last), "the bracket " + line[last:last+1] + " is not closed",
		"add " + add + " where it ends"}, true
}

// closing are the brackets that close others.
var closing = map[byte]string{'[': "]", '{': "}"}

// indentation finds a line that begins in a column in which none of the lines around it does.
func indentation(lines []string, n int) (Finding, bool) {
	if n < 1 || n > len(lines) || strings.TrimSpace(lines[n-1]) == "" {
		return Finding{}, false
	}
	if f, found := between(lines, n); found {
		return f, true
	}
	is := spaces(lines[n-1])
	for i := n - 2; i >= 0; i-- {
		line := lines[i]
		if text := strings.TrimSpace(line); text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		begins, field := spaces(line), len(line)-len(strings.TrimLeft(line, " -"))
		switch {
		case begins == is || field == is:
			return Finding{}, false
		case begins < is && i < n-2 || begins < is && strings.HasSuffix(
			strings.TrimSpace(line), ":"):
			return Finding{n, is + 1, fmt.Sprintf("this line begins in column %d", is+1),
				"begin the fields of one mapping in the same column: see the lines before it"}, true
		case begins < is:
			return Finding{n, is + 1, "this line is indented more than the one before it, which has a value already",
				fmt.Sprintf("begin it in column %d, as that one does", field+1)}, true
		}
	}
	return Finding{}, false
}

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
