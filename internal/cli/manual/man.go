package manual

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// section is that of man pages of commands.
const section = "1"

// WriteMan writes the man pages of a command and of those below it into a folder, which is made if
// it is not there. It returns how many there are.
func WriteMan(root *cobra.Command, folder string) (pages int, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	for _, cmd := range commands(root) {
		file := filepath.Join(folder, pageName(cmd)+"."+section)
		if err := os.WriteFile(file, []byte(Man(cmd)), 0o644); err != nil {
			return pages, err
		}
		pages++
	}
	return pages, nil
}

// pageName returns the name of a command's page.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// Man returns the man page of a command. It has no date: nothing in it changes from day to day.
func Man(cmd *cobra.Command) string {
	var p page
	p.macro("TH", strings.ToUpper(pageName(cmd)), section, "", "informerd", "informerd")
	p.macro("SH", "NAME")
	p.line(pageName(cmd) + ` \- ` + plain(cmd.Short))
	p.macro("SH", "SYNOPSIS")
	p.line(`\fB` + plain(cmd.CommandPath()) + `\fR` + plain(strings.TrimPrefix(cmd.UseLine(),
		cmd.CommandPath())))
	p.macro("SH", "DESCRIPTION")
	p.text(sentence(cmd))
	if all := options(cmd); len(all) > 0 {
		p.macro("SH", "OPTIONS")
		for _, o := range all {
			p.macro("TP")
			p.line(`\fB` + plain(o.names) + `\fR`)
			p.line(plain(o.usage))
		}
	}
	if cmd.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.text(cmd.Example)
	}
	if cmd.HasParent() {
		p.macro("SH", "EXIT STATUS")
		p.text(exitCodes)
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, pageName(cmd.Parent()))
	}
	for _, below := range commands(cmd)[1:] {
		if below.Parent() == cmd {
			others = append(others, pageName(below))
		}
	}
	if len(others) > 0 {
		p.macro("SH", "SEE ALSO")
		for i, other := range others {
			others[i] = `\fB\%` + plain(other) + `\fR(` + section + `)`
		}
		p.line(strings.Join(others, ", "))
	}
	return p.String()
}

// exitCodes are those of all commands.
const exitCodes = "0 for success and after a signal, 1 for an error at run time, 2 for a wrong command line, 3 for an invalid configuration or another invalid input file."

// page is roff, as man(7) describes it.
type page struct{ strings.Builder }

// plain returns a text without markup.
func plain(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`,
		"~", `\(ti`, "…", "...").Replace(text)
}

// line writes a line of text, which may have markup.
func (p *page) line(text string) {
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	fmt.Fprintln(p, text)
}

// macro writes a macro with its arguments.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, arg := range args {
		p.WriteString(` "` + strings.ReplaceAll(plain(arg), `"`, `\(dq`) + `"`)
	}
	p.WriteString("\n")
}

// text writes paragraphs.
func (p *page) text(text string) {
	for i, part := range paragraphs(text) {
		switch {
		case part.kept:
			if i > 0 {
				p.macro("PP")
			}
			p.macro("RS", "4")
			p.macro("nf")
			for line := range strings.SplitSeq(part.text, "\n") {
				p.line(plain(line))
			}
			p.macro("fi")
			p.macro("RE")
		default:
			if i > 0 {
				p.macro("PP")
			}
			p.line(plain(part.text))
		}
	}
}
