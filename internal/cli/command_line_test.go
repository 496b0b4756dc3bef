package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// docs/command-line.md is made of the commands; make docs writes it.
func TestCommandLinePage(t *testing.T) {
	root := newRoot(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	var b strings.Builder
	b.WriteString("# Command line\n\n<!-- make docs writes this page. -->\n\n" +
		"`informerd help COMMAND` shows the same, and `informerd completion SHELL` prints a script with\n" +
		"which a shell completes commands and flags. The exit code is 0 for success and after a signal, 1\n" +
		"for an error at run time, 2 for a wrong command line, 3 for an invalid configuration or another\n" +
		"invalid input file. `-c, --config FILE` names a configuration, `-` is standard input, and several\n" +
		"are read as one; where a command takes one file, it may be an argument as well.\n")
	common := commonFlags(root)
	b.WriteString("\n## Flags of several commands\n\n| flag | |\n|---|---|\n" + strings.Join(common, ""))
	for _, cmd := range root.Commands() {
		writeCommand(&b, cmd, common)
	}
	page := filepath.Join("..", "..", "docs", "command-line.md")
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s is not what the commands say: make docs", page)
	}
}

// commonFlags returns the rows of flags that at least three commands have, sorted.
func commonFlags(root *cobra.Command) (rows []string) {
	uses := map[string]int{}
	var count func(cmd *cobra.Command)
	count = func(cmd *cobra.Command) {
		for _, row := range flagRows(cmd) {
			uses[row]++
		}
		for _, below := range cmd.Commands() {
			count(below)
		}
	}
	count(root)
	for row, n := range uses {
		if n >= 3 {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

// flagRows returns the row of each flag of a command.
func flagRows(cmd *cobra.Command) (rows []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "config" || f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, _ := pflag.UnquoteUsage(f)
		usage := f.Usage
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && f.DefValue != "0" {
			usage += " (default " + f.DefValue + ")"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", strings.TrimSpace(name+" "+kind), usage))
	})
	return rows
}

// writeCommand writes a command and those below it.
func writeCommand(b *strings.Builder, cmd *cobra.Command, common []string) {
	if !cmd.HasSubCommands() || cmd.Flags().HasFlags() {
		text := cmd.Long
		if text == "" {
			text = cmd.Short + "."
		}
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n```sh\n%s\n", cmd.CommandPath(), wrapped(text), cmd.UseLine())
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(strings.TrimPrefix(line, "  "))
		}
		if cmd.Example != "" {
			b.WriteString("\n")
		}
		b.WriteString("```\n")
		own, shared := "", ""
		for _, row := range flagRows(cmd) {
			if slices.Contains(common, row) {
				name, _, _ := strings.Cut(row[strings.Index(row, "--"):], " ")
				shared += " `" + strings.Trim(name, "`") + "`"
			} else {
				own += row
			}
		}
		if own != "" {
			b.WriteString("\n| flag | |\n|---|---|\n" + own)
		}
		if shared != "" {
			b.WriteString("\nOf several commands:" + strings.ReplaceAll(shared, "` `", "`, `") + ".\n")
		}
	}
	for _, below := range cmd.Commands() {
		writeCommand(b, below, common)
	}
}

// wrapped breaks the paragraphs of a text into lines of a page.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) >= 100 {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}

// Every command says what it does in one line, and at what length in at most ten; examples are of
// the command.
func TestHelp(t *testing.T) {
	root := newRoot(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || len(cmd.Short) > 110 {
			t.Errorf("%s: %q", path, cmd.Short)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, path) {
				t.Errorf("%s: the example %q is of another command", path, line)
			}
		}
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(root)
}
