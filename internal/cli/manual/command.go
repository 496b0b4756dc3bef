package manual

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/cli/words"
)

// NewCommand returns the command that writes man pages. A wrong command line is made of its error
// by usage.
func NewCommand(stdout io.Writer, usage func(error) error) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write man pages into a folder",
		Long: "Write a man page for each command into a folder, which is made if it does not exist. man finds pages in a\n" +
			"folder man1 of $MANPATH, or of one that is given with -M.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("%s takes one folder, found %d", cmd.CommandPath(),
					len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := WriteMan(cmd.Root(), args[0])
			if err != nil {
				return fmt.Errorf("the man pages cannot be written: %w", err)
			}
			_, err = fmt.Fprintf(stdout, "%s written to %s\n", words.Count(n, "man page"),
				words.Plain(args[0]))
			return err
		},
	}
}
