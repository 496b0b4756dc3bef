// Package cli is the informerd command: one file per subcommand, and the exit codes in one place.
//
// What is promised:
//   - Results go to stdout; logs and errors go to stderr.
//   - The exit code is 0 for success and for being stopped by a signal, 1 for an error while running, 2 for a wrong
//     command line, 3 for an invalid configuration, or another file that is given and not as it must be. What is wrong
//     with the command line is told first. A handler that crashes, is refused or fails a case is an error while running.
//   - SIGINT and SIGTERM stop informerd in order; the second one ends it at once.
package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
)

// The exit codes.
const (
	exitOK     = 0
	exitRun    = 1
	exitUsage  = 2
	exitConfig = 3
)

// version is set by the linker.
var version = "dev"

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Main runs the command line args and gives the exit code. It leaves its process alone but for signals.
func Main(args []string, stdout, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "informerd: %v\n", err)
	var usage usageError
	var mistakes config.Errors
	switch {
	case errors.As(err, &mistakes):
		return exitConfig
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, `Run "informerd --help" for how it is used.`)
		return exitUsage
	default:
		return exitRun
	}
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "informerd",
		Short: "React to changes of Kubernetes objects, by configuration",
		Long: "informerd watches Kubernetes resources and passes their changes through expression filters and sandboxed\n" +
			"WebAssembly handlers to outputs, as one configuration says.",
		SilenceUsage: true, SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRun(stdout, stderr), newValidate(stdout, stderr), newPlan(stdout), newExplain(stdout),
		newPlugin(os.Stdin, stdout), newVersion(stdout))
	return root
}

// noArgs refuses arguments as a usage error, which cobra's own check does not.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no arguments, found %q", cmd.CommandPath(), args[0])}
	}
	return nil
}

// logFlags are the flags of every command that logs.
type logFlags struct{ format, level string }

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "log-format", "text", "how log lines look: text or json")
	cmd.Flags().StringVar(&f.level, "log-level", "info", "the lowest level that is logged: debug, info, warn or error")
}

// logger makes the logger, on stderr, and sends client-go's own log the same way.
func (f *logFlags) logger(stderr io.Writer) (*slog.Logger, error) {
	opts := &slog.HandlerOptions{}
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level)); err != nil {
		return nil, usageError{fmt.Errorf("--log-level %q: it is one of debug, info, warn, error", f.level)}
	}
	opts.Level = level
	var log *slog.Logger
	switch f.format {
	case "text":
		log = slog.New(slog.NewTextHandler(stderr, opts))
	case "json":
		log = slog.New(slog.NewJSONHandler(stderr, opts))
	default:
		return nil, usageError{fmt.Errorf("--log-format %q: it is text or json", f.format)}
	}
	kube.SetLogger(log)
	return log, nil
}

// configFlag is the flag of every command that needs a configuration.
func configFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "config", "c", "", "the configuration file (required)")
}

func load(path string) (*config.Config, error) {
	if path == "" {
		return nil, usageError{errors.New("--config is required")}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, usageError{fmt.Errorf("--config %s is a folder: name the file", path)}
	}
	return config.Load(path)
}
