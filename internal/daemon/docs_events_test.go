package daemon

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/pages"
	"github.com/informerd/informerd/internal/plan"
)

// TestEventsOfPages runs the events blocks of all pages but those that have a test of their own.
// Each is a story (see told) of a listener of the configuration above it: the one that the block
// names, or the only one.
func TestEventsOfPages(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := pages.All(root)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if slices.Contains([]string{"docs/expressions.md", "docs/rules.md", "docs/outputs.md"}, p.Path) ||
			!strings.Contains(p.Text, "```events") {
			continue
		}
		t.Run(p.Path, func(t *testing.T) { eventsOf(t, p, schemas) })
	}
}

func eventsOf(t *testing.T, p *pages.Page, schemas plan.Schemas) {
	dir := docSecrets(t)
	config := func(b pages.Block) (*config.Config, error) {
		return config.Parse(filepath.Join(dir, "informerd.yaml"), []byte(whole(b.Text)))
	}
	var above pages.Block
	for _, b := range p.Blocks {
		switch {
		case b.Language == "yaml" && strings.Contains(whole(b.Text), "kind: Config"):
			above = b
		case b.Language == "events":
			cfg, err := config(above)
			if err != nil {
				t.Fatalf("%s:%d: %v", p.Path, above.Line, err)
			}
			if len(b.Words) == 0 && len(cfg.Listeners) != 1 {
				t.Errorf("%s:%d: name one of the %d listeners behind the word events", p.Path, b.Line,
					len(cfg.Listeners))
				continue
			}
			name := cfg.ListenersInOrder()[0].Name
			if len(b.Words) > 0 {
				name = b.Words[0]
			}
			if !strings.Contains(b.Text, "=>") {
				t.Errorf("%s:%d: it does not say what comes out", p.Path, b.Line)
			}
			t.Run(fmt.Sprintf("line %d", b.Line), func(t *testing.T) {
				tell(t, cfg, schemas, name, b.Text)
			})
		}
	}
}
