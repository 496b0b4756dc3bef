package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/filters"
)

func newDLQ(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dlq",
		Short: "Show, replay and drop dead letters: what could not be delivered",
		Long: "Show, replay and drop events and messages that informerd has given up. The commands ask the informerd that runs\n" +
			"with the configuration, and read its file in state.dir if none runs.",
		Example: "  informerd dlq ls informerd.yaml --listener pods",
		Args:    knownCommand,
		RunE:    showHelp,
	}
	cmd.AddCommand(newDLQList(stdin, stdout, stderr), newDLQShow(stdin, stdout, stderr),
		newDLQReplay(stdin, stdout, stderr), newDLQDrop(stdin, stdout, stderr))
	return cmd
}

// selectionFlags select dead letters.
type selectionFlags struct {
	admin.Selection
}

func (f *selectionFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Cluster, "cluster", "", "only letters of objects of this cluster")
	flags.StringVarP(&f.Listener, "listener", "l", "", "only letters of this listener")
	flags.StringVar(&f.Output, "to", "", "only letters of messages for this output")
	flags.StringVar(&f.Reason, "reason", "", "only letters with this reason: "+
		strings.Join(deadletter.Reasons(), ", "))
	flags.DurationVar(&f.OlderThan, "older", 0, "only letters stored at least that long ago, as 24h")
	flags.StringVar(&f.Filter, "filter", "",
		`only letters whose event matches a filter expression, as 'object.metadata.namespace == "shop"'`)
}

// check checks the flags alone: their mistakes are reported before those in files.
func (f *selectionFlags) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("reason") && !slices.Contains(deadletter.Reasons(), f.Reason) {
		return usage(fmt.Errorf("--reason: unknown reason %q; %s", f.Reason,
			wordHint(f.Reason, deadletter.Reasons(), "the reasons are ")))
	}
	if cmd.Flags().Changed("older") && f.OlderThan <= 0 {
		return usage(fmt.Errorf("--older %s: it must be longer than 0", f.OlderThan))
	}
	if cmd.Flags().Changed("filter") {
		if _, err := route.LetterFilter(f.Filter); err != nil {
			return usage(fmt.Errorf("--filter: %s", mistakesIn(err)))
		}
	}
	return nil
}

// mistakesIn returns what is wrong with an expression of the command line.
func mistakesIn(err error) string {
	var texts []string
	for _, mistake := range filters.Mistakes(err) {
		texts = append(texts, mistake.Detail())
	}
	if texts == nil {
		return err.Error()
	}
	return strings.Join(texts, "\n")
}

// some checks the flags of a command that changes letters: all of them only if that is said.
func (f *selectionFlags) some(cmd *cobra.Command, ids []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	f.IDs = ids
	others := f.Selection
	others.All = false
	switch empty := others.Empty(); {
	case empty && !f.All:
		return usage(fmt.Errorf(
			"no dead letters were selected: name IDs, select by --cluster, --listener, --to, --reason, --older or --filter, or %s all with --all", cmd.Name()))
	case !empty && f.All:
		return usage(errors.New(
			"--all selects all dead letters: leave out the IDs and the other selections"))
	}
	return nil
}

// withLetters calls do with the dead letters of the configuration.
func (c *configuration) withLetters(cmd *cobra.Command, stderr io.Writer,
	do func(ctx context.Context, letters admin.DeadLetters) error) error {
	return c.withState(cmd, stderr, func(ctx context.Context, dir string) error {
		letters, release, err := lettersIn(ctx, dir)
		if err != nil {
			return err
		}
		return errors.Join(do(ctx, letters), release())
	})
}

