package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
)

func newDrain(stdin io.Reader, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	cmd := &cobra.Command{
		Use:   "drain FILE",
		Short: "Make a running informerd hand its shards over to other replicas",
		Long: "Make the informerd that runs with a configuration with sharding hand its shards over to other replicas, and take no\n" +
			"more until it is restarted. The command ends when it has none. Stopping informerd does the same by itself.",
		Example: "  informerd drain informerd.yaml",
		Args:    file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return file.withDaemon(cmd, stderr, func(ctx context.Context, client *admin.Client) error {
				return client.Drain(ctx)
			})
		},
	}
	return withFlags(cmd, &file)
}
