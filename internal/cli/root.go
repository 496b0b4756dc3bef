// Package cli is the informerd command. Each subcommand has a file, and the exit codes are in one
// place. The commands parse flags and files, and leave the work to the packages below.
//
//   - Results go to stdout; logs and errors go to stderr.
//   - The exit code is 0 for success and for being stopped by a signal, 1 for an error while
//     running, 2 for a wrong command line, and 3 for an invalid configuration or another invalid
//     input file.
//   - Mistakes on the command line are reported before those in files.
//   - A handler that crashes, is refused or fails a case is an error while running, and so is a
//     right that informerd rbac check finds missing, or an object that informerd audit finds was
//     never seen.
//   - The first SIGINT or SIGTERM stops informerd in order; the second one ends it at once.
package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/cli/complete"
	"github.com/informerd/informerd/internal/cli/manual"
	"github.com/informerd/informerd/internal/cli/pipeline"
	"github.com/informerd/informerd/internal/cli/versions"
	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/internal/verdict"
)

// The exit codes.
const (
	exitOK     = 0
	exitRun    = 1
	exitUsage  = 2
	exitConfig = 3
)

// Main runs the command line args and returns the exit code. It does not affect its process, except
// for signals.
func Main(args []string, stdout, stderr io.Writer) int {
	return execute(args, os.Stdin, stdout, stderr)
}

// execute is Main with a given stdin.
func execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(stdin, stdout, stderr)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	if err == nil {
		return exitOK
	}
	var wrong words.UsageError
	var input words.InputError
	var mistakes config.Errors
	var inUse *statefolder.InUseError
	switch {
	case errors.Is(err, errReported):
		return exitConfig
	case errors.Is(err, errFound):
		return exitRun
	case errors.As(err, &mistakes):
		verdict.WriteMistakes(stderr, mistakes, "")
		if errors.As(err, &wrong) { // they are in flags that make a configuration
			return exitUsage
		}
		if errors.As(err, &inUse) {
			return exitRun
		}
		return exitConfig
	}
	fmt.Fprintf(stderr, "informerd: %v\n", err)
	if errors.Is(err, errNoConfiguration) {
		writeBeginnings(stderr, cmd)
	}
	switch {
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "Run \"%s --help\" for its usage.\n", cmd.CommandPath())
		return exitUsage
	case errors.As(err, &input):
		return exitConfig
	default:
		return exitRun
	}
}

// errReported ends a command that has reported the mistakes in the configuration.
var errReported = errors.New("the configuration is invalid")

// errFound ends a command that has reported what it looks for.
var errFound = errors.New("something is wrong")

func newRoot(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "informerd",
		Short: "React to changes of Kubernetes objects, by configuration",
		Long: "informerd watches Kubernetes resources and passes their changes through expression filters and sandboxed\n" +
			"WebAssembly handlers to outputs, as configured.",
		SilenceUsage: true, SilenceErrors: true,
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version: thisBuild().Version,
	}
	root.SetVersionTemplate(thisBuild().Line())
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(flagError(cmd, err))
	})
	root.AddCommand(newInit(stdin, stdout, stderr),
		newRun(stdin, stdout, stderr), newValidate(stdin, stdout, stderr),
		newPlan(stdin, stdout), newExplain(stdin, stdout, stderr),
		newReload(stdin, stdout, stderr), newDLQ(stdin, stdout, stderr),
		newCheckpoint(stdin, stdout, stderr), newRBAC(stdin, stdout, stderr),
		newStatus(stdin, stdout, stderr), newTop(stdin, stdout, stderr),
		newAudit(stdin, stdout, stderr), newWatch(stdout, stderr),
		newMigrate(stdin, stdout, stderr),
		newPlugin(stdin, stdout), newSchema(stdout),
		versions.NewVersion(stdout, thisBuild(), usage),
		versions.NewConvert(stdin, stdout, usage), complete.NewCommand(stdout, usage),
		manual.NewCommand(stdout, usage))
	manual.AddExamples(root)
	checkHelp(root)
	complete.Add(root, complete.Known(pipeline.Sorts))
	return root
}

// noArgs reports arguments as a usage error, which cobra's own check does not.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Errorf("%s takes no arguments, found %q", cmd.CommandPath(), args[0]))
	}
	return nil
}

// logFlags are the flags of every command that logs.
type logFlags struct{ format, level string }

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "log-format", "text", "the format of log lines: text or json")
	cmd.Flags().StringVar(&f.level, "log-level", "info",
		"the lowest level that is logged: debug, info, warn or error")
}

// logger returns the logger, which writes to stderr, and redirects client-go's log to it.
func (f *logFlags) logger(stderr io.Writer) (*slog.Logger, error) {
	opts := &slog.HandlerOptions{}
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level)); err != nil {
		return nil, usage(fmt.Errorf("--log-level %q: it is one of debug, info, warn, error",
			f.level))
	}
	opts.Level = level
	var log *slog.Logger
	switch f.format {
	case "text":
		log = slog.New(slog.NewTextHandler(stderr, opts))
	case "json":
		log = slog.New(slog.NewJSONHandler(stderr, opts))
	default:
		return nil, usage(fmt.Errorf("--log-format %q: it is text or json", f.format))
	}
	kube.SetLogger(log)
	return log, nil
}
