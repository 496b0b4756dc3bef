package monitoring

import (
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

var update = flag.Bool("update", false, "write the generated files in deploy")

// root is the repository.
const root = "../../.."

// generated compares a file with what it should be, and writes it with -update.
func generated(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join(root, name)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not what make docs writes (%v)", name, err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// alerts returns the rules of the rule file.
func alerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	file, errs := rulefmt.Parse([]byte(read(t, "deploy/alerts.yaml")), false,
		model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var all []rulefmt.Rule
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("there is no alert")
	}
	return all
}

func TestDashboardIsGenerated(t *testing.T) {
	text, err := Dashboard()
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "deploy/dashboard.json", string(text))
	if !json.Valid(text) {
		t.Error("the dashboard is not JSON")
	}
}

// The operator's resource has the groups of the rule file, word for word.
func TestPrometheusRuleIsGenerated(t *testing.T) {
	_, groups, found := strings.Cut(read(t, "deploy/alerts.yaml"), "\ngroups:\n")
	if !found {
		t.Fatal("alerts.yaml has no groups")
	}
	const head = `# alerts.yaml for the Prometheus operator, written by make docs.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: informerd}
spec:
  groups:
`
	var b strings.Builder
	b.WriteString(head)
	for line := range strings.Lines(groups) {
		b.WriteString("  " + line)
	}
	generated(t, "deploy/prometheusrule.yaml", b.String())
}

// Each alert has a section in docs/alerts.md to which it links, and no section is without an alert.
func TestEachAlertHasARunbook(t *testing.T) {
	var sections []string
	for _, heading := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(
		read(t, "docs/alerts.md"), -1) {
		sections = append(sections, heading[1])
	}
	var names []string
	for _, a := range alerts(t) {
		names = append(names, a.Alert)
		want := "https://github.com/informerd/informerd/blob/main/docs/alerts.md#" +
			strings.ToLower(a.Alert)
		if got := a.Annotations["runbook_url"]; got != want {
			t.Errorf("%s: runbook_url is %s, want %s", a.Alert, got, want)
		}
		if severity := a.Labels["severity"]; severity != "warning" && severity != "critical" {
			t.Errorf("%s: severity %q", a.Alert, severity)
		}
	}
	if !slices.Equal(names, sections) {
		t.Errorf("alerts  %q\nrunbook %q", names, sections)
	}
}

// Each name of a metric in the alerts and the dashboard is in docs/metrics.md.
func TestOnlyKnownMetricsAreUsed(t *testing.T) {
	page := read(t, "docs/metrics.md")
	text := read(t, "deploy/alerts.yaml") + read(t, "deploy/dashboard.json") +
		read(t, "docs/alerts.md") + read(t, "deploy/alerts_test.yaml")
	for _, name := range regexp.MustCompile(`informerd_[a-z_]+`).FindAllString(text, -1) {
		name = strings.TrimSuffix(name, "_bucket")
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("there is no metric %s", name)
		}
	}
}
