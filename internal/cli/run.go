package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
)

func newRun(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var logs logFlags
	var fields fieldCheck
	var server serverFlags
	var flags runFlags
	opts := daemon.Options{Version: version, Stdout: forTerminal(stdout)}
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a configuration until stopped by a signal",
		Long: "Run a configuration until stopped by a signal. The first SIGINT or SIGTERM lets listeners finish the events in\n" +
			"their buffers, for up to shutdown.drain (25s by default); the second ends informerd at once. The configuration\n" +
			"is reloaded on SIGHUP, by informerd reload, and when one of its files changes.",
		Example: "  informerd run informerd.yaml",
		Args:    file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := logs.logger(stderr)
			if err != nil {
				return err
			}
			if err := flags.apply(cmd, &opts, stderr); err != nil {
				return err
			}
			if opts.Schemas, err = fields.schemas(); err != nil {
				return err
			}
			opts.Files = file.watched()
			cfg, err := file.load(opts.Schemas, server.kubeconfig == "")
			if err != nil {
				return err
			}
			opts.Log, opts.Kubeconfig, opts.Context = log, server.kubeconfig, server.context
			hangup := make(chan struct{}, 1)
			opts.Hangup = hangup
			if !file.readsStdin() {
				again := file
				again.regular = true
				opts.Load = func() (*config.Config, error) {
					return again.load(opts.Schemas, server.kubeconfig == "")
				}
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, hangup)
			defer stop()
			return daemon.Run(ctx, cfg, opts)
		},
	}
	cmd.Flags().BoolVar(&opts.Forget, "forget", false,
		"begin without the checkpoint, which is removed: all objects come as add")
	return withFlags(cmd, &file, &server, &flags, &fields, &logs)
}
