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
		Short: "Show what a configuration requests from the API server, what is shared, and where each listener decides",
		Long: "Show what a configuration requests from the API server, which listeners share that, and what is decided before and\n" +
			"behind each listener's buffer. Where a selector would make the API server send less, plan suggests it.",
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
