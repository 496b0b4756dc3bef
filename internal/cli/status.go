package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/cli/pipeline"
	"github.com/informerd/informerd/internal/status"
)

// defaultSpan is over how long status measures rates.
const defaultSpan = time.Second

func newStatus(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var output outputFlag
	var view view
	over := defaultSpan
	cmd := &cobra.Command{
		Use:   "status [FILE] [LISTENER]",
		Short: "Show the pipeline of a running informerd, with rates, depths, ages and errors",
		Long: "Show the pipeline of the informerd that runs with the configuration: its informers, listeners and outputs, with\n" +
			"what they do per second, what waits and for how long, and what is wrong. With the name of a listener, show that\n" +
			"one in depth. The exit code is 1 if something is not ready.",
		Args: atMostOneListener,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output.json()
			if err == nil {
				err = view.check()
			}
			if err == nil && over < 0 {
				err = usage(fmt.Errorf("--over %s: it must not be negative", over))
			}
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			client, err := file.dial(ctx)
			if err != nil {
				return err
			}
			defer client.Close()
			if asJSON {
				over = 0
			}
			view.Color = colored(stdout)
			s, rates, err := measured(ctx, client, over)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				err = showOne(stdout, s, rates, args[0], asJSON, &view.View)
			} else if asJSON {
				err = writeLine(stdout, s)
			} else {
				err = view.Write(stdout, s, rates)
			}
			if err == nil && !s.Ready {
				err = errNotReady
			}
			return err
		},
	}
	file.add(cmd)
	file.before(cmd)
	output.add(cmd)
	view.add(cmd)
	cmd.Flags().DurationVar(&over, "over", over, "over how long rates are measured; 0: none are")
	return cmd
}

// errNotReady ends a command that has shown what is not ready.
var errNotReady = fmt.Errorf("%w: not everything is ready", errFound)

func atMostOneListener(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(fmt.Errorf("%s takes one listener, found %q as well", cmd.CommandPath(),
			args[1]))
	}
	return nil
}

// measured returns how things are, and what happened until then.
func measured(ctx context.Context, client *admin.Client, over time.Duration) (*status.Status,
	status.Rates, error) {
	before, err := client.Status(ctx)
	if err != nil || over == 0 {
		return before, status.Rates{}, err
	}
	wait := time.NewTimer(over)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return nil, status.Rates{}, ctx.Err()
	}
	after, err := client.Status(ctx)
	if err != nil {
		return nil, status.Rates{}, err
	}
	return after, status.RatesOf(before, after), nil
}

// showOne shows one listener.
func showOne(w io.Writer, s *status.Status, rates status.Rates, name string, asJSON bool,
	v *pipeline.View) error {
	if !asJSON {
		return v.WriteOne(w, s, rates, name)
	}
	l, err := pipeline.Find(s, name)
	if err != nil {
		return err
	}
	return writeLine(w, l)
}

// view is how a status is shown, by flags.
type view struct{ pipeline.View }

func (v *view) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&v.Sort, "sort", pipeline.SortTrouble,
		"the order of listeners: "+strings.Join(pipeline.Sorts, ", ")+"; the most of it first, names from a to z")
	cmd.Flags().BoolVar(&v.Reverse, "reverse", false, "the opposite order")
	cmd.Flags().StringVar(&v.Filter, "filter", "",
		"only listeners that have this text in their name, resource or state")
}

func (v *view) check() error {
	if !slices.Contains(pipeline.Sorts, v.Sort) {
		return usage(fmt.Errorf("--sort: unknown order %q; %s", v.Sort,
			wordHint(v.Sort, "", pipeline.Sorts, "the orders are ")))
	}
	return nil
}
