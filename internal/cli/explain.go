package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config/objects"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer/event"
)

// explainFlags select the event to explain, and the listeners.
type explainFlags struct {
	listeners       []string
	object, old, op string

	caches []string // NAME=FILE

	initial, summary bool

	format  formatFlag
	connect live.Options

	live     *kube.Reference // the object is one of the cluster
	lookedUp bool            // the object is one of a file, and lookups are asked of the cluster
}

func newExplain(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	f := explainFlags{format: formatFlag{formats: []string{"text", "json"}},
		connect: live.Options{Version: version}}
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
			"which cluster has it. The expressions of the outputs are evaluated as well. What the listener remembers is not\n" +
			"known here: with --old, a rule that the old object violates, too, is not reported again.\n" +
			"With -o json, each answer is one line; docs/filters.md has its members. The exit code is 1 if no object is of a\n" +
			"kind that the listeners watch, for an object that they do not watch since it is outside of their namespaces and\n" +
			"selectors, and if the answer depends on a lookup whose objects are missing.",
		Args: file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			op, err := f.check()
			if err != nil {
				return err
			}
			f.find()
			if file.readsStdin() && f.object == "-" {
				return usageError{errors.New("--config and --object cannot both be standard input")}
			}
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := file.load(schemas, f.live != nil && f.connect.Kubeconfig == "")
			if err != nil {
				return err
			}
			x := explaining{explainFlags: &f, cfg: cfg, schemas: schemas, stdin: stdin,
				stdout: stdout, stderr: stderr}
			if err := x.choose(); err != nil {
				return err
			}
			questions, err := x.questions(op)
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			return x.run(ctx, questions)
		},
	}
	file.add(cmd)
	cmd.Flags().StringArrayVarP(&f.listeners, "listener", "l", nil,
		"the listener's name; may be repeated; default: all listeners of the object's kind")
	cmd.Flags().Var((*single)(&f.object), "object",
		"a file with the event's object, or several; - is standard input; or an object of the cluster, as pod/default/web (required)")
	cmd.Flags().Var((*single)(&f.old), "old", "a file with the object before an update; also for an object of the cluster")
	cmd.Flags().StringVar(&f.op, "op", "",
		"add, update, delete or resync; default: update with --old, else add")
	cmd.Flags().BoolVar(&f.initial, "initial", false, "the object is one of the first list")
	cmd.Flags().BoolVar(&f.summary, "summary", false, "write one line for each object and listener")
	cmd.Flags().StringArrayVar(&f.caches, "cache", nil,
		"objects for the cache of an informer in which expressions look objects up, as in nodes=FILE; may be repeated")
	cmd.Flags().StringVar(&f.connect.Kubeconfig, "kubeconfig", "",
		"kubeconfig file, instead of the configuration's; for an object of a file, lookups are asked there")
	cmd.Flags().StringVar(&f.connect.Context, "context", "",
		"context of the kubeconfig, instead of the configuration's; for an object of a file, lookups are asked there")
	f.format.add(cmd)
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

// find finds out whether the object is one of the cluster. A file of that name takes precedence.
func (f *explainFlags) find() {
	if ref, ok := kube.ParseReference(f.object); ok {
		if _, err := os.Lstat(f.object); errors.Is(err, fs.ErrNotExist) {
			f.live = &ref
			return
		}
	}
	f.lookedUp = f.connect.Kubeconfig != "" || f.connect.Context != ""
}

// check checks the flags alone: their mistakes are reported before those in files.
func (f *explainFlags) check() (op event.Op, err error) {
	if f.object == "" {
		return op, usageError{errors.New("--object is required")}
	}
	op = event.Add
	if f.old != "" {
		op = event.Update
	}
	if f.op != "" {
		if op, err = event.ParseOp(f.op); err != nil {
			return op, usageError{fmt.Errorf("--op: %w", err)}
		}
	}
	switch {
	case op == event.Update && f.old == "":
		return op, usageError{errors.New("--op update needs --old FILE, the object before the update")}
	case op != event.Add && f.initial:
		return op, usageError{fmt.Errorf("--initial is about an add, and this is --op %s", op)}
	case op != event.Update && f.old != "":
		return op, usageError{fmt.Errorf("--old is the object before an update, and this is --op %s: leave one of them out",
			op)}
	}
	if err := f.format.check(); err != nil {
		return op, err
	}
	if f.summary && f.format.format != "text" {
		return op, usageError{errors.New("--summary is text; the JSON has it as verdicts")}
	}
	return op, nil
}

// questions returns one for each object.
func (x *explaining) questions(op event.Op) (all []plan.Question, err error) {
	found, several := []objects.Object{{}}, false
	if x.live != nil {
		found[0].At = x.live.String()
	} else if found, several, err = objects.All(x.object, x.stdin); err != nil {
		return nil, x.noFile(err)
	}
	q := plan.Question{Op: op, Old: plan.ObjectFile{Path: x.old}, Initial: x.initial,
		Supposed: x.live != nil && x.op == "" && x.old == "" && !x.initial}
	if x.old != "" {
		if several {
			return nil, usageError{fmt.Errorf("--old belongs to one object, and %s is a list",
				x.object)}
		}
		if q.Old.JSON, err = objects.One(x.old); err != nil {
			return nil, err
		}
	}
	for _, o := range found {
		q.Object = plan.ObjectFile{Path: o.At, JSON: o.JSON}
		q.Source = x.source(o.At)
		all = append(all, q)
	}
	return all, nil
}
