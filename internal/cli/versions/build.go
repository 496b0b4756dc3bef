// Package versions has the commands that are about versions: version, which says what a binary is
// made of and what it understands, and convert, which writes a configuration in another apiVersion.
package versions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// partsShown are the modules whose versions matter to users: behaviour comes from them.
var partsShown = []string{"github.com/expr-lang/expr", "github.com/tetratelabs/wazero",
	"k8s.io/client-go"}

// Build is what informerd version -o json writes.
type Build struct {
	Version     string   `json:"version"`
	Commit      string   `json:"commit,omitempty"`
	Date        string   `json:"date,omitempty"` // of the commit
	Go          string   `json:"go"`
	Platform    string   `json:"platform"`
	APIVersions []string `json:"apiVersions"`
	// HandlerABIs are the versions of the interface to handlers.
	HandlerABIs []string `json:"handlerABIs"`
	// HostModules are what handlers can import.
	HostModules []string          `json:"hostModules"`
	Modules     map[string]string `json:"modules"`
}

// NewVersion returns the command version. Usage marks an error as a mistake on the command line.
func NewVersion(stdout io.Writer, this Build, usage func(error) error) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and with -o json what it understands",
		Long: "Print the version. With -o json, that is the commit and its date as well, the versions of\n" +
			"configurations and of the interface to handlers that this informerd understands, and the\n" +
			"versions of the libraries that evaluate expressions, run handlers and talk to the API server.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("%s takes no arguments, found %q", cmd.CommandPath(),
					args[0]))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case "text":
				_, err := io.WriteString(stdout, this.Line())
				return err
			case "json":
				return json.NewEncoder(stdout).Encode(this)
			}
			return usage(fmt.Errorf("--output %q: it is text or json", format))
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "text", "the format: text or json")
	return cmd
}

// Line returns the build in one line.
func (b Build) Line() string {
	return fmt.Sprintf("informerd %s %s %s\n", b.Version, b.Go, b.Platform)
}

// Unreleased is the version of a build that nothing is known of.
const Unreleased = "dev"

// This returns the build that runs: what the linker has set, completed by what the go command
// noted, such as for go install. Date is the time of the commit, in seconds since 1970 as
// SOURCE_DATE_EPOCH has it.
func This(version, commit, date string) Build {
	info, _ := debug.ReadBuildInfo()
	return of(info, version, commit, date)
}

func of(info *debug.BuildInfo, version, commit, date string) Build {
	b := Build{Version: version, Commit: commit, Go: runtime.Version(),
		Platform:    runtime.GOOS + "/" + runtime.GOARCH,
		APIVersions: config.APIVersions, HandlerABIs: []string{abi.Version},
		Modules: map[string]string{}}
	for _, f := range abi.Imports {
		if !slices.Contains(b.HostModules, f.Module) {
			b.HostModules = append(b.HostModules, f.Module)
		}
	}
	if seconds, err := strconv.ParseInt(date, 10, 64); err == nil {
		b.Date = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	}
	if info == nil {
		return b
	}
	if main := info.Main.Version; b.Version == Unreleased && main != "" && main != "(devel)" {
		b.Version = main
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, s.Value)
		case "vcs.time":
			b.Date = cmp.Or(b.Date, s.Value)
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if slices.Contains(partsShown, m.Path) {
			b.Modules[m.Path] = m.Version
		}
	}
	return b
}
