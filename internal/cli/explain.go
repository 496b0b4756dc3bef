package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer/event"
)

// explainFlags select the event to explain, and the listener.
type explainFlags struct {
	listener, object, old, op string

	caches []string // NAME=FILE

	initial, summary bool

	live *kube.Reference // the object is one of the cluster
}

func newExplain(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var f explainFlags
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	opts := daemon.Options{Version: version}
	cmd := &cobra.Command{
		Use:   "explain FILE --listener NAME --object FILE|KIND/NAMESPACE/NAME [--old FILE]",
		Short: "Show why a listener's filter matches an event or not, and what its rules report",
		Long: "Show how a listener's select, filter and rules evaluate an event: each part of each expression with its value.\n" +
			"The objects are YAML or JSON, as kubectl get -o yaml prints them; each object of a list is explained. A name like\n" +
			"pod/default/web or node/n1 that is not a file is read from the cluster, with the connection and the rights of\n" +
			"the configuration's informers, and so is what expressions look up in other informers; for a file, --cache has it.\n" +
			"The expressions of the outputs are evaluated as well. What the listener remembers is not known here: with --old,\n" +
			"a rule that the old object violates, too, is not reported again. The exit code is 1 for an object that the\n" +
			"listener's informer does not watch, and if the answer depends on a lookup whose objects are missing.",
		Args: file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			op, err := f.check()
			if err != nil {
				return err
			}
			if err := f.liveFlags(cmd); err != nil {
				return err
			}
			if file.readsStdin() && f.object == "-" {
				return usageError{errors.New("--config and --object cannot both be standard input")}
			}
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := file.load(schemas, f.live != nil && opts.Kubeconfig == "")
			if err != nil {
				return err
			}
			questions, err := f.questions(op, stdin)
			if err != nil {
				return err
			}
			lookups, err := f.lookups(cfg, stdin)
			if err != nil {
				return f.named(err)
			}
			for i := range questions {
				questions[i].Lookups = lookups
			}
			if f.live != nil {
				ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
				defer stop()
				if err := daemon.Live(ctx, cfg, opts, f.listener, *f.live,
					&questions[0]); err != nil {
					return f.named(err)
				}
			}
			var unanswered error
			answered := map[string]bool{}
			for i, question := range questions {
				if i > 0 && !f.summary {
					fmt.Fprintln(stdout)
				}
				err := plan.Explain(cfg, schemas, f.listener, question, stdout)
				switch {
				case isUnanswered(err): // there may be an answer about others of the list
					if !answered[err.Error()] {
						unanswered = errors.Join(unanswered, err)
					}
					answered[err.Error()] = true
				case err != nil:
					return f.named(err)
				}
			}
			return unanswered
		},
	}
	file.add(cmd)
	cmd.Flags().StringVarP(&f.listener, "listener", "l", "", "the listener's name (required)")
	cmd.Flags().StringVar(&f.object, "object", "",
		"a file with the event's object, or a list of them; - is standard input; or an object of the cluster, as pod/default/web (required)")
	cmd.Flags().StringVar(&f.old, "old", "", "a file with the object before an update; also for an object of the cluster")
	cmd.Flags().StringVar(&f.op, "op", "",
		"add, update, delete or resync; default: update with --old, else add")
	cmd.Flags().BoolVar(&f.initial, "initial", false, "the object is one of the first list")
	cmd.Flags().BoolVar(&f.summary, "summary", false, "write one line for each object")
	cmd.Flags().StringArrayVar(&f.caches, "cache", nil,
		"objects for the cache of an informer in which expressions look objects up, as in nodes=FILE; may be repeated")
	cmd.Flags().StringVar(&opts.Kubeconfig, "kubeconfig", "",
		"kubeconfig file, instead of the configuration's")
	cmd.Flags().StringVar(&opts.Context, "context", "",
		"context of the kubeconfig, instead of the configuration's")
	fields.add(cmd)
	return cmd
}

