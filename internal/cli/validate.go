package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/daemon"
)

func newValidate(stdout, stderr io.Writer) *cobra.Command {
	var path string
	var logs logFlags
	cmd := &cobra.Command{
		Use:   "validate --config FILE",
		Short: "Check a configuration, its filters and its handlers, without an API server",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := logs.logger(stderr)
			if err != nil {
				return err
			}
			cfg, err := load(path)
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr)
			defer stop()
			if err := daemon.Check(ctx, cfg, log); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s is valid: %d listeners, %d outputs\n", path, len(cfg.Listeners), len(cfg.Outputs))
			return nil
		},
	}
	configFlag(cmd, &path)
	logs.add(cmd)
	return cmd
}
