package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An open violation whose rule has another severity keeps the one that it was reported with, as
// informerd plan --against says: without repeat its end comes where the violation went. With
// repeat, it has the new severity from the next one on, and no end comes to an output that does not
// want that.
func TestAnotherSeverity(t *testing.T) {
	for _, c := range []struct {
		name, repeat string
		audit, hi    []string // what they get
	}{
		{"once", "", []string{"violated web high", "resolved web high", "violated late low"},
			[]string{"violated web high", "resolved web high"}},
		{"repeated", ", repeat: 1s",
			[]string{"violated web high", "violated web low", "resolved web low", "violated late low"},
			[]string{"violated web high"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newScopedServer(t)
			server.put(scopedPod{namespace: "shop", name: "web", team: "a"})
			file := filepath.Join(t.TempDir(), "audit.jsonl")
			config := func(severity string) string {
				return fmt.Sprintf(`outputs: {audit: {file: {path: %q}}, hi: {stdout: {}, when: severity == "high"}}
listeners:
  l:
    informer: {resource: pods}
    rules: [{name: stuck, severity: %s, deny: label("team") == "a"%s}]
    outputs: [audit, hi]
`, file, severity, c.repeat)
			}
			d := startReloadable(t, config("high"), server.kubernetes)
			audit := func() []string {
				text, _ := os.ReadFile(file) // which is not there at first
				return severitiesTold(string(text))
			}
			wait := func(what string) {
				t.Helper()
				eventually(t, func() error {
					if all := audit(); !slices.Contains(all, what) {
						return fmt.Errorf("no %s in %q", what, all)
					}
					return nil
				})
			}
			wait("violated web high")
			eventually(t, func() error {
				if all := severitiesTold(d.out.String()); len(all) == 0 {
					return fmt.Errorf("nothing went to hi")
				}
				return nil
			})
			d.reload(t, config("low"))
			if c.repeat != "" {
				wait("violated web low")
			}
			server.put(scopedPod{namespace: "shop", name: "web", team: "b"})
			wait(c.audit[len(c.audit)-2])
			server.put(scopedPod{namespace: "shop", name: "late", team: "a"})
			wait("violated late low")
			d.stop(t)
			if got := slices.Compact(audit()); !slices.Equal(got, c.audit) {
				t.Errorf("audit got %q, want %q", got, c.audit)
			}
			if got := slices.Compact(severitiesTold(d.out.String())); !slices.Equal(got, c.hi) {
				t.Errorf("hi got %q, want %q", got, c.hi)
			}
		})
	}
}

// severitiesTold are the reports of a text, with their severities.
func severitiesTold(text string) (all []string) {
	for line := range strings.Lines(text) {
		var m struct {
			message
			Severity string
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Severity != "" {
			name, _ := strings.CutSuffix(m.told(), " stuck")
			all = append(all, name+" "+m.Severity)
		}
	}
	return all
}
