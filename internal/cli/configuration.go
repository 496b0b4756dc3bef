package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/filewatch"
	"github.com/informerd/informerd/internal/plan"
)

// configuration is the configuration files of a command: the flag --config, or an argument.
type configuration struct {
	paths []string // several are read as one
	stdin io.Reader
	// policies: a policy file is accepted as well. Commands that run it need outputs.
	policies bool
	// regular: what is not a regular file is refused, see config.Loading.
	regular bool
	first   bool   // the first argument is the file
	flag    string // that names the file, "" for config
	fleet   bool   // it has several clusters, see stateDir
}

func (c *configuration) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&c.paths, "config", "c", nil,
		"the configuration file (required), - is standard input; several are read as one")
}

// args takes the file as an argument.
func (c *configuration) args(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return usage(fmt.Errorf(
			"%s takes one configuration, found %q as well; several files are read as one with -c for each",
			cmd.CommandPath(), args[1]))
	case len(c.paths) > 0:
		return usage(fmt.Errorf("there are two configurations, --config %s and %s",
			c.paths[0], args[0]))
	}
	c.paths = args
	return nil
}

// addBefore adds the flag, and lets the file come before the arguments that a command takes. The
// name of a listener and the ID of a dead letter have neither a dot nor a slash.
func (c *configuration) addBefore(cmd *cobra.Command) {
	c.add(cmd)
	check, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && strings.ContainsAny(args[0], "./") {
			if err := c.args(cmd, args[:1:1]); err != nil {
				return err
			}
			c.first, args = true, args[1:]
		}
		if check == nil {
			return nil
		}
		return check(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c.first {
			args = args[1:]
		}
		return run(cmd, args)
	}
}

// load reads the configuration. All mistakes in it are reported together, those in expressions
// included. With kubeconfig, the kubeconfig that it names must be readable.
func (c *configuration) load(schemas plan.Schemas, kubeconfig bool) (*config.Config, error) {
	if err := c.given(); err != nil {
		return nil, err
	}
	return config.Loading{More: plan.Mistakes(schemas, kubeconfig), Stdin: c.stdin,
		Policies: c.policies, Regular: c.regular}.Load(c.paths...)
}

// watched returns a watcher of the configuration's files as they are now, before they are read.
func (c *configuration) watched() *filewatch.Watcher {
	w := &filewatch.Watcher{}
	if len(c.paths) > 0 && !c.readsStdin() {
		w.Set(config.FilesOf(c.paths...))
	}
	return w
}

var errNoConfiguration = errors.New("--config is required; informerd init writes one")

// given returns an error if there is no file.
func (c *configuration) given() error {
	if len(c.paths) == 0 || len(c.paths) == 1 && c.paths[0] == "" {
		return usage(errNoConfiguration)
	}
	for i, path := range c.paths {
		if slices.Contains(c.paths[:i], path) {
			return usage(fmt.Errorf("--%s %s is there twice", cmp.Or(c.flag, "config"), path))
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return usage(fmt.Errorf("--%s %s is a folder: name the file",
				cmp.Or(c.flag, "config"), path))
		}
	}
	return nil
}

// readsStdin reports whether standard input is one of the files, which can be read once.
func (c *configuration) readsStdin() bool { return slices.Contains(c.paths, "-") }

// shown returns the file's name in messages.
func (c *configuration) shown() string {
	shown := slices.Clone(c.paths)
	if i := slices.Index(shown, "-"); i >= 0 {
		shown[i] = "<stdin>"
	}
	return strings.Join(shown, ", ")
}

// fieldCheck is the flag that selects the schemas with which fields in expressions are checked.
type fieldCheck struct{ from string }

func (f *fieldCheck) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "schema", "builtin",
		"with what fields in expressions are checked: builtin, the schemas of the common kinds in informerd, or off")
}

// schemas returns nil if fields are not checked.
func (f *fieldCheck) schemas() (plan.Schemas, error) {
	switch f.from {
	case "builtin":
		return plan.BuiltinSchemas()
	case "off":
		return nil, nil
	}
	return nil, usage(fmt.Errorf("--schema %q: it is builtin or off", f.from))
}
