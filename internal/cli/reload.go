package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/wording"
)

func newReload(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	output := textOrJSON()
	cmd := &cobra.Command{
		Use:   "reload FILE",
		Short: "Make a running informerd read its configuration again",
		Long: "Make the informerd that runs with a configuration read it again, and show what has changed. If the configuration\n" +
			"has mistakes, they are shown, nothing changes, and the exit code is 3.",
		Example: "  informerd reload informerd.yaml",
		Args:    file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := file.withDaemon(cmd, stderr, func(ctx context.Context, client *admin.Client) error {
				changes, err := client.Reload(ctx)
				if err != nil {
					return err
				}
				return writeChanges(stdout, changes, output.json())
			})
			if errors.Is(err, admin.ErrNotRunning) {
				return fmt.Errorf("%w; if one runs with another state.dir, that setting needs a restart", err)
			}
			return err
		},
	}
	return withFlags(cmd, &file, &output)
}

func writeChanges(w io.Writer, changes admin.Changes, asJSON bool) error {
	if asJSON {
		for _, c := range changes {
			if err := wording.WriteJSON(w, c, ""); err != nil {
				return err
			}
		}
		return nil
	}
	if len(changes) == 0 {
		_, err := fmt.Fprintln(w, "nothing has changed")
		return err
	}
	for _, c := range changes {
		line := strings.TrimSpace(c.Kind+" "+c.Name) + ": " + c.Action
		if len(c.Fields) > 0 {
			line += " " + strings.Join(c.Fields, ", ")
		}
		if _, err := fmt.Fprintln(w, wording.Printable(line)); err != nil {
			return err
		}
	}
	return nil
}
