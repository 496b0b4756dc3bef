package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
)

func newValidate(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin, policies: true}
	var logs logFlags
	var fields fieldCheck
	var output outputFlag
	var opts daemon.Options
	var cluster, strict bool
	cmd := &cobra.Command{
		Use:   "validate FILE",
		Short: "Check a configuration, its expressions and its handlers, without an API server or with one",
		Long: "Check a configuration, its expressions and its handlers, or a policy file. The fields that expressions read are\n" +
			"checked against the schemas of the common kinds in informerd, or with --cluster, against those of the API server,\n" +
			"which must then have all resources. Each mistake is written as file:line:column: what is wrong.\n" +
			"The exit code is 3 if there are mistakes, with --strict also if there are warnings.",
		Args: file.args,
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
			asJSON, err := output.json()
			if err != nil {
				return err
			}
			v := verdict{File: file.shown(), strict: strict}
			cfg, err := file.load(schemas, opts.Kubeconfig == "")
			if err == nil {
				v.Listeners, v.Outputs = len(cfg.Listeners), len(cfg.Outputs)
				ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
				defer stop()
				opts.Log, opts.Version, opts.Warned = log, version, v.warned
				if cluster {
					err = daemon.CheckCluster(ctx, cfg, opts)
				} else {
					err = daemon.Check(ctx, cfg,
						daemon.BuildOptions{Log: log, Schemas: schemas, Warned: v.warned})
					suspicious, notes := plan.Unchecked(cfg, schemas)
					v.warnings, v.notes = append(v.warnings, suspicious...), notes
				}
				v.inOrder()
			}
			var missing *rights.Missing
			if errors.As(err, &missing) {
				v.roles = missing.Roles
			}
			if errors.As(err, &v.mistakes) {
				err = nil
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = v.writeJSON(stdout)
			} else {
				err = v.write(stdout, stderr)
			}
			if err == nil && !v.valid() {
				err = errReported
			}
			return err
		},
	}
	file.add(cmd)
	output.add(cmd)
	cmd.Flags().BoolVar(&strict, "strict", false, "treat warnings as mistakes")
	cmd.Flags().BoolVar(&cluster, "cluster", false,
		"check against the API server: resources, the fields of their objects, and rights")
	cmd.Flags().StringVar(&opts.Kubeconfig, "kubeconfig", "",
		"kubeconfig file, instead of the configuration's")
	cmd.Flags().StringVar(&opts.Context, "context", "",
		"context of the kubeconfig, instead of the configuration's")
	fields.add(cmd)
	logs.add(cmd)
	return cmd
}

// together returns an error for flags that would have no effect.
func together(cmd *cobra.Command, cluster bool) error {
	flags := cmd.Flags()
	if cluster && flags.Changed("schema") {
		return usageError{errors.New(
			"--schema has no effect with --cluster: the API server has the schemas")}
	}
	for _, name := range []string{"kubeconfig", "context"} {
		if !cluster && flags.Changed(name) {
			return usageError{fmt.Errorf("--%s needs --cluster: without it no API server is asked",
				name)}
		}
	}
	return nil
}

// verdict is the result of validate.
type verdict struct {
	File               string
	Listeners, Outputs int

	strict                    bool
	mistakes, warnings, notes config.Errors
	roles                     string // that would grant the missing rights
}

func (v *verdict) warned(w config.Error) { v.warnings = append(v.warnings, w) }

// inOrder sorts the warnings by file, and within a file by place.
func (v *verdict) inOrder() {
	files := map[string]int{}
	for _, w := range v.warnings {
		if _, seen := files[w.File]; !seen {
			files[w.File] = len(files)
		}
	}
	slices.SortStableFunc(v.warnings, func(a, b config.Error) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
}

func (v *verdict) valid() bool {
	return len(v.mistakes) == 0 && (!v.strict || len(v.warnings) == 0)
}

func (v *verdict) write(stdout, stderr io.Writer) error {
	writeMistakes(stderr, v.mistakes, "")
	writeMistakes(stderr, v.warnings, "warning: ")
	if v.roles != "" {
		fmt.Fprintf(stderr, "\nThese roles would grant the missing rights, once they are bound to the account. informerd rbac prints all that the\nconfiguration needs.\n\n%s", v.roles)
	}
	if len(v.mistakes) > 0 {
		return nil
	}
	writeMistakes(stderr, v.notes, "note: ")
	if !v.valid() {
		_, err := fmt.Fprintf(stdout, "%s has %s\n", v.File, count(len(v.warnings), "warning"))
		return err
	}
	_, err := fmt.Fprintf(stdout, "%s is valid: %s, %s\n", v.File, count(v.Listeners, "listener"),
		count(v.Outputs, "output"))
	return err
}
