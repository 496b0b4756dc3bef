package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// formatFlag is the flag of commands that write in one of several formats, by default the first.
type formatFlag struct {
	format  string
	formats []string
}

func (f *formatFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.format, "output", "o", f.formats[0],
		"the format: "+strings.Join(f.formats, ", "))
}

func (f *formatFlag) check() error {
	if slices.Contains(f.formats, f.format) {
		return nil
	}
	return usage(fmt.Errorf("--output %q: it is one of %s", f.format,
		strings.Join(f.formats, ", ")))
}
