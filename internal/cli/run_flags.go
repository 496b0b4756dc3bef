package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/once"
	"github.com/informerd/informerd/internal/progress"
	"github.com/informerd/informerd/internal/sink/dryrun"
)

// runFlags are the flags of run that make it another run than a daemon's.
type runFlags struct {
	once, dryRun bool
	timeout      time.Duration
	output       outputFlag
}

// withProgress has a run show on a terminal how far first lists are, and returns what to use as
// stderr then.
func withProgress(opts *daemon.Options, stdout, stderr io.Writer) io.Writer {
	f, is := stderr.(*os.File)
	if !is || !isTerminal(stderr) || os.Getenv("TERM") == "dumb" {
		return stderr
	}
	line := progress.New(stderr, func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return width
	})
	opts.Progress = line.Run
	if isTerminal(stdout) {
		opts.Stdout = line.With(stdout)
	}
	return line
}

// onceTimeout is how long run --once may take by default.
const onceTimeout = 5 * time.Minute

func (f *runFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.once, "once", false,
		"end once the first lists are through and the outputs took everything; 1 if that fails")
	flags.DurationVar(&f.timeout, "timeout", onceTimeout,
		"with --once: how long all of it may take; 0 is no limit")
	flags.BoolVar(&f.dryRun, "dry-run", false,
		"show on stdout what outputs would send; nothing is sent or kept")
	flags.StringVarP(&f.output.format, "output", "o", "text",
		"with --dry-run: the format, text or json, one line for each write")
}

// apply checks the flags and sets the options for them.
func (f *runFlags) apply(cmd *cobra.Command, opts *daemon.Options, stdout, stderr io.Writer) error {
	asJSON, err := f.output.json()
	changed := cmd.Flags().Changed
	switch {
	case err != nil:
		return err
	case f.timeout < 0:
		return usage(fmt.Errorf("--timeout %v: it is 0 or more", f.timeout))
	case changed("timeout") && !f.once:
		return usage(errors.New("--timeout needs --once: without it, run does not end by itself"))
	case changed("output") && !f.dryRun:
		return usage(errors.New("--output needs --dry-run: without it, outputs send"))
	case opts.Forget && f.dryRun:
		return usage(errors.New("--forget has no effect with --dry-run, which uses no checkpoint"))
	}
	if f.dryRun {
		opts.DryRun = &dryrun.Report{To: opts.Stdout, JSON: asJSON}
	}
	if f.once {
		opts.Once = &once.Once{Timeout: f.timeout, Done: func(s once.Summary) {
			fmt.Fprintln(stderr, "informerd:", s)
		}}
	}
	return nil
}
