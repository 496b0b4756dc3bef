package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A command that takes names, or IDs, takes the file before them.
func TestTheFileComesFirst(t *testing.T) {
	for line, want := range map[string]string{
		"a.yaml":             "a.yaml: ",
		"a.yaml web":         "a.yaml: web",
		"./a web db":         "./a: web db",
		"web":                "-: web",
		"-c a.yaml web":      "a.yaml: web",
		"web a.yaml":         "-: web a.yaml",
		"-c a.yaml b.yaml":   "there are two configurations, --config a.yaml and b.yaml",
		"18eb7c240f624c00 x": "-: 18eb7c240f624c00 x",
	} {
		file, got := configuration{}, ""
		cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true,
			RunE: func(_ *cobra.Command, args []string) error {
				got = strings.Join(append(file.paths, "-")[:1], "") + ": " + strings.Join(args, " ")
				return nil
			}}
		file.addBefore(cmd)
		cmd.SetArgs(strings.Fields(line))
		if err := cmd.Execute(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
