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
	var flags runFlags
	opts := daemon.Options{Version: version, Stdout: stdout}
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a configuration until stopped by a signal",
		Long: "Run a configuration until stopped by a signal. The first SIGINT or SIGTERM lets listeners finish the\n" +
			"events in their buffers, for up to shutdown.drain (25s by default); the second ends informerd at once. The\n" +
			"configuration is reloaded on SIGHUP, by informerd reload, and when one of its files changes: what differs is\n" +
			"exchanged, and if there is a mistake, nothing is.\n" +
			"With --once it ends by itself, for CI and cron jobs; with --dry-run it sends nothing.",
		Args: file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stderr := withProgress(&opts, stdout, stderr)
			log, err := logs.logger(stderr)
			if err != nil {
				return err
			}
			if err := flags.apply(cmd, &opts, stdout, stderr); err != nil {
				return err
			}
			if opts.Schemas, err = fields.schemas(); err != nil {
				return err
			}
			opts.Files = file.watched()
			cfg, err := file.load(opts.Schemas, opts.Kubeconfig == "")
			if err != nil {
				return err
			}
			opts.Log = log
			hangup := make(chan struct{}, 1)
			opts.Hangup = hangup
			if !file.readsStdin() {
				again := file
				again.regular = true
				opts.Load = func() (*config.Config, error) {
					return again.load(opts.Schemas, opts.Kubeconfig == "")
				}
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, hangup)
			defer stop()
			return daemon.Run(ctx, cfg, opts)
		},
	}
	file.add(cmd)
	cmd.Flags().StringVar(&opts.Kubeconfig, "kubeconfig", "",
		"kubeconfig file, instead of the configuration's")
	cmd.Flags().StringVar(&opts.Context, "context", "",
		"context of the kubeconfig, instead of the configuration's")
	cmd.Flags().BoolVar(&opts.Forget, "forget", false,
		"begin without the checkpoint, which is removed: all objects come as add")
	flags.add(cmd)
	fields.add(cmd)
	logs.add(cmd)
	return cmd
}
