package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/sink"
)

// runFlags are the flags of run that make it another run than a daemon's.
type runFlags struct {
	once, dryRun bool
	timeout      time.Duration
	output       formatFlag
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
	f.output = textOrJSON()
	f.output.add(cmd)
	flags.Lookup("output").Usage = "with --dry-run: the format, text or json"
}

// apply checks the flags and sets the options for them.
func (f *runFlags) apply(cmd *cobra.Command, opts *daemon.Options, stderr io.Writer) error {
	changed := cmd.Flags().Changed
	switch {
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
		opts.DryRun = &sink.DryRun{To: opts.Stdout, JSON: f.output.json()}
	}
	if f.once {
		opts.Once = &daemon.Once{Timeout: f.timeout, Done: func(s daemon.Summary) {
			fmt.Fprintln(stderr, "informerd:", s)
		}}
	}
	return nil
}
