package cli

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/configs/recipes"
	"github.com/informerd/informerd/docs"
)

// defaultFile is the configuration that init writes and commands look for.
const defaultFile = "informerd.yaml"

// first is the configuration that init writes without --from.
//
//go:embed first.yaml
var first []byte

func newInit(stdout io.Writer) *cobra.Command {
	var from, alert string
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a configuration to begin with",
		Long: "Write a configuration to begin with into informerd.yaml or FILE, or to standard output as -. It is one of the\n" +
			"recipes in docs/recipes.md, by default one that reports Deployments and pods that do not run. A file that\n" +
			"exists is kept.",
		Example: "  informerd init --from crash-loops --alert slack=SLACK_URL",
		Args:    atMostOne("file"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := recipe(from, alert)
			if err != nil {
				return usage(err)
			}
			file := defaultFile
			if len(args) > 0 {
				file = args[0]
			}
			if file == "-" {
				_, err := stdout.Write(text)
				return err
			}
			if err := writeNew(file, text); err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "%s is written. Next:\n  informerd validate %s --cluster\n  informerd run %s\n",
				file, file, file)
			return err
		},
	}
	cmd.Flags().StringVar(&from, "from", "first", "the recipe: first, "+strings.Join(recipeNames(), ", "))
	cmd.Flags().StringVar(&alert, "alert", "",
		"where it reports to: stdout, file=PATH, slack=VARIABLE, webhook=URL or alertmanager=URL (default: that of the recipe)")
	return cmd
}

// writeNew writes a file that does not exist.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usage(fmt.Errorf("%s exists", path))
	}
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("the configuration cannot be written: %w", err)
	}
	return nil
}

// recipeNames returns the names of the recipes.
func recipeNames() (names []string) {
	entries, err := recipes.Files.ReadDir(".")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// recipe returns a recipe, with another output in place of its own if one is named.
func recipe(name, alert string) ([]byte, error) {
	text := first
	if name != "first" {
		var err error
		if text, err = recipes.Files.ReadFile(name + ".yaml"); err != nil {
			return nil, fmt.Errorf("--from: unknown recipe %q; %s", name,
				wordHint(name, recipeNames(), "the recipes are "))
		}
		_, text, _ = bytes.Cut(text, []byte("\n#\n")) // without the path in the first line
	}
	text = append([]byte(docs.SchemaComment), text...)
	if alert == "" {
		return text, nil
	}
	output, err := alertOutput(alert)
	if err != nil {
		return nil, err
	}
	before, _, _ := bytes.Cut(text, []byte("\noutputs:\n"))
	before = outputsOf.ReplaceAll(before, []byte("$1 [alerts]"))
	return fmt.Appendf(before, "\noutputs:\n  alerts: {%s}\n", output), nil
}

// outputsOf are those of a listener in a recipe.
var outputsOf = regexp.MustCompile(`(?m)^(    outputs:) \[.*\]$`)

// alertOutput returns an output as YAML. The address of one whose URL is a secret is the environment
// variable that has it.
func alertOutput(alert string) (string, error) {
	kind, address, _ := strings.Cut(alert, "=")
	address = fmt.Sprintf("%q", address) // which is YAML as well
	switch {
	case kind == "stdout":
		return "stdout: {}", nil
	case address == `""`:
		return "", fmt.Errorf("--alert %q: an address is missing", alert)
	case kind == "file":
		return "file: {path: " + address + "}", nil
	case kind == "slack":
		return "slack: {url: {fromEnv: " + address + "}}", nil
	case kind == "webhook", kind == "alertmanager":
		return kind + ": {url: " + address + "}", nil
	}
	return "", fmt.Errorf("--alert %q: it is stdout, file=PATH, slack=VARIABLE, webhook=URL or alertmanager=URL",
		alert)
}