// liveFlags finds out whether the object is one of the cluster. A file of that name takes
// precedence.
func (f *explainFlags) liveFlags(cmd *cobra.Command) error {
	if ref, ok := kube.ParseReference(f.object); ok {
		if _, err := os.Lstat(f.object); errors.Is(err, fs.ErrNotExist) {
			f.live = &ref
			return nil
		}
	}
	for _, name := range []string{"kubeconfig", "context"} {
		if cmd.Flags().Changed(name) {
			return usageError{
				fmt.Errorf("--%s needs an object of the cluster, as --object pod/default/web: %s is a file", name, f.object)}
		}
	}
	return nil
}

// isUnanswered reports whether an error is about one object, and not about the question.
func isUnanswered(err error) bool {
	var wrongKind *plan.WrongKindError
	var unwatched *plan.UnwatchedError
	var undecided *plan.UndecidedError
	return errors.As(err, &wrongKind) || errors.As(err, &unwatched) || errors.As(err, &undecided)
}

// lookups reads the files of --cache.
func (f *explainFlags) lookups(cfg *config.Config, stdin io.Reader) (
	map[string][]plan.ObjectFile, error) {
	l := cfg.Listeners[f.listener]
	if l == nil {
		return nil, plan.UnknownListener(cfg, f.listener)
	}
	names := plan.ExpressionLookups(cfg, l)
	all := map[string][]plan.ObjectFile{}
	for _, text := range f.caches {
		name, path, ok := strings.Cut(text, "=")
		switch {
		case !ok || name == "" || path == "":
			return nil, usageError{fmt.Errorf("--cache %q: write it as NAME=FILE", text)}
		case len(names) == 0:
			return nil, usageError{fmt.Errorf("--cache %s: the expressions of the listener %q look nothing up",
				text, f.listener)}
		case !slices.Contains(names, name):
			return nil, usageError{fmt.Errorf("--cache %s: the expressions of the listener %q look objects up in %s",
				text, f.listener, strings.Join(names, ", "))}
		case path == "-":
			return nil, usageError{fmt.Errorf("--cache %s: it cannot be standard input", text)}
		}
		objects, list, err := config.ReadObjects(path, stdin)
		if err != nil {
			return nil, err
		}
		for i, object := range objects {
			file := plan.ObjectFile{Path: path, JSON: object}
			if list {
				file.Path = fmt.Sprintf("%s: items[%d]", path, i)
			}
			all[name] = append(all[name], file)
		}
	}
	return all, nil
}

// named turns the error of an unknown listener into one of the command line.
func (f *explainFlags) named(err error) error {
	var unknown *plan.UnknownListenerError
	if errors.As(err, &unknown) {
		return usageError{fmt.Errorf("--listener: %w", err)}
	}
	return err
}

// check checks the flags alone: their mistakes are reported before those in files.
func (f *explainFlags) check() (op event.Op, err error) {
	if f.listener == "" || f.object == "" {
		return op, usageError{errors.New("--listener and --object are required")}
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
	return op, nil
}

// questions returns one for each object.
func (f *explainFlags) questions(op event.Op, stdin io.Reader) (all []plan.Question, err error) {
	objects, list := [][]byte{nil}, false
	if f.live == nil {
		objects, list, err = config.ReadObjects(f.object, stdin)
		if _, there := os.Lstat(f.object); err != nil && errors.Is(there, fs.ErrNotExist) &&
			!strings.ContainsAny(f.object, "./") {
			err = fmt.Errorf("%w; an object of the cluster has its kind and namespace in front, as --object pod/default/%s",
				err, f.object)
		}
		if err != nil {
			return nil, err
		}
	}
	q := plan.Question{Op: op, Old: plan.ObjectFile{Path: f.old}, Initial: f.initial,
		Summary: f.summary, Supposed: f.live != nil && f.op == "" && f.old == "" && !f.initial}
	if f.old != "" {
		if list {
			return nil, usageError{fmt.Errorf("--old belongs to one object, and %s is a list",
				f.object)}
		}
		if q.Old.JSON, err = config.ReadObject(f.old); err != nil {
			return nil, err
		}
	}
	path := f.object
	if path == "-" {
		path = "<stdin>"
	}
	for i, object := range objects {
		q.Object = plan.ObjectFile{Path: path, JSON: object}
		if list {
			q.Object.Path = fmt.Sprintf("%s: items[%d]", path, i)
		}
		all = append(all, q)
	}
	return all, nil
}
