package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/informerd/informerd/internal/cli/words"
)

// knownCommand returns an error for an argument of a command that has subcommands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := subcommands(cmd)
	of := ""
	if cmd.HasParent() {
		of = fmt.Sprintf(" for %q", cmd.CommandPath())
	}
	return usage(fmt.Errorf("unknown command %q%s; %s", args[0], of,
		wordHint(args[0], "", names, "the commands are ")))
}

func subcommands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

// checkHelp has the help command refuse commands that there are not.
func checkHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		of, rest, err := root.Find(args)
		if err != nil || !of.HasSubCommands() {
			return err
		}
		return knownCommand(of, rest)
	}
}

// nearlyCommand returns an error for an argument that is probably meant as a subcommand: it is
// nearly the name of one, and not a file.
func nearlyCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || words.Meant(args[0], subcommands(cmd)) == "" {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return nil
	}
	return knownCommand(cmd, args)
}

// flagError adds a suggestion to the error about an unknown flag. Behind an unknown subcommand, it
// may be one of the subcommand that is meant.
func flagError(cmd *cobra.Command, err error) error {
	args := cmd.Flags().Args()
	if unknown := nearlyCommand(cmd, args); unknown != nil {
		return unknown
	}
	if cmd.HasSubCommands() && cmd.Use == cmd.Name() && len(args) > 0 { // it takes no arguments
		return knownCommand(cmd, args)
	}
	if letter, ok := strings.CutPrefix(err.Error(), "unknown shorthand flag: "); ok {
		return fmt.Errorf("unknown flag of one letter: %s; %s", letter, letterHint(cmd, letter))
	}
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("unknown flag: --%s; %s", name, wordHint(name, "--", names, "the flags are "))
}

// letterHint returns what may be meant by a letter that a command does not have, as in "'f' in -f".
func letterHint(cmd *cobra.Command, letter string) string {
	var all []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Shorthand != "" {
			all = append(all, "-"+f.Shorthand)
		}
	})
	var below []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			below = append(below, cmd.CommandPath()+" "+c.Name())
		}
	}
	switch {
	case len(below) > 0:
		return "the commands are " + strings.Join(below, ", ")
	case strings.HasPrefix(letter, "'f'") && cmd.Flags().Lookup("config") != nil:
		return "a configuration is named by -c FILE"
	case strings.HasPrefix(letter, "'l'") && strings.Contains(cmd.Use, "LISTENER"):
		return "a listener is an argument"
	case len(all) == 0:
		return "it has none; the others are shown by --help"
	}
	return "there are " + strings.Join(all, ", ") + "; the others are shown by --help"
}

func wordHint(word, prefix string, known []string, all string) string {
	return words.Hint(word, prefix, known, all)
}

func count(n int, thing string) string { return words.Count(n, thing) }

func plain(text string) string { return words.Plain(text) }

// colored reports whether what is written is for a terminal that may be coloured:
// https://no-color.org
func colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
