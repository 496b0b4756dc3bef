package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/secret/tlstest"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

var outputsPage = filepath.Join("..", "..", "docs", "outputs.md")

const docKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// TestOutputsPage keeps docs/outputs.md true. Its configurations load, with the secrets and
// certificates that they name; its events come out as it says; and what it shows of an output is
// what arrives at a server when the configuration above is run. The commands that it shows are run
// by the test of that name in internal/cli.
func TestOutputsPage(t *testing.T) {
	p := readPage(t, outputsPage)
	if broken := p.brokenLinks(); len(broken) > 0 {
		t.Errorf("links that lead nowhere: %q", broken)
	}
	if n := p.run(t, p.named(t, "informerd.yaml").text); n < 11 {
		t.Errorf("only %d configurations were loaded", n)
	}
}

// TestOutputsOfConfigs runs the stories of configs/slack.yaml and others in the same way.
func TestOutputsOfConfigs(t *testing.T) {
	p := readPage(t, filepath.Join("..", "..", "configs", "testdata", "outputs.txt"))
	if n := p.run(t, ""); n < 5 {
		t.Errorf("only %d configurations were loaded", n)
	}
}

// run runs the blocks of a page, and returns how many configurations it has. Outputs are added to
// the first one.
func (p *page) run(t *testing.T, first string) (configs int) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	dir := docSecrets(t)
	var cfg *config.Config
	var messages []sink.Message
	for _, b := range p.blocks {
		at := fmt.Sprintf("line %d", b.line)
		switch {
		case b.language == "yaml":
			p.sameFile(t, b)
			text := b.text
			switch {
			case strings.HasPrefix(text, "outputs:"):
				text = withOutputs(first, text)
			case strings.HasPrefix(text, "listeners:"):
				text = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" +
					"cluster: {name: prod-eu-1}\nstate: {dir: state}\n" + text
			}
			if cfg, err = config.Parse(filepath.Join(dir, "informerd.yaml"),
				[]byte(text)); err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			if err := Check(t.Context(), cfg,
				Options{Log: quiet, Schemas: schemas}); err != nil {
				t.Errorf("%s: %v", at, err)
			}
			configs++
		case b.language == "events":
			name := b.info
			if name == "" {
				name = cfg.ListenersInOrder()[0].Name
			}
			t.Run(at, func(t *testing.T) {
				messages = tell(t, cfg, schemas, name, b.text).sink.all()
			})
		}
		for _, name := range p.generatedBehind(b) {
			sample := messages
			if !strings.HasPrefix(name, "recipe-") && name != "data" {
				if sample == nil {
					t.Fatalf("%s: there are no messages yet", at)
				}
			}
			if t.Failed() {
				return configs
			}
			t.Run(name, func(t *testing.T) {
				p.generated(t, name, shown(t, cfg, schemas, name, sample))
			})
		}
	}
	return configs
}

// docSecrets makes the secrets, certificates and variables that configurations of the page name.
func docSecrets(t *testing.T) (dir string) {
	dir = t.TempDir()
	tls := tlstest.NewFolder(t, tlstest.New(t, "hooks.internal"))
	files := map[string]string{
		"hook-url": "https://hooks.example.com/in", "token": "Bearer 17", "sign-key": docKey,
		"sign-key-before": docKey, "slack-url": "https://hooks.slack.com/services/1",
		"informerd.creds": "creds",
	}
	for name, from := range map[string]string{"ca.pem": "ca", "client.pem": "cert",
		"client-key.pem": "key"} {
		text, err := os.ReadFile(tls.Path(from))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	if err := os.Mkdir(filepath.Join(dir, "secrets"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "secrets", name), []byte(text),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SLACK_URL", "https://hooks.slack.com/services/1")
	t.Setenv("KAFKA_PASSWORD", "hunter2")
	t.Setenv("WEBHOOK_KEY", docKey)
	return dir
}

// sameFile holds a block that is one of the configurations in configs against that.
func (p *page) sameFile(t *testing.T, b block) {
	t.Helper()
	if !strings.HasPrefix(b.name, "configs/") {
		return
	}
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(b.name)))
	if err != nil || string(text) != b.text {
		t.Errorf("%s:%d: %s is another one: %v\n%s", p.path, b.line, b.name, err, text)
	}
}

var outputNames = regexp.MustCompile(`(?m)^  ([a-z-]+):`)

// withOutputs puts outputs in the place of those of a configuration.
func withOutputs(text, outputs string) string {
	var names []string
	for _, m := range outputNames.FindAllStringSubmatch(outputs, -1) {
		names = append(names, m[1])
	}
	text, _, _ = strings.Cut(text, "\noutputs:")
	return strings.Replace(text, "outputs: [stdout]", "outputs: ["+strings.Join(names, ", ")+"]",
		1) + "\n" + outputs
}

var begin = regexp.MustCompile(`<!-- begin (\S+) -->`)

// generatedBehind returns the generated parts between a block and the next one that is not
// generated.
func (p *page) generatedBehind(b block) (names []string) {
	lines := strings.Split(p.original, "\n")[b.line-1:]
	fences := 0
	inside := false
	for _, line := range lines {
		m := begin.FindStringSubmatch(line)
		switch {
		case m != nil:
			names = append(names, m[1])
			inside = true
		case strings.HasPrefix(line, "<!-- end"):
			inside = false
		case strings.HasPrefix(line, "```") && !inside:
			if fences++; fences > 2 {
				return names
			}
		}
	}
	return names
}

// shown is what the page shows of messages.
func shown(t *testing.T, cfg *config.Config, schemas plan.Schemas, name string,
	messages []sink.Message) string {
	t.Helper()
	switch name {
	case "message":
		return fenced("json", indented(t, cloudevent.Append(nil, messages[0])))
	case "data":
		messages = messages[:1]
	case "slack":
		// both messages
	case "alertmanager", "event":
		messages = messages[1:2]
	case "webhook-binary":
		for _, o := range cfg.Outputs {
			o.Webhook.Mode = "binary"
		}
		messages = messages[1:2]
	case "file", "nats", "kafka", "patch":
		messages = messages[:1]
	}
	var parts []string
	for _, o := range cfg.Outputs {
		parts = append(parts, received(t, cfg, schemas, o, messages)...)
	}
	return fenced("http", strings.Join(parts, "\n"))
}

func indented(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}
