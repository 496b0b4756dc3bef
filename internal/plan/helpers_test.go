package plan

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
)

var quiet = slog.New(slog.DiscardHandler)

const head = "apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {stdout: {}}}\nlisteners:\n"

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "c.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// outputTo returns an output of a route.
func outputTo(name string, s sink.Sink) route.Output {
	return route.Output{To: delivery.NewOutput(name, s, quiet)}
}

// noLetters drops dead letters.
type noLetters struct{}

func (noLetters) Put(context.Context, deadletter.Letter) (string, error) {
	return "18ad2c41f2b80400", nil
}

// writePlan writes the plan of a configuration.
func writePlan(cfg *config.Config, w io.Writer, listeners ...string) error {
	p, mistakes := Compile(cfg, nil)
	if len(mistakes) > 0 {
		return mistakes
	}
	all, err := p.List(listeners...)
	if err != nil {
		return err
	}
	return all.Write(w)
}
