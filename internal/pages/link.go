package pages

import (
	"regexp"
	"strings"
)

// Link is a link of a page, or a picture of it.
type Link struct {
	Line   int
	Target string
}

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`^#+ +(.*?) *#*$`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	code    = regexp.MustCompile("`[^`]*`")
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Links returns the links of a page, other than those in blocks and in code.
func (p *Page) Links() (all []Link) {
	for i, line := range p.prose() {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, "`"), -1) {
			all = append(all, Link{Line: i + 1, Target: m[1]})
		}
	}
	return all
}

// Anchors returns what links to a place of the page may name: its headings, in the form that
// GitHub has for them, and anchors.
func (p *Page) Anchors() map[string]bool {
	found := map[string]bool{}
	for _, line := range p.prose() {
		if m := heading.FindStringSubmatch(line); m != nil {
			slug := Slug(m[1])
			for n := 1; found[slug]; n++ {
				slug = Slug(m[1]) + "-" + string(rune('0'+n))
			}
			found[slug] = true
		}
		for _, m := range anchor.FindAllStringSubmatch(line, -1) {
			found[m[1]] = true
		}
	}
	return found
}

// title returns the first heading of the page.
func (p *Page) title() string {
	for _, line := range p.prose() {
		if m := heading.FindStringSubmatch(line); m != nil {
			return strings.ReplaceAll(linked.ReplaceAllString(m[1], "$1"), "`", "")
		}
	}
	return ""
}

// Slug returns the anchor of a heading.
func Slug(heading string) string {
	text := notSlug.ReplaceAllString(strings.ToLower(linked.ReplaceAllString(heading, "$1")), "")
	return strings.ReplaceAll(text, " ", "-")
}

// prose returns the lines of the page, with those of blocks empty.
func (p *Page) prose() []string {
	lines := strings.Split(p.Text, "\n")
	for _, b := range p.Blocks {
		for i := range strings.Count(b.Text, "\n") + 2 {
			lines[b.Line-1+i] = ""
		}
	}
	return lines
}
