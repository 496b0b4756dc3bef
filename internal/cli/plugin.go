package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/author"
)

func newPlugin(stdin io.Reader, stdout io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Tools for handlers: start a project, inspect, run, test and measure a module",
		Args:  knownCommand,
		RunE:  showHelp,
	}
	cmd.AddCommand(newPluginNew(stdout), newPluginInspect(stdout), newPluginRun(stdin, stdout),
		newPluginTest(stdout), newPluginBench(stdin, stdout))
	return cmd
}

// exactly checks the number of arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage(fmt.Errorf("%s takes %s, found %d arguments", cmd.CommandPath(), what,
				len(args)))
		}
		return nil
	}
}

// atMostOne checks that there are not several arguments.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(fmt.Errorf("%s takes one %s, found %q as well", cmd.CommandPath(), what,
				args[1]))
		}
		return nil
	}
}

func newPluginNew(stdout io.Writer) *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "new --lang go|rust|as|c FOLDER",
		Short: "Start a project: a handler that builds and passes its tests at once",
		Long: "Start a project in a folder, which has its name: a small handler with its tests, cases for plugin test, a\n" +
			"Makefile, a configuration that runs it, and the SDK, so that it needs only its language's compiler.",
		Example: "  informerd plugin new --lang go failed-pods",
		Args:    exactly(1, "one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			return author.New(args[0], language, stdout)
		},
	}
	cmd.Flags().StringVar(&language, "lang", "",
		"the language: go, rust, as (AssemblyScript) or c (required)")
	return cmd
}

func newPluginInspect(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE.wasm",
		Short: "Show what a module imports, and what it consists of",
		Long: "Show what a module imports from the host, with the grants it needs as a configuration has them, and its exports,\n" +
			"limits, size and digest. It is not run. The exit code is 1 if it is not a handler.",
		Args: exactly(1, "one module"),
		RunE: func(_ *cobra.Command, args []string) error {
			return author.Inspect(args[0], stdout)
		},
	}
}

// eventFlags say which module runs, and what it gets.
func eventFlags(cmd *cobra.Command, o *author.RunOptions) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Events, "event", "e", nil, "a file of events (required); may be repeated")
	flags.StringVarP(&o.Configuration, "config", "c", "",
		"the configuration that has the module's settings, grants and limits")
	flags.StringVarP(&o.Listener, "listener", "l", "", "the listener in the configuration")
	flags.StringArrayVar(&o.Caches, "cache", nil,
		"objects for the cache of an informer, as in pods=FILE; may be repeated")
	cmd.Args = atMostOne("module")
}

func newPluginRun(stdin io.Reader, stdout io.Writer) *cobra.Command {
	o := author.RunOptions{Stdin: stdin}
	output := textOrJSON()
	cmd := &cobra.Command{
		Use:   "run [FILE.wasm] --event FILE...",
		Short: "Feed events to a module and show the results",
		Long: "Feed events to a module, in the daemon's host, and show for each the verdict, what was emitted and logged, and what\n" +
			"it cost. A file of events has YAML or JSON documents, or JSON lines: objects, each of which means its add, or\n" +
			"events with op, object, old, initial, finalStateUnknown, missed and resumed. - is stdin. Requests are not made.\n" +
			"The exit code is 1 if the module cannot be loaded, or crashed.",
		Example: "  informerd plugin run failed-pods.wasm --event pod.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.JSON = output.json()
			if len(args) > 0 {
				o.Module = args[0]
			}
			return author.Run(cmd.Context(), o, stdout)
		},
	}
	eventFlags(cmd, &o)
	return withFlags(cmd, &output)
}

func newPluginTest(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "test FOLDER|FILE...",
		Short: "Run a module's test cases: events, and the expected results",
		Long: "Run test cases of the module in the folder above that of the case: files with the events that it gets and the\n" +
			"expected results, as docs/writing-handlers.md describes them. In a folder, each .yaml file that is not a\n" +
			"Kubernetes object is a case. The exit code is 1 if one fails.",
		Example: "  informerd plugin test cases",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("which cases? Name a folder or files"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return author.Test(cmd.Context(), args, stdout)
		},
	}
}

func newPluginBench(stdin io.Reader, stdout io.Writer) *cobra.Command {
	o := author.RunOptions{Stdin: stdin}
	cmd := &cobra.Command{
		Use:   "bench [FILE.wasm] --event FILE...",
		Short: "Measure what events cost a module, on one core",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Module = args[0]
			}
			return author.Bench(cmd.Context(), o, stdout)
		},
	}
	eventFlags(cmd, &o)
	return cmd
}
