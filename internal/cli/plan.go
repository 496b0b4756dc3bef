package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/daemon"
)

func newPlan(stdin io.Reader, stdout io.Writer) *cobra.Command {
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show what a configuration asks of the API server, what is shared, and where each listener decides",
		Long: "Show what a configuration asks of the API server, which listeners share that, and what of each listener is decided\n" +
			"before its buffer and behind it. Where a selector would do, the API server could send less: plan says which.",
		Args: file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := file.load(schemas, false)
			if err != nil {
				return err
			}
			return daemon.Plan(contextOf(cmd), cfg, daemon.BuildOptions{Schemas: schemas}, stdout)
		},
	}
	file.add(cmd)
	fields.add(cmd)
	return cmd
}
