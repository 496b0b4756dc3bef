package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the output of commands in pages of docs again")

var (
	console = regexp.MustCompile("(?m)^```console\n((?:\\$ .*\n)+)((?s:.*?))^```$")
	file    = regexp.MustCompile("(?m)^```yaml\n# (\\S+\\.yaml)\n((?s:.*?))^```$")
	logTime = regexp.MustCompile(`time=\S+ `)
)

// TestFiltersPage runs the commands that docs/filters.md shows, on the files that it shows. The
// rest of the page is checked by the test of that name in internal/daemon.
func TestFiltersPage(t *testing.T) { runPage(t, "filters.md", 6) }

// TestReliabilityPage does the same with docs/reliability.md.
func TestReliabilityPage(t *testing.T) { runPage(t, "reliability.md", 1) }

// runPage runs the commands that a page of docs shows, at least so many, on the files that it
// shows, and compares what they print with what it says of it.
func runPage(t *testing.T, page string, least int) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	t.Chdir(t.TempDir())
	for _, m := range file.FindAllStringSubmatch(text, -1) {
		if err := os.MkdirAll(filepath.Dir(m[1]), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m[1], []byte("# "+m[1]+"\n"+m[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	blocks := 0
	now := console.ReplaceAllStringFunc(text, func(block string) string {
		blocks++
		m := console.FindStringSubmatch(block)
		var output strings.Builder
		for command := range strings.Lines(m[1]) {
			args := strings.Fields(command)[1:]
			if args[0] != "informerd" {
				t.Fatalf("not a command of ours: %s", command)
			}
			var stdout, stderr bytes.Buffer
			Main(args[1:], &stdout, &stderr)
			output.WriteString(logTime.ReplaceAllString(stderr.String(), ""))
			output.WriteString(stdout.String())
		}
		if got := strings.TrimRight(output.String(), "\n") + "\n"; got != m[2] && !*update {
			t.Errorf("%s prints\n%s\nand not, as the page says (make docs updates it)\n%s", m[1],
				got, m[2])
		} else {
			m[2] = got
		}
		return "```console\n" + m[1] + m[2] + "```"
	})
	if blocks < least {
		t.Errorf("only %d commands were run", blocks)
	}
	if *update && now != text {
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A message without a text is the rule's name, in explain as in reports.
func TestExplainSaysTheMessageThatIsReported(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"c.yaml": "apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {stdout: {}}}\nlisteners:\n  pods:\n    informer: {resource: pods}\n" +
			"    rules: [{name: lonely, deny: label(\"app\") == nil, message: annotation(\"why\")}]\n    outputs: [out]\n",
		"o.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop}}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := Main(strings.Fields("explain --config c.yaml --listener pods --object o.yaml"),
		&stdout, &stderr); code != exitOK {
		t.Fatal(code, stderr.String())
	}
	if want := "The object violates the rule, which is reported at once: \"lonely\"\n"; !strings.Contains(stdout.String(), want) {
		t.Errorf("got\n%s\nwant %s", stdout.String(), want)
	}
}
