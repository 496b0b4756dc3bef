package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/informerd/informerd/internal/nearest"
)

// elsewhere maps commands of other tools to the command here that does the same.
var elsewhere = map[string]string{
	"check": "validate", "lint": "validate", "verify": "validate", "start": "run", "serve": "run",
	"apply": "run", "daemon": "run",
	"why": "explain", "describe": "explain", "diff": "plan", "dry-run": "plan", "show": "plan",
	"handler": "plugin", "init": "new", "create": "new",
}

// knownCommand returns an error for an argument of a command that has subcommands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	of := ""
	if cmd.HasParent() {
		of = fmt.Sprintf(" for %q", cmd.CommandPath())
	}
	return usageError{fmt.Errorf("unknown command %q%s; %s", args[0], of,
		wordHint(args[0], "", names, "the commands are "))}
}

// wordHint returns the hint for an unknown word.
func wordHint(word, prefix string, known []string, all string) string {
	if near, ok := nearest.Name(word, known); ok {
		return fmt.Sprintf("did you mean %s%s?", prefix, near)
	}
	for _, name := range known {
		if elsewhere[strings.ToLower(word)] == name || strings.HasPrefix(name, word) && word != "" {
			return fmt.Sprintf("did you mean %s%s?", prefix, name)
		}
	}
	return all + strings.Join(known, ", ")
}

// flagError adds a suggestion to the error about an unknown flag.
func flagError(cmd *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("unknown flag: --%s; %s", name, wordHint(name, "--", names, "the flags are "))
}

// count returns a number with its noun: 1 listener, 2 listeners.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
