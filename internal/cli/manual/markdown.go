package manual

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Markdown returns the page of the documentation about a command and all below it.
func Markdown(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Command line\n\n<!-- make docs writes this page. -->\n\n")
	all := commands(root)
	for _, part := range paragraphs(sentence(root)) {
		b.WriteString(filled(part.text) + "\n")
	}
	b.WriteString(filled("`informerd help COMMAND` shows the same. `informerd man DIR` writes man"+
		" pages, and `informerd completion` a script with which a shell completes commands and the"+
		" names in a configuration. The exit code is "+exitCodes) + "\n")
	b.WriteString("| command | |\n|---|---|\n")
	for _, cmd := range all[1:] {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", cmd.CommandPath(), anchor(cmd), cell(cmd.Short))
	}
	for _, cmd := range all[1:] {
		b.WriteString("\n")
		writeCommand(&b, cmd)
	}
	return b.String()
}

// writeCommand writes what a page has of one command.
func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "## %s\n\n`%s`\n\n", cmd.CommandPath(), cmd.UseLine())
	for _, part := range paragraphs(sentence(cmd)) {
		if part.kept {
			fmt.Fprintf(b, "```\n%s\n```\n\n", part.text)
		} else {
			b.WriteString(filled(escaped(part.text)) + "\n")
		}
	}
	if cmd.Example != "" {
		for _, part := range paragraphs(cmd.Example) {
			fmt.Fprintf(b, "```sh\n%s\n```\n\n", part.text)
		}
	}
	b.WriteString("| flag | |\n|---|---|\n")
	for _, o := range options(cmd) {
		fmt.Fprintf(b, "| `%s` | %s |\n", o.names, cell(o.usage))
	}
}

// anchor returns that of a command's heading.
func anchor(cmd *cobra.Command) string {
	return strings.ReplaceAll(strings.ToLower(cmd.CommandPath()), " ", "-")
}

// cell returns a text as a cell of a table.
func cell(text string) string { return strings.ReplaceAll(escaped(text), "|", `\|`) }

// escaped returns a text without markup.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`).Replace(text)
}

// width is how wide lines of the page are.
const width = 100

// filled returns a text in lines, with a line break at its end.
func filled(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String() + "\n"
}
