// Package cli is the informerd command. Each subcommand has a file, and the exit codes are in one
// place. The commands parse flags and files, and leave the work to the packages below.
//
//   - Results go to stdout; logs and errors go to stderr.
//   - The exit code is 0 for success and for being stopped by a signal, 1 for an error while
//     running, 2 for a wrong command line, and 3 for an invalid configuration or another invalid
//     input file.
//   - Mistakes on the command line are reported before those in files.
//   - A handler that crashes, is refused or fails a case is an error while running, and so is a
//     right that informerd rbac check finds missing.
//   - The first SIGINT or SIGTERM stops informerd in order; the second one ends it at once.
package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/author"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/internal/wording"
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
	var mistakes config.Errors
	switch {
	case errors.Is(err, errReported):
		return exitConfig
	case errors.Is(err, errFound):
		return exitRun
	case errors.As(err, &mistakes):
		writeMistakes(stderr, mistakes, "")
		if errors.As(err, new(author.UsageError)) { // they are in flags that make a configuration
			return exitUsage
		}
		if errors.As(err, new(*statefolder.InUseError)) {
			return exitRun
		}
		return exitConfig
	}
	fmt.Fprintf(stderr, "informerd: %s\n", wording.PrintableLines(err.Error()))
	switch {
	case errors.As(err, new(author.UsageError)):
		fmt.Fprintf(stderr, "Run \"%s --help\" for its usage.\n", cmd.CommandPath())
		return exitUsage
	case errors.As(err, new(inputError)):
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
		Example: "  informerd init\n" +
			"  informerd validate informerd.yaml --cluster\n" +
			"  informerd run informerd.yaml\n" +
			"  informerd watch pods",
		SilenceUsage: true, SilenceErrors: true,
		Args:    knownCommand,
		RunE:    showHelp,
		Version: thisBuild().Version,
	}
	root.SetVersionTemplate(thisBuild().line())
	root.CompletionOptions.DisableNoDescFlag = true
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd.HasSubCommands() && cmd.Use == cmd.Name() { // it takes no arguments
			if unknown := knownCommand(cmd, cmd.Flags().Args()); unknown != nil {
				return unknown
			}
		}
		return usage(err)
	})
	root.AddCommand(newInit(stdout),
		newRun(stdin, stdout, stderr), newValidate(stdin, stdout, stderr),
		newPlan(stdin, stdout), newExplain(stdin, stdout, stderr),
		newReload(stdin, stdout, stderr), newDrain(stdin, stderr), newDLQ(stdin, stdout, stderr),
		newCheckpoint(stdin, stdout, stderr), newRBAC(stdin, stdout, stderr),
		newStatus(stdin, stdout, stderr), newTop(stdin, stdout, stderr),
		newWatch(stdout, stderr),
		newMigrate(stdin, stdout, stderr),
		newPlugin(stdin, stdout), newSchema(stdout),
		newVersion(stdout, thisBuild()))
	return root
}

// withFlags adds flags to a command.
func withFlags(cmd *cobra.Command, all ...interface{ add(*cobra.Command) }) *cobra.Command {
	for _, flags := range all {
		flags.add(cmd)
	}
	return cmd
}

// showHelp is what a command does that has only others below it.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// usage returns an error as a mistake on the command line.
func usage(err error) error { return author.UsageError{Err: err} }

// inputError is the error of an input file that is invalid, or cannot be read.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// knownCommand returns an error for an argument of a command that has subcommands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", near[0])
	}
	return usage(errors.New(text))
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

// warningLog returns a logger of warnings and errors.
func warningLog(stderr io.Writer) *slog.Logger {
	return logTo(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// logTo returns a logger, and redirects client-go's log to it.
func logTo(h slog.Handler) *slog.Logger {
	log := slog.New(h)
	kube.SetLogger(log)
	return log
}

// logger returns the logger, which writes to stderr.
func (f *logFlags) logger(stderr io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level)); err != nil {
		return nil, usage(fmt.Errorf("--log-level %q: it is one of debug, info, warn, error",
			f.level))
	}
	opts := &slog.HandlerOptions{Level: level}
	switch f.format {
	case "text":
		return logTo(slog.NewTextHandler(stderr, opts)), nil
	case "json":
		return logTo(slog.NewJSONHandler(stderr, opts)), nil
	}
	return nil, usage(fmt.Errorf("--log-format %q: it is text or json", f.format))
}
