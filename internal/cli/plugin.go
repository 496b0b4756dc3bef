package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/author"
	"github.com/informerd/informerd/internal/plan/answer"
)

func newPlugin(stdin io.Reader, stdout io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Tools for handlers: start a project, inspect, run, test and measure a module",
		Long: "Tools for authors of handlers. new starts a project; inspect shows what a module imports, run feeds it events\n" +
			"from files, test runs its test cases, and bench measures it. None needs a cluster.",
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginNew(stdout), newPluginInspect(stdout), newPluginRun(stdin, stdout),
		newPluginTest(stdout),
		newPluginBench(stdin, stdout))
	return cmd
}

// commandError turns the tools' errors into those of the command line.
func commandError(err error) error {
	var wrong author.UsageError
	var unknown *answer.UnknownListenerError
	switch {
	case errors.As(err, &wrong):
		return usage(wrong.Unwrap())
	case errors.As(err, &unknown):
		return usage(fmt.Errorf("--listener: %w", err))
	}
	return err
}

// outputFlag is the flag of commands that write text or JSON.
type outputFlag struct{ format string }

func (f *outputFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.format, "output", "o", "text",
		"the format: text, or json, one value a line")
}

func (f *outputFlag) json() (bool, error) {
	switch f.format {
	case "text", "json":
		return f.format == "json", nil
	}
	return false, usage(fmt.Errorf("--output %q: it is text or json", f.format))
}

// files checks the number of arguments, which are files.
func files(least, limit int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > limit {
			return usage(fmt.Errorf("%s takes %s, found %d arguments", cmd.CommandPath(), what,
				len(args)))
		}
		return nil
	}
}

func newPluginInspect(stdout io.Writer) *cobra.Command {
	var output outputFlag
	cmd := &cobra.Command{
		Use:   "inspect FILE.wasm",
		Short: "Show what a module imports, and what it consists of",
		Long: "Show what a module imports from the host, with the grants it needs as a configuration has them, and its exports,\n" +
			"limits, size and digest. It is not run. The exit code is 1 if it is not a handler.",
		Args: files(1, 1, "one module"),
		RunE: func(_ *cobra.Command, args []string) error {
			asJSON, err := output.json()
			if err != nil {
				return err
			}
			return commandError(author.Inspect(args[0], asJSON, stdout))
		},
	}
	output.add(cmd)
	return cmd
}

// setupFlags say how a module is set up.
func setupFlags(cmd *cobra.Command, s *author.Setup) {
	flags := cmd.Flags()
	flags.StringVar(&s.HandlerConfig, "handler-config", "",
		"the handler's configuration: a file, or text in braces")
	flags.StringVar(&s.Grants, "grants", "",
		"its grants, as in a configuration: a file, or text in braces; default: none")
	flags.StringVar(&s.Limits, "limits", "",
		"its limits: a file, text in braces, or as in memory=32Mi,deadline=1s,fuel=100000")
	flags.StringVarP(&s.Configuration, "config", "c", "",
		"take all of that from this configuration of informerd")
	flags.StringVarP(&s.Listener, "listener", "l", "", "the listener in the configuration")
	flags.StringArrayVar(&s.Caches, "cache", nil,
		"objects for the cache of an informer, as in pods=FILE; may be repeated")
	flags.BoolVar(&s.Network, "allow-network", false,
		"make the requests that are granted; otherwise they are unavailable")
}

func newPluginRun(stdin io.Reader, stdout io.Writer) *cobra.Command {
	o := author.RunOptions{Stdin: stdin}
	var output outputFlag
	cmd := &cobra.Command{
		Use:   "run [FILE.wasm] --event FILE...",
		Short: "Feed events to a module and show the results",
		Long: "Feed events to a module, in the daemon's host, and show for each the verdict, what was emitted and logged, and what\n" +
			"it cost. A file of events has YAML or JSON documents, or JSON lines: objects, each of which means its add, or\n" +
			"events with op, object, old, initial, finalStateUnknown, missed and resumed. - is stdin.\n" +
			"The exit code is 1 if the module cannot be loaded, or crashed.",
		Args: files(0, 1, "one module"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.JSON, err = output.json(); err != nil {
				return err
			}
			if len(args) > 0 {
				o.Module = args[0]
			}
			return commandError(author.Run(contextOf(cmd), o, stdout))
		},
	}
	cmd.Flags().StringArrayVarP(&o.Events, "event", "e", nil,
		"a file of events (required); may be repeated")
	cmd.Flags().StringVar(&o.Old, "old", "",
		"a file with the object before, which makes the one event an update")
	setupFlags(cmd, &o.Setup)
	output.add(cmd)
	return cmd
}

