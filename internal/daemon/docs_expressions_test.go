package daemon

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/endpoints"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/reference"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// TestExpressionPages keeps docs/expressions.md, rules.md and functions.md true. Their configurations
// load and compile with the built-in schemas, and the events below each come out as it says; their
// expressions have the values that they say; what is generated in them is up to date; their links
// lead somewhere. Their commands are run by internal/pagetest.
//
// A block that begins with "listeners:" gets what is around it in every configuration. One with
// "wrong" in its name is there to be refused.
func TestExpressionPages(t *testing.T) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) *page {
		return readPage(t, filepath.Join("..", "..", "docs", name))
	}
	expressions, rules, functions := read("expressions.md"), read("rules.md"), read("functions.md")
	expressions.generated(t, "limits", limits())
	functions.generated(t, "table", reference.Markdown())
	stories := map[string]*told{}
	for _, p := range []*page{expressions, rules, functions} {
		if broken := p.brokenLinks(); len(broken) > 0 {
			t.Errorf("%s: links that lead nowhere: %q", p.path, broken)
		}
		p.tell(t, schemas, stories)
	}
	for _, p := range []*page{expressions, rules} {
		for _, text := range p.inlineExpressions("") {
			if _, err := filters.Compile(filters.Expression{Text: text,
				Informers: map[string][]string{"nodes": nil, "settings": nil}}); err != nil {
				t.Errorf("in a sentence: %s: %v", text, err)
			}
		}
	}
	if len(stories) < 8 {
		t.Errorf("only %d stories were told", len(stories))
	}
	if t.Failed() {
		return
	}
	stuck := stories["stuck"]
	expressions.generated(t, "failure", fenced("", folderOfConfig.ReplaceAllString(stories["fragile"].log.String(), "")))
	violations, metrics := endpointsOf(t, stuck)
	rules.generated(t, "violations", fenced("json", violations))
	rules.generated(t, "metrics", fenced("", metrics))
}

// folderOfConfig is in front of the name of a configuration in errors.
var folderOfConfig = regexp.MustCompile(`/[^ "]*/`)

