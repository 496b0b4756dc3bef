package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/filters"
)

func newDLQ(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dlq",
		Short: "Show, replay and drop dead letters: what could not be delivered",
		Long: "Show, replay and drop dead letters: events and messages that informerd has given up, with the reason. The\n" +
			"commands ask the informerd that runs with the configuration, and read its file in state.dir if none runs.",
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDLQList(stdin, stdout, stderr), newDLQShow(stdin, stdout),
		newDLQReplay(stdin, stdout, stderr), newDLQDrop(stdin, stdout, stderr))
	return cmd
}

// selectionFlags select dead letters.
type selectionFlags struct {
	admin.Selection
	older time.Duration
}

func (f *selectionFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.Listener, "listener", "l", "", "only letters of this listener")
	flags.StringVar(&f.Output, "to", "", "only letters of messages for this output")
	flags.StringVar(&f.Reason, "reason", "", "only letters with this reason: "+
		strings.Join(deadletter.Reasons(), ", "))
	flags.DurationVar(&f.older, "older", 0, "only letters stored at least that long ago, as 24h")
	flags.StringVar(&f.Filter, "filter", "",
		`only letters whose event matches a filter expression, as 'object.metadata.namespace == "shop"'`)
}

// addSuperseded adds the flag for letters that a replay leaves out.
func (f *selectionFlags) addSuperseded(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Superseded, "superseded", false,
		"only letters of whose object something newer was delivered since, which no replay brings back")
}

// check checks the flags alone: their mistakes are reported before those in files.
func (f *selectionFlags) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("reason") && !slices.Contains(deadletter.Reasons(), f.Reason) {
		return usage(fmt.Errorf("--reason: unknown reason %q; %s", f.Reason,
			wordHint(f.Reason, "", deadletter.Reasons(), "the reasons are ")))
	}
	if cmd.Flags().Changed("older") && f.older <= 0 {
		return usage(fmt.Errorf("--older %s: it must be longer than 0", f.older))
	}
	f.OlderThan = f.older
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

// some refuses a command that changes all letters without saying so.
func (f *selectionFlags) some(cmd *cobra.Command, ids []string) error {
	f.IDs = ids
	all := f.All
	f.All = false
	switch empty := f.Empty(); {
	case empty && !all:
		return usage(fmt.Errorf(
			"no dead letters were selected: name IDs, select by --listener, --to, --reason, --older or --filter, or %s all with --all", cmd.Name()))
	case !empty && all:
		return usage(errors.New(
			"--all selects all dead letters: leave out the IDs and the other selections"))
	}
	f.All = all
	return nil
}

func newDLQList(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var f selectionFlags
	var output outputFlag
	cmd := &cobra.Command{
		Use:   "ls [FILE]",
		Short: "List dead letters, the oldest first",
		Long: "List dead letters, the oldest first. With -o json, each is a line with all that it has: the event's object, the\n" +
			"old one, and the message.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			asJSON, err := output.json()
			if err != nil {
				return err
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.Limit < 0 {
				return usage(fmt.Errorf("--limit %d: it must be 0 or more", f.Limit))
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			letters, release, err := file.letters(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, release()) }()
			f.Heads = !asJSON
			list := newLetterList(stdout, asJSON)
			wrong := 0
			for l, err := range letters.List(ctx, f.Selection) {
				var one *admin.LetterError
				switch {
				case errors.As(err, &one):
					fmt.Fprintf(stderr, "informerd: %v\n", err)
					wrong++
				case err != nil:
					return err
				default:
					if err := list.add(&l); err != nil {
						return err
					}
				}
			}
			if err := list.end(wrong == 0); err != nil || wrong == 0 {
				return err
			}
			return fmt.Errorf("%s could not be listed", count(wrong, "dead letter"))
		},
	}
	file.add(cmd)
	file.before(cmd)
	f.add(cmd)
	f.addSuperseded(cmd)
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "at most that many letters; 0 is no limit")
	output.add(cmd)
	return cmd
}

func newDLQShow(stdin io.Reader, stdout io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var output outputFlag
	cmd := &cobra.Command{
		Use:   "show [FILE] ID",
		Short: "Show a dead letter, with its event and message",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("%s takes one ID, found %d arguments",
					cmd.CommandPath(), len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			asJSON, err := output.json()
			if err != nil {
				return err
			}
			ctx := contextOf(cmd)
			letters, release, err := file.letters(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, release()) }()
			for l, err := range letters.List(ctx, admin.Selection{IDs: args}) {
				if err != nil {
					return err
				}
				return showLetter(stdout, &l, asJSON)
			}
			return unknownLetters(args)
		},
	}
	file.add(cmd)
	file.before(cmd)
	output.add(cmd)
	return cmd
}

func newDLQDrop(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var f selectionFlags
	var output outputFlag
	cmd := &cobra.Command{
		Use:   "drop [FILE] [ID...]",
		Short: "Remove dead letters for good",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			asJSON, err := output.json()
			if err = errors.Join(err, f.check(cmd)); err != nil {
				return err
			}
			if err := f.some(cmd, args); err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			letters, release, err := file.letters(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, release()) }()
			if err := known(ctx, letters, args); err != nil {
				return err
			}
			n, err := letters.Drop(ctx, f.Selection)
			if n > 0 || err == nil {
				err = errors.Join(writeDropped(stdout, n, asJSON), err)
			}
			return err
		},
	}
	file.add(cmd)
	file.before(cmd)
	f.add(cmd)
	f.addSuperseded(cmd)
	cmd.Flags().BoolVar(&f.All, "all", false, "drop all dead letters")
	output.add(cmd)
	return cmd
}

func newDLQReplay(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var f selectionFlags
	var output outputFlag
	var with string
	cmd := &cobra.Command{
		Use:   "replay [FILE] [ID...]",
		Short: "Offer dead letters to their listeners again",
		Long: "Offer the events of dead letters to their listeners again, as these are configured now, in order for each object.\n" +
			"A running informerd does that. Each line is what became of one: delivered; filtered, if the present select or\n" +
			"filter does not match; superseded, if something newer of the object was delivered meanwhile; or failed, if it is a\n" +
			"dead letter again. Those that were delivered or filtered leave the store; dlq drop --superseded removes those\n" +
			"that were superseded.\n" +
			"The exit code is 1 if one has failed.",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			asJSON, err := output.json()
			if err = errors.Join(err, f.check(cmd)); err != nil {
				return err
			}
			if err := f.some(cmd, args); err != nil {
				return err
			}
			var module []byte
			if with != "" {
				if module, err = os.ReadFile(with); err != nil {
					return fmt.Errorf("--with: %w", err)
				}
				if len(module) == 0 {
					return fmt.Errorf("--with: %s is empty", with)
				}
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			letters, release, err := file.letters(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, release()) }()
			if _, offline := letters.(*admin.Local); offline {
				return admin.ErrNeedsDaemon
			}
			if err := known(ctx, letters, args); err != nil {
				return err
			}
			done := outcomes{w: stdout, json: asJSON}
			err = letters.Replay(ctx, f.Selection, module, done.report)
			return done.end(err)
		},
	}
	file.add(cmd)
	file.before(cmd)
	f.add(cmd)
	cmd.Flags().BoolVar(&f.All, "all", false, "replay all dead letters")
	cmd.Flags().StringVar(&with, "with", "",
		"a module that handles the events instead of their listeners' handlers")
	output.add(cmd)
	return cmd
}
