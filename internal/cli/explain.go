package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/cli/asking"
	"github.com/informerd/informerd/internal/live"
)

func newExplain(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	o := asking.Options{Connect: live.Options{Version: version}}
	format := formatFlag{formats: []string{"text", "json"}}
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	cmd := &cobra.Command{
		Use:   "explain FILE --object FILE|KIND/NAMESPACE/NAME [--listener NAME]… [--old FILE]",
		Short: "Show why a listener's filter matches an event or not, and what its rules report",
		Long: "Show how the select, filter and rules of listeners evaluate an event: each part of each expression with its value,\n" +
			"and what becomes of the event. Without --listener, all listeners of the object's kind are asked. If there are\n" +
			"several answers, or a long one, what becomes of the event comes first; --summary shows no more than that.\n" +
			"The objects are YAML or JSON, as kubectl get -o yaml prints them; each object of a list or of several documents is\n" +
			"explained, and one of another kind than the listeners watch is left out. A name like pod/default/web or node/n1 that\n" +
			"is not a file is read from the cluster, with the connection and the rights of the configuration's informers, and\n" +
			"so is what expressions look up in other informers; for a file, --cache has it, or --kubeconfig or --context says\n" +
			"which cluster has it. --apply asks what comes if the file is applied to the cluster: of an update, the object is\n" +
			"merged into the one that is there, as kubectl does it, and the API server says in a dry run what it makes of that.\n" +
			"The expressions of the outputs are evaluated as well. About an object of the cluster, the informerd that runs with\n" +
			"the configuration is asked what its rules remember, or if none runs, its checkpoint: since when a violation is\n" +
			"open, which outputs have it, and when it is reported again. Else that is not known: with --old, a rule that the\n" +
			"old object violates, too, is not reported again.\n" +
			"With -o json, each answer is one line; docs/filters.md has its members. The exit code is 1 if no object is one\n" +
			"that the listeners watch, by its kind, namespace, labels and fields, and if the answer depends on a lookup whose\n" +
			"objects are missing; with --exit-code it is 1 if a rule is violated, and not for objects that nobody watches.",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := inTwoWords(o.Object, o.Namespace, args); err != nil {
				return err
			}
			return file.args(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.JSON, o.PodsGiven = format.format == "json", cmd.Flags().Changed("pods")
			if err := o.Check(); err != nil {
				return err
			}
			if err := format.check(); err != nil {
				return err
			}
			if file.readsStdin() && o.Object == "-" {
				return usage(errors.New("--config and --object cannot both be standard input"))
			}
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := file.load(schemas, o.OfCluster() && o.Connect.Kubeconfig == "")
			if err != nil {
				return err
			}
			x, err := asking.New(o, cfg, schemas,
				asking.Streams{Stdin: stdin, Stdout: stdout, Stderr: stderr})
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			if err := x.Run(ctx); !errors.Is(err, asking.ErrViolated) {
				return err
			}
			return errFound
		},
	}
	file.add(cmd)
	cmd.Flags().StringArrayVarP(&o.Listeners, "listener", "l", nil,
		"the listener's name; may be repeated; default: all listeners of the object's kind")
	cmd.Flags().Var((*single)(&o.Object), "object",
		"a file with the event's object, or several; - is standard input; or an object of the cluster, as pod/default/web (required)")
	cmd.Flags().Var((*single)(&o.Old), "old",
		"a file with the object before an update; also for an object of the cluster")
	cmd.Flags().BoolVar(&o.Apply, "apply", false,
		"the objects of the file are applied to the cluster: each is an add, an update, or nothing that changes")
	cmd.Flags().StringVarP(&o.Namespace, "namespace", "n", "",
		"the namespace of objects of a file that say none (default default), or of an object of the cluster that is KIND/NAME")
	cmd.Flags().StringVar(&o.Op, "op", "",
		"add, update, delete or resync; default: update with --old, else add")
	cmd.Flags().BoolVar(&o.Initial, "initial", false, "the object is one of the first list")
	cmd.Flags().BoolVar(&o.Pods, "pods", false,
		"explain also the pods that the templates of Deployments, Jobs and the like in the file stand for")
	cmd.Flags().BoolVar(&o.Violated, "exit-code", false,
		"exit with 1 if an object violates a rule, or that cannot be told; judges the pods of templates, unless --pods=false")
	cmd.Flags().BoolVar(&o.Summary, "summary", false, "write one line for each object and listener")
	cmd.Flags().StringArrayVar(&o.Rules, "rule", nil,
		"the name of a rule: only that is explained, and not the event itself; may be repeated")
	cmd.Flags().StringArrayVar(&o.SkipRules, "skip-rule", nil,
		"the name of a rule: all others are explained, and not the event itself; may be repeated")
	cmd.Flags().StringVar(&o.Now, "now", "",
		"the time to which age counts, as 2030-01-31T12:00:00Z, or how much later it is, as 2h")
	cmd.Flags().BoolVar(&o.OnlyComing, "only-coming", false,
		"leave out what nothing comes of: rules that report nothing, filters that do not match, and whole answers")
	cmd.Flags().StringArrayVar(&o.Caches, "cache", nil,
		"objects for the cache of an informer in which expressions look objects up, as in nodes=FILE; may be repeated")
	cmd.Flags().StringVar(&o.Connect.Kubeconfig, "kubeconfig", "",
		"kubeconfig file, instead of the configuration's; for an object of a file, lookups are asked there")
	cmd.Flags().StringVar(&o.Connect.Context, "context", "",
		"context of the kubeconfig, instead of the configuration's; for an object of a file, lookups are asked there")
	format.add(cmd)
	fields.add(cmd)
	return cmd
}

// single is a flag that has one value: another one would hide the first.
type single string

func (s *single) String() string { return string(*s) }
func (s *single) Type() string   { return "string" }

func (s *single) Set(value string) error {
	if *s != "" {
		return errors.New("it is given twice: a file may have several objects")
	}
	*s = single(value)
	return nil
}