func newDLQList(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var f selectionFlags
	output := textOrJSON()
	cmd := &cobra.Command{
		Use:   "ls [FILE]",
		Short: "List dead letters, the oldest first",
		Long: "List dead letters, the oldest first. With -o json, each is a line with all that it has: the event's object, the\n" +
			"old one, and the message.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			f.Heads = !output.json()
			return file.withLetters(cmd, stderr,
				func(ctx context.Context, letters admin.DeadLetters) error {
					return listLetters(letters.List(ctx, f.Selection), stdout, stderr, output.json(),
						file.fleet)
				})
		},
	}
	file.addBefore(cmd)
	return withFlags(cmd, &f, &output)
}

func newDLQShow(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	output := textOrJSON()
	cmd := &cobra.Command{
		Use:   "show [FILE] ID",
		Short: "Show a dead letter, with its event and message",
		Args:  exactly(1, "one ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return file.withLetters(cmd, stderr,
				func(ctx context.Context, letters admin.DeadLetters) error {
					for l, err := range letters.List(ctx, admin.Selection{Query: deadletter.Query{IDs: args}}) {
						if err != nil {
							return err
						}
						return showLetter(stdout, &l, output.json())
					}
					return unknownLetters(args)
				})
		},
	}
	file.addBefore(cmd)
	return withFlags(cmd, &output)
}

func newDLQDrop(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var f selectionFlags
	cmd := &cobra.Command{
		Use:   "drop [FILE] [ID...]",
		Short: "Remove dead letters for good",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.some(cmd, args); err != nil {
				return err
			}
			return file.withLetters(cmd, stderr,
				func(ctx context.Context, letters admin.DeadLetters) error {
					if err := known(ctx, letters, args); err != nil {
						return err
					}
					n, err := letters.Drop(ctx, f.Selection)
					if n > 0 || err == nil {
						_, written := fmt.Fprintf(stdout, "dropped %s\n", wording.Count(n, "dead letter"))
						err = errors.Join(written, err)
					}
					return err
				})
		},
	}
	file.addBefore(cmd)
	cmd.Flags().BoolVar(&f.Superseded, "superseded", false,
		"only letters of whose object something newer was delivered since, which no replay brings back")
	cmd.Flags().BoolVar(&f.All, "all", false, "drop all dead letters")
	return withFlags(cmd, &f)
}

func newDLQReplay(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var f selectionFlags
	var with string
	cmd := &cobra.Command{
		Use:   "replay [FILE] [ID...]",
		Short: "Offer dead letters to their listeners again",
		Long: "Have the informerd that runs offer the events of dead letters to their listeners again, as these are configured\n" +
			"now. Each line is what became of one: delivered; filtered, if it does not match any more; superseded, if something\n" +
			"newer of the object was delivered meanwhile; or failed. What was delivered or filtered leaves the store. The exit\n" +
			"code is 1 if one has failed.",
		Example: "  informerd dlq replay informerd.yaml --reason handler-failed --with fixed.wasm",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.some(cmd, args); err != nil {
				return err
			}
			var module []byte
			if with != "" {
				var err error
				if module, err = os.ReadFile(with); err == nil && len(module) == 0 {
					err = fmt.Errorf("%s is empty", with)
				}
				if err != nil {
					return fmt.Errorf("--with: %w", err)
				}
			}
			return file.withLetters(cmd, stderr,
				func(ctx context.Context, letters admin.DeadLetters) error {
					if _, offline := letters.(*admin.Local); offline {
						return admin.ErrNeedsDaemon
					}
					if err := known(ctx, letters, args); err != nil {
						return err
					}
					done := outcomes{w: stdout, counts: map[string]int{}}
					return done.end(letters.Replay(ctx, f.Selection, module, done.report))
				})
		},
	}
	file.addBefore(cmd)
	cmd.Flags().BoolVar(&f.All, "all", false, "replay all dead letters")
	cmd.Flags().BoolVar(&f.Force, "force", false,
		"replay events of whose object something newer was delivered, too")
	cmd.Flags().StringVar(&with, "with", "",
		"a module that handles the events instead of their listeners' handlers")
	return withFlags(cmd, &f)
}
