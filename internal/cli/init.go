package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/warnings"
	"github.com/informerd/informerd/internal/starter"
)

// begin is one call of init.
type begin struct {
	wishes         starter.Wishes
	alerts         []string
	file           string
	print, force   bool
	stdin          io.Reader
	stdout, stderr io.Writer
}

func newInit(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	b := begin{file: starter.DefaultFile, stdin: stdin, stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a configuration to begin with, with explanations",
		Long: "Write a configuration to begin with, with explanations: informerd.yaml, or FILE, or standard output as -.\n" +
			"In a terminal, and without flags that say it, init asks which resources it is to watch, what it is to report\n" +
			"and where to. Common resources have rules of their own, others a filter that works with any. Secrets are not\n" +
			"asked for: the configuration says which environment variable or file has one. A file that exists is kept,\n" +
			"unless there is --force.",
		Example: "  informerd init\n" +
			"  informerd init --from pods,deployments --alert slack\n" +
			"  informerd init --from certificates.cert-manager.io --alert alertmanager=http://am.monitoring.svc:9093\n" +
			"  informerd init --policy crash-loop,pod-pending --alert slack=ALERTS_URL,file=alerts.jsonl alerts.yaml\n" +
			"  informerd init --from nodes --stdout | informerd run -c -",
		Args: b.args,
		RunE: b.run,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&b.wishes.Resources, "from", nil,
		"the resources to watch, as in pods,deployments (default pods,deployments)")
	flags.StringSliceVar(&b.wishes.Policies, "policy", nil, "ready policies to include: "+
		strings.Join(starter.Policies(), ", "))
	flags.StringSliceVar(&b.wishes.About, "about", nil,
		"what to report: problems, changes or both (default problems, changes of resources that have none)")
	flags.StringSliceVar(&b.alerts, "alert", nil, "the outputs: "+
		strings.Join(starter.Kinds(), ", ")+"; with =ADDRESS, an address, or the environment variable or file that has it (default stdout)")
	flags.StringSliceVarP(&b.wishes.Namespaces, "namespace", "n", nil,
		"the namespaces of the objects (default all)")
	flags.StringVar(&b.wishes.StateDir, "state-dir", starter.DefaultStateDir,
		"the folder for what must outlast informerd; a relative one counts from that of the file")
	flags.BoolVar(&b.print, "stdout", false, "print the configuration instead")
	flags.BoolVar(&b.force, "force", false, "overwrite the file if it exists")
	return cmd
}

func (b *begin) args(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return usage(fmt.Errorf("%s takes one file, found %q as well", cmd.CommandPath(),
			args[1]))
	case len(args) == 1 && args[0] == "-":
		b.print = true
	case len(args) == 1 && b.print:
		return usage(fmt.Errorf("--stdout and the file %s exclude each other", args[0]))
	case len(args) == 1:
		b.file = args[0]
	}
	return nil
}

func (b *begin) run(cmd *cobra.Command, _ []string) error {
	for _, text := range b.alerts {
		a, err := starter.ParseAlert(text)
		if err != nil {
			return usage(err)
		}
		b.wishes.Alerts = append(b.wishes.Alerts, a)
	}
	file := starter.File{Path: b.file, Force: b.force}
	if err := file.Free(); err != nil && !b.print {
		var taken *starter.TakenError
		if errors.As(err, &taken) {
			return usage(err)
		}
		return err
	}
	said := false
	for _, name := range []string{"from", "policy", "about", "alert", "namespace", "state-dir"} {
		flag := cmd.Flags().Lookup(name)
		if flag.Changed && strings.Trim(flag.Value.String(), "[]") == "" {
			return usage(fmt.Errorf("--%s is empty", name))
		}
		said = said || flag.Changed
	}
	if !said && isTerminal(b.stdin) {
		if err := starter.Ask(b.stdin, b.stderr, &b.wishes, func() error {
			_, _, err := b.configuration(cmd)
			return err
		}); err != nil {
			return fmt.Errorf("%w: nothing was written", err)
		}
	}
	text, cfg, err := b.configuration(cmd)
	if err != nil {
		return err
	}
	b.noteUnknown(cfg)
	if b.print {
		_, err := b.stdout.Write(text)
		return err
	}
	// A signal waits for the file to be complete.
	_, stop := stopOnSignal(cmd.Context(), b.stderr, nil)
	defer stop()
	if err := file.Write(text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.stdout, "%s is written: %s, %s. Next:\n%s", b.file,
		count(len(cfg.Listeners), "listener"), count(len(cfg.Outputs), "output"),
		file.Next(&b.wishes))
	return err
}

// noteUnknown says which resources are neither known nor named with a group, as a custom one is.
func (b *begin) noteUnknown(cfg *config.Config) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		return // it was read before, so this does not happen
	}
	for _, l := range cfg.ListenersInOrder() {
		resource := l.Informer().Resource
		if strings.Contains(resource, ".") || schemas.Schema(resource) != nil {
			continue
		}
		fmt.Fprintf(b.stderr, "note: --from: informerd knows no resource %s; name a custom resource with "+
			"its group, as in certificates.cert-manager.io, or have validate --cluster ask the API server\n",
			plain(resource))
	}
}

// conflicts returns an error about policies that find nothing in the namespaces that were chosen.
func conflicts(cfg *config.Config, schemas plan.Schemas) error {
	p, mistakes := plan.Compile(cfg, schemas)
	if len(mistakes) > 0 {
		return nil // they are reported elsewhere
	}
	if all := p.Conflicts(); len(all) > 0 {
		return usage(fmt.Errorf("--namespace: %s; leave one of them out", all[0].Message))
	}
	return nil
}

// configuration returns the configuration as text and as it is read. What validate would refuse is
// a mistake in the flags.
func (b *begin) configuration(cmd *cobra.Command) ([]byte, *config.Config, error) {
	text, err := b.wishes.Config()
	if err != nil {
		return nil, nil, usage(err)
	}
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		return nil, nil, err
	}
	cfg, err := config.Loading{More: plan.Mistakes(schemas, false),
		Stdin: bytes.NewReader(text)}.Load("-")
	if err == nil {
		err = daemon.Check(contextOf(cmd), cfg,
			daemon.BuildOptions{Log: slog.New(slog.DiscardHandler), Schemas: schemas,
				Warned: func(config.Error) {}})
	}
	var mistakes config.Errors
	if err == nil {
		if err = conflicts(cfg, schemas); err != nil {
			return nil, nil, err
		}
		if suspicious, _ := warnings.Unchecked(cfg, schemas); len(suspicious) > 0 {
			err = starter.Misspelt(suspicious)
		}
	}
	if errors.As(err, &mistakes) {
		return nil, nil, usage(starter.OfFlags(mistakes))
	}
	return text, cfg, err
}
