package notyaml

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	noValue  = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_][A-Za-z0-9_-]*):\s*(?:#.*)?$`)
	oneWord  = regexp.MustCompile(`^ *([A-Za-z0-9_.-]+)$`)
	keyAlone = regexp.MustCompile(`^ *[A-Za-z_"'][^:]*:(?:\s|$)`)
	joins    = regexp.MustCompile(`^ *(?:and|or|not|in|&&|\|\||\?\?|[+=<>!]=?)(?:[\s(!]|$)`)
)

// wrongPlace finds a line that is right in itself, and not where it is.
func wrongPlace(lines []string, n int) (Finding, bool) {
	if n < 2 || n > len(lines) {
		return Finding{}, false
	}
	line, before := strings.TrimRight(lines[n-1], " \r"), strings.TrimRight(lines[n-2], " \r")
	text := strings.TrimSpace(line)
	if text == "" || text[0] == '#' {
		return Finding{}, false
	}
	is, item := spaces(line), dashOf(line)
	place := func(message, hint string) (Finding, bool) {
		return Finding{n, is + 1, message, hint}, true
	}
	if f, found := lessIndented(lines, n); found {
		return f, true
	}
	if m := noValue.FindStringSubmatch(before); m != nil && item < 0 &&
		!keyAlone.MatchString(line) && is <= len(m[1]) && operator.MatchString(text) {
		return place("the value of "+m[2]+" must be indented more than "+m[2],
			"write "+m[2]+": "+Short(Quoted(text))+" on one line")
	}
	if oneWord.MatchString(line) && dashOf(before) == is && !strings.Contains(before, ": ") {
		return place("a dash is missing before "+text, "write - "+text)
	}
	key := keyOfLine.FindStringSubmatch(before)
	if key == nil || key[5] == "" || is <= len(key[1])+len(key[2]) {
		return Finding{}, false
	}
	name, value := key[3], key[5]
	switch rest, closed := afterQuote(value); {
	case joins.MatchString(line) && closed && rest == "" && strings.ContainsAny(value[:1], `"'`):
		return Finding{n, is + 1, "this line goes on with the value of " + name +
			", which ends at its second quote", "write " + name +
			": | and the whole value below it, without the quotes around it"}, true
	case strings.Contains(" {} [] \"\" '' ~ null ", " "+value+" ") && (item >= 0 || keyOfLine.MatchString(line)):
		return place(fmt.Sprintf("%s has a value already, %s, and lines below it", name, value),
			"remove the "+value+" after "+name+":, or the lines below it")
	case item >= 0 && strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]"):
		return place(name+" has a list in brackets already", "write this item in them, as in "+name+": "+
			Short(strings.TrimSuffix(value, "]")+", "+strings.TrimSpace(text[1:])+"]"))
	}
	return Finding{}, false
}

// firstIndented finds a first field that is indented more than the one on line n.
func firstIndented(lines []string, n int) (Finding, bool) {
	for i := 0; i < min(n-1, len(lines)); i++ {
		if text := strings.TrimSpace(lines[i]); text == "" || text[0] == '#' || text == "---" {
			continue
		}
		is := spaces(lines[i])
		return Finding{i + 1, is + 1, fmt.Sprintf("this line begins in column %d, and those below it further left", is+1),
			"begin it in column 1, as all fields at the top"}, is > 0
	}
	return Finding{}, false
}

// between finds a line before line n that begins further left than the lines around it.
func between(lines []string, n int) (Finding, bool) {
	is, odd := spaces(lines[n-1]), -1
	if !keyOfLine.MatchString(lines[n-1]) || dashOf(lines[n-1]) >= 0 {
		return Finding{}, false
	}
	for i := n - 2; i >= 0; i-- {
		line := strings.TrimRight(lines[i], " \r")
		text := strings.TrimLeft(line, " -")
		if text == "" || text[0] == '#' {
			continue
		}
		begins := len(line) - len(text)
		switch {
		case odd < 0 && (begins >= is || dashOf(line) >= 0 || !keyOfLine.MatchString(line)):
			return Finding{}, false
		case odd < 0:
			odd = i
		case begins > is:
		case begins == is || begins >= spaces(lines[odd]) && noValue.MatchString(line):
			return Finding{odd + 1, spaces(lines[odd]) + 1, fmt.Sprintf(
				"this line begins in column %d, and the one below it in column %d",
				spaces(lines[odd])+1, is+1), fmt.Sprintf("begin both in column %d", is+1)}, true
		default:
			return Finding{}, false
		}
	}
	return Finding{}, false
}

// lessIndented finds a line of a block of text that is indented less than its first one.
func lessIndented(lines []string, n int) (Finding, bool) {
	is := spaces(lines[n-1])
	first := 0
	for i := n - 2; i >= 0; i-- {
		m := blockBegin.FindStringSubmatch(strings.TrimRight(lines[i], "\r"))
		switch {
		case m != nil:
			own := len(m[1])
			if first == 0 || is <= own || is >= spaces(lines[first]) {
				return Finding{}, false
			}
			return Finding{n, is + 1, "this line of the text of " + m[2] +
				" is indented less than the first one", "begin it in column " +
				strconv.Itoa(spaces(lines[first])+1)}, true
		case strings.TrimSpace(lines[i]) == "":
		case spaces(lines[i]) <= is && keyOfLine.MatchString(lines[i]):
			return Finding{}, false
		default:
			first = i
		}
	}
	return Finding{}, false
}

// opening are the brackets that others close.
var opening = map[string]string{"]": "[", "}": "{"}

// maxOpen is how many open brackets are looked at.
const maxOpen = 20

// openBefore finds a bracket that is opened on a line before line n, and is not closed where a
// field begins that can only be behind it, and brackets that do not belong together.
func openBefore(lines []string, n int) (Finding, bool) {
	type open struct{ line, at int }
	var all []open
	for i := 0; i < min(n, len(lines)) && len(all) <= maxOpen; i++ {
		line := lines[i]
		if _, message, _ := Line(line, false); strings.HasSuffix(message, NotClosed) {
			return Finding{}, false // of a quote, which brackets may be in
		}
		if keyOfLine.MatchString(strings.TrimRight(line, " \r")) && len(all) > 0 &&
			i > all[len(all)-1].line+1 && spaces(line) <= spaces(lines[all[0].line]) {
			last := all[len(all)-1]
			text := lines[last.line]
			add := ""
			for k := len(all) - 1; k >= 0; k-- {
				add += closing[lines[all[k].line][all[k].at]]
			}
			return Finding{last.line + 1, utf8.RuneCountInString(text[:last.at]) + 1,
				"the bracket " + text[last.at:last.at+1] + " is not closed",
				"add " + add + " where it ends"}, true
		}
		crossed, from := -1, open{}
		eachBracket(line, func(at int, opens bool) {
			switch {
			case opens:
				all = append(all, open{i, at})
			case len(all) == 0:
			default:
				last := all[len(all)-1]
				if closing[lines[last.line][last.at]] != line[at:at+1] && crossed < 0 {
					crossed, from = at, last
				}
				all = all[:len(all)-1]
			}
		})
		if crossed >= 0 && i >= n-2 && balance(line) == 0 {
			is, opened := line[crossed:crossed+1], lines[from.line][from.at:from.at+1]
			return Finding{i + 1, utf8.RuneCountInString(line[:crossed]) + 1,
				"the bracket " + is + " closes " + opened + ", which is of another kind",
				"write " + closing[opened[0]] + " in place of " + is + ", or " + opening[is] +
					" in place of " + opened}, true
		}
	}
	return Finding{}, false
}
