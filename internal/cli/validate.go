package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
)

func newValidate(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	var server serverFlags
	output := textOrJSON()
	var cluster, strict bool
	var others []configuration // further files, each by itself
	cmd := &cobra.Command{
		Use:   "validate FILE…",
		Short: "Check a configuration, its expressions and its handlers, without an API server or with one",
		Long: "Check a configuration, its expressions and its handlers, or a policy file. The fields that expressions read are\n" +
			"checked against the schemas of the common kinds in informerd, or with --cluster, against those of the API server,\n" +
			"which must then have all resources; of several clusters, each is asked. Each mistake is written as\n" +
			"file:line:column: what is wrong.\n" +
			"Several files are checked one by one; with --config for each, they are one configuration.\n" +
			"The exit code is 3 if there are mistakes, with --strict also if there are warnings. What\n" +
			"this machine does not have, such as the variables of secrets, is a note, which does not count.",
		Example: "  informerd validate --strict configs/*.yaml\n" +
			"  informerd validate -c base.yaml -c production.yaml\n" +
			"  kubectl get -o 'jsonpath={.data.informerd\\.yaml}' configmap/informerd | informerd validate -",
		Args: func(cmd *cobra.Command, args []string) error {
			for _, path := range args[min(1, len(args)):] {
				others = append(others,
					configuration{stdin: stdin, policies: true, paths: []string{path}})
			}
			return file.args(cmd, args[:min(1, len(args))])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := warningLog(stderr)
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			if err := together(cmd, cluster); err != nil {
				return err
			}
			opts := daemon.Options{Log: log, Version: version, Kubeconfig: server.kubeconfig,
				Context: server.context, Schemas: schemas}
			valid := true
			for _, f := range append([]configuration{file}, others...) {
				v, err := found(cmd.Context(), stderr, &f, opts, cluster)
				v.Strict = strict
				if err == nil {
					err = v.write(output.json(), stdout, stderr)
				}
				if err != nil {
					return err
				}
				valid = valid && v.valid()
			}
			if !valid {
				return errReported
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "treat warnings as mistakes")
	cmd.Flags().BoolVar(&cluster, "cluster", false,
		"check against the API server: resources, the fields of their objects, and what may be listed and watched")
	return withFlags(cmd, &file, &output, &server, &fields)
}

// found returns what is in one file, checked with an API server or without one. An error is not
// about what is in it.
func found(ctx context.Context, stderr io.Writer, file *configuration, opts daemon.Options,
	cluster bool) (*verdict, error) {
	v := &verdict{File: file.shown()}
	opts.Warned, opts.Noted = v.warned, v.noted
	cfg, err := file.load(opts.Schemas, opts.Kubeconfig == "")
	if err == nil {
		ctx, stop := stopOnSignal(ctx, stderr, nil)
		defer stop()
		v.Listeners, v.Outputs = len(cfg.Listeners), len(cfg.Outputs)
		if cluster {
			err = daemon.CheckCluster(ctx, cfg, opts)
		} else {
			err = daemon.Check(ctx, cfg, opts)
			warnings, notes := plan.ResourceWarnings(cfg, opts.Schemas)
			v.Warnings, v.Notes = append(v.Warnings, warnings...), append(v.Notes, notes...)
		}
		inOrder(v.Warnings)
		inOrder(v.Notes)
	}
	if errors.As(err, &v.Mistakes) {
		err = nil
	}
	return v, err
}

// together returns an error for flags that would have no effect.
func together(cmd *cobra.Command, cluster bool) error {
	flags := cmd.Flags()
	if cluster && flags.Changed("schema") {
		return usage(errors.New(
			"--schema has no effect with --cluster: the API server has the schemas"))
	}
	for _, name := range []string{"kubeconfig", "context"} {
		if !cluster && flags.Changed(name) {
			return usage(fmt.Errorf("--%s needs --cluster: without it no API server is asked",
				name))
		}
	}
	return nil
}
