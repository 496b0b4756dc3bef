package pages

import (
	"regexp"
	"strings"
)

// Command is a command of a console block, with the output that the page shows.
type Command struct {
	Line  int // of the page
	Text  string
	Shown string
}

// Commands returns the commands of a console block: the lines behind "$ ". A line that ends with a
// backslash goes on in the next one, which may begin with "> ".
func (b Block) Commands() (all []Command) {
	continued := false
	for i, line := range strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n") {
		text, ok := strings.CutPrefix(line, "$ ")
		switch {
		case ok:
			all = append(all, Command{Line: b.Line + 1 + i, Text: text})
		case len(all) == 0:
			continue
		case continued:
			all[len(all)-1].Text += "\n" + strings.TrimPrefix(line, "> ")
		default:
			all[len(all)-1].Shown += line + "\n"
		}
		continued = (ok || continued) && strings.HasSuffix(line, `\`)
	}
	return all
}

// varies matches what may differ between runs and machines: times, durations, sizes, fuel,
// fractions, and numbers so large that they have commas.
var varies = regexp.MustCompile(
	`\d{4}-\d\d-\d\dT[0-9:.]+Z|\(cached\)|(?:\d+m)?\b\d[\d,.]*\s?(?:ns|us|ms|s|[KM]i?B)\b|\b\d[\d,]*\.\d+\b|\b\d{1,3}(?:,\d{3})+\b|\b\d+ fuel\b`)

var spaces = regexp.MustCompile(`[ \t]+`)

// masked returns a text without what varies between runs and machines.
func masked(text string) string {
	return spaces.ReplaceAllString(varies.ReplaceAllString(strings.Trim(text, "\n"), "#"), " ")
}

// Shows reports whether a page shows what was printed. On the page, a line "…" matches any lines,
// and "…" within a line matches any text of that line. What varies is not compared.
func Shows(shown, printed string) bool {
	var pattern strings.Builder
	for line := range strings.SplitSeq(masked(shown), "\n") {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		line = strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " ")), "…", ".*")
		pattern.WriteString(line + ` ?\n`)
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(masked(printed) + "\n")
}
