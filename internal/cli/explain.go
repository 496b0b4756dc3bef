package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/pkg/informer/event"
)

// explainFlags say which event is to be explained to whom.
type explainFlags struct{ path, listener, object, old, op string }

func newExplain(stdout io.Writer) *cobra.Command {
	var f explainFlags
	var fields fieldCheck
	cmd := &cobra.Command{
		Use:   "explain --config FILE --listener NAME --object FILE [--old FILE]",
		Short: "Show why a listener's filter matches an event or not, and what its rules say",
		Long: "Show what a listener's select, filter and rules make of an event: each part of each expression with its value.\n" +
			"The objects are YAML or JSON, as kubectl get -o yaml prints them.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			op, err := f.check()
			if err != nil {
				return err
			}
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := load(f.path)
			if err != nil {
				return err
			}
			question, err := f.question(op)
			if err != nil {
				return err
			}
			err = daemon.Explain(contextOf(cmd), cfg, daemon.BuildOptions{Schemas: schemas}, f.listener, question, stdout)
			var unknown *daemon.UnknownListenerError
			if errors.As(err, &unknown) {
				return usageError{fmt.Errorf("--listener: %w", err)}
			}
			return err
		},
	}
	configFlag(cmd, &f.path)
	cmd.Flags().StringVarP(&f.listener, "listener", "l", "", "the listener's name (required)")
	cmd.Flags().StringVar(&f.object, "object", "", "a file with the event's object (required)")
	cmd.Flags().StringVar(&f.old, "old", "", "a file with the object before an update")
	cmd.Flags().StringVar(&f.op, "op", "", "add, update, delete or resync; default: update with --old, else add")
	fields.add(cmd)
	return cmd
}

// check looks at the flags alone: what is wrong with them is said before what is wrong with files.
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
	if (op == event.Update) != (f.old != "") {
		return op, usageError{fmt.Errorf("--old belongs to an update, and an update has one: this is --op %s", op)}
	}
	return op, nil
}

func (f *explainFlags) question(op event.Op) (q daemon.Question, err error) {
	q = daemon.Question{Op: op, Object: daemon.ObjectFile{Path: f.object}, Old: daemon.ObjectFile{Path: f.old}}
	if q.Object.JSON, err = config.ReadObject(f.object); err == nil && f.old != "" {
		q.Old.JSON, err = config.ReadObject(f.old)
	}
	return q, err
}
