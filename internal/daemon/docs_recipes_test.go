package daemon

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

var recipesDir = filepath.Join("..", "..", "configs", "recipes")

// TestRecipes runs the stories of all recipes: each configuration loads without a warning; each
// listener has a story in testdata, with something that is reported and something that is not; and
// what arrives at a receiver is what the story says.
func TestRecipes(t *testing.T) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	recipeSecrets(t)
	files, err := filepath.Glob(filepath.Join(recipesDir, "*.yaml"))
	if err != nil || len(files) < 24 {
		t.Fatalf("%d recipes: %v", len(files), err)
	}
	list := readPage(t, filepath.Join("..", "..", "docs", "recipes.md"))
	if broken := list.brokenLinks(); len(broken) > 0 {
		t.Errorf("links that lead nowhere: %q", broken)
	}
	for _, path := range files {
		file := filepath.Base(path)
		if !strings.Contains(list.text, "(../configs/recipes/"+file+")") {
			t.Errorf("docs/recipes.md has no recipe %s", file)
		}
		t.Run(strings.TrimSuffix(file, ".yaml"), func(t *testing.T) { tellRecipe(t, file, schemas) })
	}
}

func tellRecipe(t *testing.T, file string, schemas plan.Schemas) {
	p := readPage(t, filepath.Join(recipesDir, "testdata", strings.TrimSuffix(file, ".yaml")+".txt"))
	untold := map[string]bool{}
	for _, l := range loadRecipe(t, file, schemas).ListenersInOrder() {
		untold[l.Name] = true
	}
	for _, b := range p.blocks {
		if b.language != "events" {
			continue
		}
		// Each story has its own copy: receivers put their addresses into it.
		cfg := loadRecipe(t, file, schemas)
		listener := b.info
		if listener == "" {
			listener = cfg.ListenersInOrder()[0].Name
		}
		if !strings.Contains(b.text, "=> nothing") {
			t.Errorf("line %d: the story has nothing that is left out", b.line)
		}
		t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) {
			s := tell(t, cfg, schemas, listener, b.text)
			for _, part := range p.generatedBehind(b) {
				p.generated(t, part, arrives(t, cfg, schemas, cfg.Listeners[listener], s.sink))
			}
		})
		delete(untold, listener)
	}
	for name := range untold {
		t.Errorf("listener %s has no story", name)
	}
}

// recipeSecrets sets the variables that recipes name.
func recipeSecrets(t *testing.T) {
	t.Helper()
	t.Setenv("SLACK_URL", "https://hooks.slack.com/services/1")
	t.Setenv("SLACK_URL_PAY", "https://hooks.slack.com/services/2")
	for _, name := range []string{"SIEM_TOKEN", "ELASTIC_KEY", "GITHUB_TOKEN", "NATS_CREDS"} {
		t.Setenv(name, "Bearer sesame")
	}
}

// loadRecipe loads a recipe into a folder of its own, and fails if it has a warning.
func loadRecipe(t *testing.T, file string, schemas plan.Schemas) *config.Config {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recipesDir, file))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(filepath.Join(t.TempDir(), file), text)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	if err := Check(t.Context(), cfg, Options{Log: plain(&log, slog.LevelWarn),
		Schemas: schemas}); err != nil || log.String() != "" {
		t.Errorf("%s: %v\n%s", file, err, log.String())
	}
	return cfg
}

// arrives returns what each output of a listener gets of a story, in short.
func arrives(t *testing.T, cfg *config.Config, schemas plan.Schemas, l *config.Listener,
	from *docSink) string {
	t.Helper()
	var lines []string
	for _, name := range l.Outputs {
		o := cfg.Outputs[name]
		address := ""
		switch {
		case o.NATS != nil:
			o.NATS.Stream, o.NATS.Credentials = "", nil // the server of the test has neither
		case o.Webhook != nil:
			u, err := url.Parse(o.Webhook.URL.Text)
			if err != nil {
				t.Fatal(err)
			}
			address = "POST " + u.Path + ": "
			o.Webhook.URL.Text = "https://" + u.Host
		}
		for _, request := range received(t, cfg, schemas, o, from.of(name)) {
			lines = append(lines, inShort(t, o, address, request)...)
		}
	}
	return fenced("text", strings.Join(lines, "\n"))
}

// inShort returns what matters of a request to an output.
func inShort(t *testing.T, o *config.Output, address, request string) (lines []string) {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	if o.File != nil {
		for line := range strings.Lines(request) {
			lines = append(lines, dataOf(t, line))
		}
		return lines
	}
	if o.NATS != nil || o.Kafka != nil {
		return []string{strings.Join(strings.Split(head, "\n")[:2], ", ")}
	}
	if o.Alertmanager != nil {
		var alerts []struct {
			Labels, Annotations map[string]string
			EndsAt              string
		}
		read(t, body, &alerts)
		for _, a := range alerts {
			var labels []string
			for _, k := range slices.Sorted(maps.Keys(a.Labels)) {
				labels = append(labels, k+"="+a.Labels[k])
			}
			state := "firing"
			if a.EndsAt != "" && a.EndsAt != "…" {
				state = "resolved"
			}
			lines = append(lines, state+" {"+strings.Join(labels, ", ")+"} "+
				a.Annotations["message"])
		}
		return lines
	}
	var fields map[string]any
	if o.Webhook == nil {
		read(t, body, &fields)
	}
	switch {
	case o.Slack != nil:
		return []string{o.Name + ": " + fmt.Sprint(fields["text"])}
	case o.KubernetesEvent != nil:
		return []string{fmt.Sprintf("%s %s: %s", fields["type"], fields["reason"], fields["note"])}
	case o.Patch != nil:
		meta := fields["metadata"].(map[string]any)
		delete(fields, "apiVersion")
		delete(fields, "kind")
		for _, name := range []string{"name", "namespace", "resourceVersion", "uid"} {
			delete(meta, name)
		}
		path, _, _ := strings.Cut(head, "?")
		return []string{path + ": " + compact(t, fields)}
	}
	return []string{address + dataOf(t, body)}
}

// dataOf returns the data of a CloudEvent, of several, or of a request that is only data.
func dataOf(t *testing.T, text string) string {
	t.Helper()
	var value any
	read(t, text, &value)
	if list, ok := value.([]any); ok {
		var all []any
		for _, item := range list {
			all = append(all, item.(map[string]any)["data"])
		}
		return compact(t, all)
	}
	if fields := value.(map[string]any); fields["specversion"] != nil {
		if change, ok := fields["data"].(map[string]any); ok && change["object"] != nil {
			return fmt.Sprintf("%s %s, object %s, old %s", fields["op"], fields["subject"],
				compact(t, change["object"].(map[string]any)["data"]), oldData(t, change["old"]))
		}
		return compact(t, fields["data"])
	}
	return compact(t, value)
}

func oldData(t *testing.T, old any) string {
	t.Helper()
	if o, ok := old.(map[string]any); ok {
		return compact(t, o["data"])
	}
	return "none"
}

func read(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func compact(t *testing.T, value any) string {
	t.Helper()
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(b.String(), "\n")
}
