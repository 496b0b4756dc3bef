package notyaml

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	fence     = regexp.MustCompile("^ *(?:```|~~~)")
	otherTrim = regexp.MustCompile(`^( *(?:- +)?)[\x{a0}\x{2000}-\x{200b}\x{202f}\x{3000}]`)
	behindKey = regexp.MustCompile(`^(\s*(?:- +)?["']?[A-Za-z_][A-Za-z0-9_-]*["']?:)[ ]*[\x{a0}\x{2000}-\x{200b}\x{202f}\x{3000}]`)
	wideColon = regexp.MustCompile(`^(\s*(?:- +)?[A-Za-z_][A-Za-z0-9_-]*) ?[：﹕](.*)$`)
	bullet    = regexp.MustCompile(`^( *)([–—−•·‣▪●*])\s+(.*)$`)
	tabBehind = regexp.MustCompile(`^( *)-(\t+)(.*)$`)
	twoColons = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_][A-Za-z0-9_-]*): *: +(.*)$`)
	starItem  = regexp.MustCompile(`^( *- +|.*[\[,] *)(\*[A-Za-z0-9_.*-]*)(?:[\],].*)?$`)
	arrow     = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_][A-Za-z0-9_-]*) ?(?:=>|->|:=) ?(.*)$`)
	wordValue = regexp.MustCompile(`^(\s*(?:- +)?)([a-z][A-Za-z0-9]*) +(['"\[{].*)$`)
	condition = regexp.MustCompile(`^(\s*(?:- +)?)(filter|select|deny|when|message|data|text|patch|subject) +([^:=\s].*)$`)
)

// sign finds characters on a line that are no part of YAML, or look like others that are.
func sign(line string) (Finding, bool) {
	at := func(offset int, message, hint string) (Finding, bool) {
		return Finding{0, utf8.RuneCountInString(line[:offset]) + 1, message, hint}, true
	}
	switch {
	case fence.MatchString(line):
		return at(strings.IndexAny(line, "`~"), "a line with "+strings.TrimSpace(line)[:3]+
			" is one of Markdown, around the text", "remove it")
	case strings.TrimSpace(line) == "...":
		return at(strings.Index(line, "."), "... ends the text in YAML", "remove it, or write # before it")
	}
	if m := otherTrim.FindStringSubmatchIndex(line); m != nil {
		return at(m[3], "this is a space of another kind, which YAML takes for a part of the text",
			"replace it by a plain space: it was copied from a page or a chat")
	}
	if m := behindKey.FindStringSubmatchIndex(line); m != nil {
		return at(m[3], "there is a space of another kind after the colon",
			"replace it by a plain space: it was copied from a page or a chat")
	}
	if m := wideColon.FindStringSubmatchIndex(line); m != nil {
		return at(m[3], "this is another colon than that of YAML",
			"write "+Short(strings.TrimSpace(line[m[2]:m[3]])+": "+strings.TrimSpace(line[m[4]:m[5]])))
	}
	if m := bullet.FindStringSubmatchIndex(line); m != nil && line[m[4]:m[5]] != "*" ||
		m != nil && !strings.Contains(line[m[6]:], "*") {
		return at(m[4], "an item of a list begins with -, not with "+line[m[4]:m[5]],
			"write - "+Short(line[m[6]:m[7]]))
	}
	if m := tabBehind.FindStringSubmatchIndex(line); m != nil {
		return at(m[4], "there is a tab after the dash", "write - "+Short(line[m[6]:m[7]])+", with a space")
	}
	if m := twoColons.FindStringSubmatchIndex(line); m != nil {
		return at(m[5], "there are two colons", "write "+Short(line[m[4]:m[5]]+": "+line[m[6]:m[7]]))
	}
	if m := arrow.FindStringSubmatchIndex(line); m != nil {
		return at(m[5], "a field has a colon", "write "+Short(line[m[4]:m[5]]+": "+line[m[6]:m[7]]))
	}
	if m := starItem.FindStringSubmatchIndex(line); m != nil {
		return at(m[4], "this item begins with *, which means something else in YAML",
			"put it in quotes: "+Quoted(line[m[4]:m[5]]))
	}
	for _, form := range []*regexp.Regexp{wordValue, condition} {
		if m := form.FindStringSubmatchIndex(line); m != nil {
			return at(m[4], "a colon is missing after "+line[m[4]:m[5]],
				"write "+Short(line[m[4]:m[5]]+": "+line[m[6]:m[7]]))
		}
	}
	return Finding{}, false
}

// Alias returns the place of *name, 0 if there is none outside of comments.
func Alias(lines []string, name string) (line, column int) {
	for i, text := range lines {
		if at := strings.Index(text, "*"+name); at >= 0 &&
			!strings.HasPrefix(strings.TrimSpace(text), "#") {
			return i + 1, utf8.RuneCountInString(text[:at]) + 1
		}
	}
	return 0, 0
}

// Tab looks for a tab in the indentation of a line.
func Tab(lines []string, line int) (column int, found bool) {
	if line < 1 || line > len(lines) {
		return 0, false
	}
	text := lines[line-1]
	indentation := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	at := strings.IndexByte(indentation, '\t')
	return at + 1, at >= 0
}
