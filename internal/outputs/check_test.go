package outputs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
)

// written returns a configuration with outputs, in a folder with files.
func written(t *testing.T, outputs string, files map[string]string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Parse(filepath.Join(dir, "c.yaml"), []byte(
		"apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners: {a: {informer: {resource: pods}, outputs: [o]}}\noutputs:\n"+
			outputs))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestCheck(t *testing.T) {
	t.Setenv("GOOD_URL", "https://hooks.example.com/hunter2")
	t.Setenv("BAD_URL", "http://hooks.example.com/hunter2")
	t.Setenv("BROKEN", "hunter2\nX: y")
	const notSet = "the environment variable NOT_SET is not set, or empty"
	files := map[string]string{"key": "whsec_" + strings.Repeat("a", 32), "empty": "",
		"pem": "hunter2"}
	for output, want := range map[string]string{
		"stdout: {}":                 "",
		"file: {path: a.jsonl}":      "",
		"file: {path: none/a.jsonl}": "c.yaml:5:20: outputs.o.file.path: the folder DIR/none cannot be read: no such file or directory; create it",
		"file: {path: key/a.jsonl}":  "c.yaml:5:20: outputs.o.file.path: DIR/key is not a folder",
		"webhook: {url: {fromEnv: GOOD_URL}, headers: {A: {fromFile: key}, B: x}, sign: {secret: {fromFile: key}}}": "",
		"webhook: {url: {fromEnv: NOT_SET}}":                         "c.yaml:5:32: outputs.o.webhook.url.fromEnv: " + notSet,
		"webhook: {url: {fromEnv: BAD_URL}}":                         "c.yaml:5:32: outputs.o.webhook.url.fromEnv: the value must begin with https:// unless it is a loopback or private address or a service in the cluster",
		"webhook: {url: https://a, headers: {A: {fromEnv: BROKEN}}}": "c.yaml:5:56: outputs.o.webhook.headers.A.fromEnv: the value has a control character in it, such as a line break",
		"webhook: {url: https://a, sign: {secret: {fromFile: empty}, previous: {fromFile: none}}}": "c.yaml:5:59: outputs.o.webhook.sign.secret.fromFile: the file DIR/empty is empty\n" +
			"c.yaml:5:88: outputs.o.webhook.sign.previous.fromFile: the file DIR/none cannot be read: no such file or directory",
		"webhook: {url: https://a, tls: {caFile: none}}":                                         "c.yaml:5:38: outputs.o.webhook.tls: the file DIR/none cannot be read: no such file or directory",
		"nats: {servers: ['nats://n'], subject: '\"a\"', credentials: {fromEnv: NOT_SET}}":       "c.yaml:5:76: outputs.o.nats.credentials.fromEnv: " + notSet,
		"kafka: {brokers: ['k:1'], topic: t, sasl: {username: u, password: {fromEnv: NOT_SET}}}": "c.yaml:5:83: outputs.o.kafka.sasl.password.fromEnv: " + notSet,
		"slack: {url: {fromEnv: NOT_SET}}":                                                       "c.yaml:5:30: outputs.o.slack.url.fromEnv: " + notSet,
		"kubernetesEvent: {}":                                                                    "",
		"patch: {patch: '{}'}":                                                                   "",
	} {
		cfg := written(t, "  o: {"+output+"}\n", files)
		dir := filepath.Dir(cfg.File())
		got := ""
		if mistakes := Check(cfg, cfg.Outputs["o"]); len(mistakes) > 0 {
			got = strings.ReplaceAll(strings.ReplaceAll(mistakes.Error(), dir+"/c.yaml", "c.yaml"),
				dir,
				"DIR")
		}
		if got != want || strings.Contains(got, "hunter2") {
			t.Errorf("%s:\ngot  %s\nwant %s", output, got, want)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(files) {
			t.Errorf("%s: Check has written something: %v", output, entries)
		}
	}
}

// Many writers may use an expression of a sink at once, and a failure is about its message alone.
func TestExpressionsAreUsedConcurrently(t *testing.T) {
	text := func(kind filters.Kind, text string) *filters.Filter {
		f, err := filters.Compile(filters.Expression{Kind: kind, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	subject := textOf(text(filters.KindText, `resource + "." + object.metadata.name`))
	data := jsonOf(text(filters.KindData, `{"version": object.metadata.resourceVersion}`))
	fails := textOf(text(filters.KindText, `object.spec`))
	var writers sync.WaitGroup
	for n := range 8 {
		writers.Go(func() {
			for i := range 50 {
				m := sinktest.Message(t, fmt.Sprint("web-", n), i+1)
				got, err := subject(&m)
				if want := fmt.Sprint("pods.web-", n); !strings.HasSuffix(got, want[4:]) ||
					err != nil {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
				if got, err := data(&m); !strings.Contains(got, m.ResourceVersion) || err != nil {
					t.Errorf("got %q, %v", got, err)
				}
				if _, err := fails(&m); err == nil {
					t.Error("no error")
				}
			}
		})
	}
	writers.Wait()
	if textOf(nil) != nil || jsonOf(nil) != nil {
		t.Error("there is a function of no expression")
	}
}
