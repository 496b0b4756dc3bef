package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/daemon"
)

func newPlan(stdout io.Writer) *cobra.Command {
	var path string
	var fields fieldCheck
	cmd := &cobra.Command{
		Use:   "plan --config FILE",
		Short: "Show what a configuration asks of the API server, what is shared, and where each listener decides",
		Long: "Show what a configuration asks of the API server, which listeners share that, and what of each listener is decided\n" +
			"before its buffer and behind it. Where a selector would do, the API server could send less: plan says which.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := load(path)
			if err != nil {
				return err
			}
			return daemon.Plan(contextOf(cmd), cfg, daemon.BuildOptions{Schemas: schemas}, stdout)
		},
	}
	configFlag(cmd, &path)
	fields.add(cmd)
	return cmd
}
