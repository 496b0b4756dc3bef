package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// Each recipe is valid, with its own output and with any other.
func TestInitIsValid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"SLACK_URL", "SLACK_URL_PAY", "WEBHOOK_URL", "SIEM_TOKEN",
		"NATS_CREDS", "KAFKA_PASSWORD", "GITHUB_TOKEN", "ES_AUTH", "TOKEN"} {
		t.Setenv(name, "https://hooks.example.com/x")
	}
	for _, name := range append(recipeNames(), "first") {
		for _, alert := range []string{"", "stdout", "file=a b: #c.jsonl", "slack=SLACK_URL",
			"webhook=https://hooks.example.com/x", "alertmanager=http://am:9093"} {
			text, err := recipe(name, alert)
			if err != nil {
				t.Fatalf("%s %s: %v", name, alert, err)
			}
			if strings.HasPrefix(alert, "alertmanager") {
				continue // changes without rules are no alerts
			}
			var stdout, stderr bytes.Buffer
			if code := execute([]string{"validate", "-"}, bytes.NewReader(text), &stdout,
				&stderr); code != exitOK {
				t.Errorf("%s %s: exit code %d\n%s%s", name, alert, code, stderr.String(), text)
			}
		}
	}
}

// Files that exist are kept, and what is wrong with a flag is said of the flag.
func TestInitCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("old.yaml", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere.yaml", "link.yaml"); err != nil {
		t.Fatal(err)
	}
	const hint = "\nRun \"informerd init --help\" for its usage.\n"
	const next = "%s is written. Next:\n  informerd validate %s --cluster\n  informerd run %s\n"
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"init", exitOK, strings.ReplaceAll(next, "%s", "informerd.yaml"), ""},
		{"init", exitUsage, "", "informerd: informerd.yaml exists" + hint},
		{"init link.yaml", exitUsage, "", "informerd: link.yaml exists" + hint},
		{"init none/a.yaml", exitRun, "", "informerd: the configuration cannot be written: open" +
			" none/a.yaml: no such file or directory\n"},
		{"init a b", exitUsage, "", `informerd: informerd init takes one file, found "b" as well` +
			hint},
		{"init new.yaml --from crash-loops --alert file=a.jsonl", exitOK,
			strings.ReplaceAll(next, "%s", "new.yaml"), ""},
		{"init a.yaml --from crashloops", exitUsage, "",
			`informerd: --from: unknown recipe "crashloops"; did you mean crash-loops?` + hint},
		{"init a.yaml --alert slack", exitUsage, "",
			`informerd: --alert "slack": an address is missing` + hint},
		{"init a.yaml --alert mail=x", exitUsage, "", `informerd: --alert "mail=x": it is stdout,` +
			" file=PATH, slack=VARIABLE, webhook=URL or alertmanager=URL" + hint},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: exit %d, stdout\n%s\nstderr\n%s\nwant %s%s", c.args, code,
				stdout.String(), stderr.String(), c.stdout, c.stderr)
		}
	}
	for _, name := range []string{"nowhere.yaml", "a.yaml", "state"} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	var printed bytes.Buffer
	Main([]string{"init", "-"}, &printed, &printed)
	if written, err := os.ReadFile("informerd.yaml"); err != nil ||
		printed.String() != string(written) {
		t.Errorf("%v: written\n%sprinted\n%s", err, written, printed.String())
	}
}
