package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/oneoff"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/internal/verdict"
)

func newWatch(stdout, stderr io.Writer) *cobra.Command {
	w := watch{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "watch RESOURCE[/NAME]…",
		Short: "Show changes of resources as they happen, without a configuration",
		Long: "Show changes of resources as they happen, without a configuration: a line for each event, with the time, the op,\n" +
			"the object, and which fields have changed. Objects that exist already come first, as add; --filter '!initial'\n" +
			"leaves them out. With --rules, which names a policy file, it shows where objects violate its rules.\n" +
			"--print-config prints the configuration that this stands for, and which informerd run takes.",
		Example: "  informerd watch pods -n shop\n" +
			"  informerd watch deployment/web -n shop\n" +
			"  informerd watch deployments.apps --filter 'op == \"update\" && changed(\"spec.replicas\")'\n" +
			"  informerd watch pods -l app=web --select 'object.status.phase == \"Pending\"'\n" +
			"  informerd watch --rules configs/policies/privileged.yaml\n" +
			"  informerd watch pods -n shop --print-config > informerd.yaml",
		RunE: w.run,
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&w.query.Namespaces, "namespace", "n", nil,
		"the namespaces of the objects (default: all)")
	flags.BoolVarP(&w.all, "all-namespaces", "A", false, "all namespaces, as without --namespace")
	flags.StringVarP(&w.query.Labels, "selector", "l", "", "a label selector, as in app=web")
	flags.StringVar(&w.query.Fields, "field-selector", "",
		"a field selector, as in spec.nodeName=worker-1")
	flags.StringVar(&w.query.Select, "select", "", "an expression: which objects are watched")
	flags.StringVar(&w.query.Filter, "filter", "", "an expression: which events are shown")
	flags.StringVar(&w.rules, "rules", "", "a policy file, whose rules the objects are judged by")
	flags.StringVarP(&w.format, "output", "o", "short",
		"the format: short, json (CloudEvents, one a line) or yaml")
	flags.BoolVar(&w.printConfig, "print-config", false,
		"print the configuration instead, without running it")
	flags.StringVar(&w.query.Kubeconfig, "kubeconfig", "", "kubeconfig file")
	flags.StringVar(&w.query.Context, "context", "", "context of the kubeconfig")
	w.logs.add(cmd)
	w.logs.level = "warn"
	flags.Lookup("log-level").DefValue = w.logs.level
	return cmd
}

// watch is one call of the command.
type watch struct {
	query          oneoff.Query
	rules, format  string
	all            bool
	printConfig    bool
	args           []string
	logs           logFlags
	stdout, stderr io.Writer
}

func (w *watch) run(cmd *cobra.Command, args []string) error {
	w.args = args
	log, err := w.logs.logger(w.stderr)
	if err != nil {
		return err
	}
	switch {
	case w.format != "short" && w.format != "json" && w.format != "yaml":
		return usage(fmt.Errorf("--output %q: it is short, json or yaml", w.format))
	case w.all && len(w.query.Namespaces) > 0:
		return usage(errors.New("--all-namespaces and --namespace exclude each other"))
	}
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		return err
	}
	text, cfg, err := w.configuration(args, schemas)
	if err != nil {
		return err
	}
	ctx, stop := stopOnSignal(cmd.Context(), w.stderr, nil)
	defer stop()
	if w.printConfig {
		err = daemon.Check(ctx, cfg,
			daemon.BuildOptions{Log: log, Schemas: schemas, Warned: w.warned})
		if err == nil {
			_, err = w.stdout.Write(text)
		}
		return w.asUsage(err)
	}
	opts := daemon.Options{Version: version, Log: log, Stdout: w.stdout, Warned: w.warned,
		Progress: oneoff.Waiting(w.stderr)}
	if w.format != "json" {
		opts.Stdout = &oneoff.Lines{To: w.stdout, YAML: w.format == "yaml",
			Color: colored(w.stdout), Resources: len(cfg.Listeners) > 1}
	}
	// What is not there, or not allowed, is better said at once than waited for.
	if err := daemon.CheckCluster(ctx, cfg, opts); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return w.asUsage(err)
	}
	return daemon.Run(ctx, cfg, opts)
}

// ofObject adds how one object is watched to a mistake in the second argument, which kubectl takes
// for a name.
func ofObject(mistakes config.Errors, args []string) config.Errors {
	for i, m := range mistakes {
		if len(args) == 2 && strings.HasSuffix(m.Field, ".informer.resource") &&
			strings.Contains(m.Message, strconv.Quote(args[1])) {
			mistakes[i].Hint = "to watch one object, write " + args[0] + "/" + args[1]
		}
	}
	return mistakes
}

// asUsage returns mistakes in the configuration as mistakes on the command line, and other errors
// as they are. Rights that are missing are written, with the roles that would grant them.
func (w *watch) asUsage(err error) error {
	var mistakes config.Errors
	var missing *rights.Missing
	if !errors.As(err, &mistakes) {
		return err
	}
	if errors.As(err, &missing) {
		v := verdict.Verdict{Mistakes: oneoff.OfFlags(mistakes), Roles: missing.Roles}
		if err := v.Write("text", w.stdout, w.stderr); err != nil {
			return err
		}
		return errFound
	}
	return usage(oneoff.OfFlags(ofObject(mistakes, w.args)))
}

func (w *watch) warned(warning config.Error) {
	verdict.WriteMistakes(w.stderr, config.Errors{oneoff.OfFlag(warning)}, "warning: ")
}

// configuration returns the configuration, as text and as it is read.
func (w *watch) configuration(args []string, schemas plan.Schemas) (text []byte,
	cfg *config.Config, err error) {
	for _, arg := range args {
		w.query.Resources = append(w.query.Resources, strings.Split(arg, ",")...)
	}
	if w.rules != "" {
		if w.query.Policy, err = oneoff.Policy(w.rules); err != nil {
			return nil, nil, err
		}
	}
	if w.query.Kubeconfig != "" {
		if w.query.Kubeconfig, err = filepath.Abs(w.query.Kubeconfig); err != nil {
			return nil, nil, err
		}
	}
	if text, err = w.query.Config(); err != nil {
		return nil, nil, usage(err)
	}
	cfg, err = config.Loading{More: plan.Mistakes(schemas, true),
		Stdin: bytes.NewReader(text)}.Load("-")
	return text, cfg, w.asUsage(err)
}