const caseHelp = `Run test cases: files with the events that a module gets and the expected results. The exit code is 1 if one fails.
In a folder, each .yaml file that is not a Kubernetes object is a case. All of its fields except events are optional:

  wasm: ../handler.wasm             default: --wasm, or the only module in the folder above
  config: {threshold: 3}            config, grants and limits are as those of a handler in informerd's configuration
  grants: {kv: {}, clock: {}}
  limits: {fuel: 100000}            the deadline is 100ms, as in informerd, if it is not set here
  now: 2026-01-01T00:00:00Z         the time in the module
  kv: {seen: "1"}                   values that it finds; base64:… for binary values
  cache: {nodes: [{…}]}             objects in the caches of informers
  indexes: {nodes: {zone: metadata.labels.zone}}
  http:                             requests that it must make, each once, and no others
    - request: {method: POST, url: https://…, headers: {…}, body: {…}}
      answer: {status: 200, headers: {…}, body: {…}}     or {unavailable: true}
  refused: TEXT                     instead of events: it must be refused, with this in the reason
  events:
    - op: update                    add, update, delete or resync
      object: {…}                   or file: PATH, from the folder of the case
      old: {…}                      or oldFile: PATH
      initial: true                 also finalStateUnknown, missed, resumed
      expect:                       fields that are missing are not checked
        verdict: done               done, drop, retry or fail
        message: TEXT
        emitted: [{type: com.example.x, data: {…}}]      without type: data for the object's own event
        log: ["info: TEXT"]         also stdout and stderr
        fuel: 50000                 at most
        kv: {seen: "2"}             all values that it has then
        crash: trap                 instead of a verdict: trap, deadline, fuel, memory, exit or protocol`

func newPluginTest(stdout io.Writer) *cobra.Command {
	var o author.TestOptions
	var output outputFlag
	cmd := &cobra.Command{
		Use:   "test FOLDER|FILE...",
		Short: "Run a module's test cases: events, and the expected results",
		Long:  caseHelp,
		Args: func(cmd *cobra.Command, args []string) error {
			return files(1, len(args), "folders and files with cases")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.JSON, err = output.json(); err != nil {
				return err
			}
			o.Paths = args
			return commandError(author.Test(contextOf(cmd), o, stdout))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Wasm, "wasm", "",
		"the module of cases without one; default: the only one in the folder above the case's")
	flags.StringVar(&o.Run, "run", "", "run only cases whose path matches this regular expression")
	flags.BoolVarP(&o.Verbose, "verbose", "v", false, "show the result of each event")
	flags.BoolVar(&o.Update, "update", false,
		"write the results of events without expectations into their cases")
	output.add(cmd)
	return cmd
}

func newPluginBench(stdin io.Reader, stdout io.Writer) *cobra.Command {
	o := author.BenchOptions{Stdin: stdin}
	var output outputFlag
	cmd := &cobra.Command{
		Use:   "bench FILE.wasm [OTHER.wasm] --event FILE...",
		Short: "Measure what events cost a module, or compare two",
		Long: "Measure what events cost a module, on one core: time, fuel, calls of the host, memory. It gets the events of\n" +
			"the files in turn. With a second module, both take turns, and are compared.",
		Args: files(0, 2, "one module, or two to compare"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.JSON, err = output.json(); err != nil {
				return err
			}
			o.Modules = args
			return commandError(author.Bench(contextOf(cmd), o, stdout))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Events, "event", "e", nil,
		"a file of events (required); may be repeated")
	flags.DurationVar(&o.Duration, "duration", 0, "how long each module is measured; default: 3s")
	flags.IntVar(&o.Count, "count", 0, "how many events are measured, instead of --duration")
	setupFlags(cmd, &o.Setup)
	output.add(cmd)
	return cmd
}
