package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config/document"
)

// formatFlag is the flag of commands that write in one of several formats, by default the first.
type formatFlag struct {
	format  string
	formats []string
}

// textOrJSON is the flag of most of these commands.
func textOrJSON() formatFlag { return formatFlag{formats: []string{"text", "json"}} }

// add adds the flag, which is checked before the command runs.
func (f *formatFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.format, "output", "o", f.formats[0],
		"the format: "+strings.Join(f.formats, ", "))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if slices.Contains(f.formats, f.format) {
			return nil
		}
		return usage(fmt.Errorf("--output %q: it is %s", f.format,
			document.Or(f.formats)))
	}
}

func (f *formatFlag) json() bool { return f.format == "json" }