// tell runs the configurations, events and expressions of a page, and adds its stories.
func (p *page) tell(t *testing.T, schemas plan.Schemas, stories map[string]*told) {
	dir := t.TempDir()
	for _, b := range p.blocks {
		if b.language == "yaml" && b.name != "" {
			path := filepath.Join(dir, filepath.FromSlash(b.name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var cfg *config.Config
	var err error
	for _, b := range p.blocks {
		at := fmt.Sprintf("%s line %d", filepath.Base(p.path), b.line)
		switch b.language {
		case "yaml":
			cfg = nil
			if text := whole(b.text); strings.Contains(text, "kind: Config") &&
				!strings.Contains(b.name, "wrong") {
				if cfg, err = config.Parse(filepath.Join(dir, "config.yaml"),
					[]byte(text)); err != nil {
					t.Fatalf("%s: %v", at, err)
				}
				if err := Check(t.Context(), cfg,
					Options{Log: quiet, Schemas: schemas}); err != nil {
					t.Errorf("%s: %v", at, err)
				}
			}
		case "events":
			if cfg == nil {
				t.Fatalf("%s: there is no configuration above these events", at)
			}
			name := b.info
			if name == "" && len(cfg.Listeners) == 1 {
				name = cfg.ListenersInOrder()[0].Name
			}
			t.Run(at, func(t *testing.T) { stories[name] = tell(t, cfg, schemas, name, b.text) })
		case "expr":
			t.Run(at, func(t *testing.T) { expressions(t, p, b, answered) })
		case "data":
			t.Run(at, func(t *testing.T) { expressions(t, p, b, sent) })
		}
	}
}

// whole completes a configuration of which the page shows the listeners.
func whole(text string) string {
	if strings.HasPrefix(text, "listeners:") || strings.HasPrefix(text, "informers:") {
		return "apiVersion: informerd.dev/v1alpha1\nkind: Config\ncluster: {name: prod-eu-1}\noutputs: {stdout: {stdout: {}}}\n" + text
	}
	return text
}

// expressions holds each line of a block against the update from pod-before.yaml to pod.yaml.
func expressions(t *testing.T, p *page, b block,
	answer func(filters.Expression, event.Event) string) {
	object := func(name string) *object.Object {
		path := filepath.Join(t.TempDir(), "object.yaml")
		if err := os.WriteFile(path, []byte(p.named(t, name).text), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := config.ReadObject(path)
		if err != nil {
			t.Fatal(err)
		}
		o, err := (&object.Parser{}).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	e := event.Event{Op: event.Update, Object: object("pod.yaml"), Old: object("pod-before.yaml")}
	for line := range strings.Lines(b.text) {
		text, want, ok := strings.Cut(strings.TrimSpace(line), "=>")
		if !ok {
			continue
		}
		text, want = strings.TrimSpace(text), strings.TrimSpace(want)
		got := answer(filters.Expression{Text: text, Cluster: "prod-eu-1", Listener: "restarts"}, e)
		if got != want {
			t.Errorf("%s\n got  %s\n want %s", text, got, want)
		}
	}
}

func answered(source filters.Expression, e event.Event) string {
	f, err := filters.Compile(source)
	if err != nil {
		return "refused"
	}
	evaluator := f.Evaluator()
	evaluator.Clock = func() time.Time { return storyTime }
	ok, err := evaluator.Match(e)
	if err != nil {
		return "fails"
	}
	return fmt.Sprint(ok)
}

// sent is what an output with that expression for data sends of a rule's report.
func sent(source filters.Expression, e event.Event) string {
	source.Kind = filters.KindData
	f, err := filters.Compile(source)
	if err != nil {
		return "refused"
	}
	text, err := f.Evaluator().JSONOf(&filters.Message{
		Event: e, Cluster: source.Cluster, Listener: source.Listener, Resource: "pods",
		Namespace: e.Object.Namespace(), Name: e.Object.Name(), Rule: "memory-limit",
		Severity: "high", Message: "web-1 has no memory limit", Violated: true,
		Since: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
	})
	if err != nil {
		return "fails"
	}
	return text
}

func limits() string {
	var b strings.Builder
	row := func(what string, limit string) { fmt.Fprintf(&b, "| %s | %v |\n", what, limit) }
	number := func(n int) string {
		text := fmt.Sprint(n)
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		return text
	}
	bytes := func(n int) string {
		if n >= 1<<20 {
			return fmt.Sprintf("%d MiB", n>>20)
		}
		return fmt.Sprintf("%d KiB", n>>10)
	}
	b.WriteString("| an expression, when it is compiled | at most |\n|---|---|\n")
	row("its text", bytes(filters.MaxSource))
	row("nodes of its syntax tree", number(filters.MaxNodes))
	row("`any` and the like in each other", fmt.Sprint(filters.MaxNesting, " deep"))
	row("the text of a regular expression", bytes(filters.MaxPattern))
	row("a range such as `1..100`", number(filters.MaxRange)+" items")
	b.WriteString("\n| one evaluation of it | at most |\n|---|---|\n")
	row("steps: items looked at, fields read of them, and more for what takes longer",
		number(filters.MaxSteps))
	row("items of lists it makes", number(filters.MaxMemory))
	row("a text it makes", bytes(filters.MaxText))
	row("all texts and lists it makes, and what it decodes", bytes(filters.MaxBytes))
	row("a rule's message, which is cut there", bytes(filters.MaxMessage))
	return b.String()
}

// endpointsOf returns what the endpoint answers while the story's violations are open.
func endpointsOf(t *testing.T, s *told) (violations, metrics string) {
	t.Helper()
	book := s.listener.setup().book()
	server := &endpoints.Server{Address: "127.0.0.1:0", Listeners: []endpoints.Listener{{
		Name:       s.listener.setup().Config.Name,
		Resource:   s.listener.setup().Config.Informer().Resource,
		Violations: book.Open, Counts: book.Counts,
		Route: func() route.Stats {
			return s.listener.route.Stats()
		}, Buffer: s.listener.subscription.Stats,
	}}}
	address, err := server.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx) }()
	client := &http.Client{}
	get := func(path string) string {
		res, err := client.Get("http://" + address.String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	violations = get("/violations?severity=high")
	for line := range strings.Lines(get("/metrics")) {
		if strings.HasPrefix(line, "informerd_rule_violations") ||
			strings.HasPrefix(line, "informerd_listener_violations") {
			metrics += line
		}
	}
	client.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return violations, metrics
}
