package cli

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// partsShown are the modules whose versions matter to users: behaviour comes from them.
var partsShown = []string{"github.com/expr-lang/expr", "github.com/tetratelabs/wazero",
	"k8s.io/client-go"}

// build is what informerd version -o json writes.
type build struct {
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

// newVersion returns the command version.
func newVersion(stdout io.Writer, this build) *cobra.Command {
	format := textOrJSON()
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and with -o json what it understands",
		Long: "Print the version. With -o json, that is the commit and its date as well, the versions of\n" +
			"configurations and of the interface to handlers that this informerd understands, and the\n" +
			"versions of the libraries that evaluate expressions, run handlers and talk to the API server.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if format.json() {
				return wording.WriteJSON(stdout, this, "")
			}
			_, err := io.WriteString(stdout, this.line())
			return err
		},
	}
	return withFlags(cmd, &format)
}

// line returns the build in one line.
func (b build) line() string {
	return fmt.Sprintf("informerd %s %s %s\n", b.Version, b.Go, b.Platform)
}

// unreleased is the version of a build that nothing is known of.
const unreleased = "dev"

// What a build is made of, set by the linker. Date is in seconds since 1970, as SOURCE_DATE_EPOCH
// has it.
var (
	version = unreleased
	commit  = ""
	date    = ""
)

// thisBuild returns the build that runs: what the linker has set, completed by what the go command
// noted, such as for go install.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, version, commit, date)
}

func buildOf(info *debug.BuildInfo, version, commit, date string) build {
	b := build{Version: version, Commit: commit, Go: runtime.Version(),
		Platform:    runtime.GOOS + "/" + runtime.GOARCH,
		APIVersions: []string{config.APIVersion}, HandlerABIs: []string{abi.Version},
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
	if main := info.Main.Version; b.Version == unreleased && main != "" && main != "(devel)" {
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
