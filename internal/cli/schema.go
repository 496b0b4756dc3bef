package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/docs"
)

func newSchema(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of configurations and policy files",
		Long: "Print the JSON Schema of configurations and policy files, for editors and other tools. It does\n" +
			"not cover everything that informerd validate finds.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := stdout.Write(docs.ConfigSchema)
			return err
		},
	}
}
