package cli

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
)

func newWatch(stdout, stderr io.Writer) *cobra.Command {
	w := watch{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "watch RESOURCE[/NAME]…",
		Short: "Show changes of resources as they happen, without a configuration",
		Long: "Show changes of resources as they happen: a line for each event, with the time, the op, the object, and which\n" +
			"fields have changed. Objects that exist already come first, as add; --filter '!initial' leaves them out. With\n" +
			"--rules it shows where objects violate the rules of a policy file.",
		Example: "  informerd watch pods -n shop\n" +
			"  informerd watch deployments.apps --filter 'op == \"update\" && changed(\"spec.replicas\")'",
		RunE: w.run,
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&w.query.Namespaces, "namespace", "n", nil,
		"the namespaces of the objects (default: all)")
	flags.StringVarP(&w.query.Labels, "selector", "l", "", "a label selector, as in app=web")
	flags.StringVar(&w.query.Select, "select", "", "an expression: which objects are watched")
	flags.StringVar(&w.query.Filter, "filter", "", "an expression: which events are shown")
	flags.StringVar(&w.rules, "rules", "", "a policy file, whose rules the objects are judged by")
	w.format.formats = []string{"short", "json", "yaml"}
	flags.BoolVar(&w.printConfig, "print-config", false,
		"print the configuration instead, without running it")
	flags.StringVar(&w.query.Kubeconfig, "kubeconfig", "", "kubeconfig file")
	flags.StringVar(&w.query.Context, "context", "", "context of the kubeconfig")
	return withFlags(cmd, &w.format)
}

// watch is one call of the command.
type watch struct {
	query          watchQuery
	rules          string
	format         formatFlag
	printConfig    bool
	stdout, stderr io.Writer
}

func (w *watch) run(cmd *cobra.Command, args []string) error {
	log := warningLog(w.stderr)
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
			daemon.Options{Log: log, Schemas: schemas, Warned: w.warned})
		if err == nil {
			_, err = w.stdout.Write(text)
		}
		return w.asUsage(err)
	}
	opts := daemon.Options{Version: version, Log: log, Stdout: forTerminal(w.stdout), Warned: w.warned,
		Progress: waitForObjects(w.stderr)}
	if w.format.format != "json" {
		opts.Stdout = &eventLines{To: w.stdout, YAML: w.format.format == "yaml",
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

// asUsage returns mistakes in the configuration as mistakes on the command line, and other errors
// as they are. Rights that are missing are no mistake of the command line.
func (w *watch) asUsage(err error) error {
	var mistakes config.Errors
	if !errors.As(err, &mistakes) {
		return err
	}
	if errors.As(err, new(*rights.Missing)) {
		writeMistakes(w.stderr, ofWatchFlags(mistakes), "")
		return errFound
	}
	return usage(ofWatchFlags(mistakes))
}

func (w *watch) warned(warning config.Error) {
	writeMistakes(w.stderr, config.Errors{ofWatchFlag(warning)}, "warning: ")
}

// configuration returns the configuration, as text and as it is read.
func (w *watch) configuration(args []string, schemas plan.Schemas) (text []byte,
	cfg *config.Config, err error) {
	for _, arg := range args {
		w.query.Resources = append(w.query.Resources, strings.Split(arg, ",")...)
	}
	if w.rules != "" {
		if w.query.policy, err = readPolicy(w.rules); err != nil {
			return nil, nil, err
		}
	}
	if w.query.Kubeconfig != "" {
		if w.query.Kubeconfig, err = filepath.Abs(w.query.Kubeconfig); err != nil {
			return nil, nil, err
		}
	}
	if text, err = w.query.config(); err != nil {
		return nil, nil, usage(err)
	}
	cfg, err = config.Loading{More: plan.Mistakes(schemas, true),
		Stdin: bytes.NewReader(text)}.Load("-")
	return text, cfg, w.asUsage(err)
}
