// Package manual writes what the commands say about themselves as man pages, and as a page of the
// documentation. It has the examples of commands as well.
//
//   - They are made of the commands alone: the same commands make the same bytes, on any day.
//   - Each command has a man page, and a part of docs/command-line.md.
//   - A man page shows texts as they are: nothing in them is markup.
package manual

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands returns a command and all below it that are shown, each before those below it.
func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			all = append(all, commands(below)...)
		}
	}
	return all
}

// option is a flag as manuals show it.
type option struct {
	names string // as in -c, --config FILE
	usage string
}

func options(cmd *cobra.Command) (all []option) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		o := option{names: "--" + f.Name, usage: usage}
		if f.Shorthand != "" {
			o.names = "-" + f.Shorthand + ", " + o.names
		}
		if kind != "" {
			o.names += " " + kind
		}
		if shown := defaultOf(f); shown != "" {
			o.usage += " (default " + shown + ")"
		}
		all = append(all, o)
	})
	return all
}

// defaultOf returns the default of a flag, "" if it is nothing, or if the usage says it.
func defaultOf(f *pflag.Flag) string {
	if slices.Contains([]string{"", "[]", "false", "0", "0s"}, f.DefValue) ||
		strings.Contains(f.Usage, "default") {
		return ""
	}
	return f.DefValue
}

// paragraph is one of a text: words to be filled into lines, or lines that stay as they are, since
// they are indented.
type paragraph struct {
	text string
	kept bool
}

// paragraphs returns those of a text in which an empty line, or one that is indented differently,
// begins another one.
func paragraphs(text string) (all []paragraph) {
	fresh := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		kept := strings.HasPrefix(line, "  ")
		last := len(all) - 1
		switch {
		case line == "":
			fresh = true
			continue
		case fresh || all[last].kept != kept:
			all = append(all, paragraph{strings.TrimPrefix(line, "  "), kept})
		case kept:
			all[last].text += "\n" + strings.TrimPrefix(line, "  ")
		default:
			all[last].text += " " + line
		}
		fresh = false
	}
	return all
}

// sentence returns a short text as a sentence, for those that have no longer one.
func sentence(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}
