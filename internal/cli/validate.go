package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/daemon"
)

func newValidate(stdout, stderr io.Writer) *cobra.Command {
	var path string
	var logs logFlags
	var fields fieldCheck
	var opts daemon.Options
	var cluster bool
	cmd := &cobra.Command{
		Use:   "validate --config FILE",
		Short: "Check a configuration, its expressions and its handlers, without an API server or with one",
		Long: "Check a configuration, its expressions and its handlers. The fields that expressions read are checked against\n" +
			"schemas of the common kinds that informerd brings, or with --cluster, against those of the API server, which must\n" +
			"then have all resources.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := logs.logger(stderr)
			if err != nil {
				return err
			}
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			if err := together(cmd, cluster); err != nil {
				return err
			}
			cfg, err := load(path)
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr)
			defer stop()
			opts.Log, opts.Version = log, version
			if cluster {
				err = daemon.CheckCluster(ctx, cfg, opts)
			} else {
				err = daemon.Check(ctx, cfg, daemon.BuildOptions{Log: log, Schemas: schemas})
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s is valid: %d listeners, %d outputs\n", path, len(cfg.Listeners), len(cfg.Outputs))
			return nil
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().BoolVar(&cluster, "cluster", false, "check against the API server: resources and the fields of their objects")
	cmd.Flags().StringVar(&opts.Kubeconfig, "kubeconfig", "", "kubeconfig file, instead of the configuration's")
	cmd.Flags().StringVar(&opts.Context, "context", "", "context of the kubeconfig, instead of the configuration's")
	fields.add(cmd)
	logs.add(cmd)
	return cmd
}

// together refuses flags that would do nothing: who gives them takes it that they do.
func together(cmd *cobra.Command, cluster bool) error {
	flags := cmd.Flags()
	if cluster && flags.Changed("schema") {
		return usageError{errors.New("--schema has no say with --cluster: the API server has the schemas")}
	}
	for _, name := range []string{"kubeconfig", "context"} {
		if !cluster && flags.Changed(name) {
			return usageError{fmt.Errorf("--%s needs --cluster: without it no API server is asked", name)}
		}
	}
	return nil
}
