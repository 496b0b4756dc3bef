package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/author"
)

func newPluginNew(stdout io.Writer) *cobra.Command {
	var o author.NewOptions
	cmd := &cobra.Command{
		Use:   "new --lang go|rust|as|c NAME",
		Short: "Start a project: a handler that builds and passes its tests at once",
		Long: "Start a project in a folder of its name: a small handler with its tests, cases for plugin test, a Makefile, a\n" +
			"configuration that runs it, and the SDK, so that it needs only its language's compiler.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("%s takes one name, found %d arguments",
					cmd.CommandPath(), len(args)))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			o.Name, o.Program = args[0], unlessFound()
			return commandError(author.New(o, stdout))
		},
	}
	cmd.Flags().StringVar(&o.Language, "lang", "",
		"the language: go, rust, as (AssemblyScript) or c (required)")
	cmd.Flags().StringVar(&o.Dir, "dir", ".", "the folder in which the project's folder is made")
	return cmd
}

// unlessFound returns the path of the program that runs, or "" if the shell finds it by its name.
func unlessFound() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if found, err := exec.LookPath("informerd"); err == nil {
		a, aErr := os.Stat(path)
		b, bErr := os.Stat(found)
		if aErr == nil && bErr == nil && os.SameFile(a, b) {
			return ""
		}
	}
	return path
}
