package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

var reliabilityPage = filepath.Join("..", "..", "docs", "reliability.md")

// TestReliabilityPage keeps docs/reliability.md true: its configurations load, its links lead
// somewhere, and what it shows of restarts, of a folder that is in use and of a damaged one is what
// comes of its first configuration when that is run. A configuration with "wrong" in its name is
// there to be refused. The command that it shows is run by the test of that name in internal/cli.
func TestReliabilityPage(t *testing.T) {
	p := readPage(t, reliabilityPage)
	if broken := p.brokenLinks(); len(broken) > 0 {
		t.Errorf("links that lead nowhere: %q", broken)
	}
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	configs := 0
	for _, b := range p.blocks {
		if b.language != "yaml" || strings.Contains(b.name, "wrong") {
			continue
		}
		text := b.text
		if strings.HasPrefix(text, "listeners:") {
			text = "apiVersion: informerd.dev/v1alpha1\nkind: Config\nstate: {dir: state}\n" +
				"outputs: {stdout: {stdout: {}}}\n" + text
		}
		cfg, err := config.Parse(filepath.Join(t.TempDir(), "informerd.yaml"), []byte(text))
		if err != nil {
			t.Fatalf("line %d: %v", b.line, err)
		}
		if err := Check(t.Context(), cfg, Options{Log: quiet,
			Schemas: schemas}); err != nil {
			t.Errorf("line %d: %v", b.line, err)
		}
		configs++
	}
	if configs < 2 {
		t.Errorf("only %d configurations were loaded", configs)
	}
	first := p.named(t, "informerd.yaml").text
	p.generated(t, "restarts", fatesTable(t, first))
	p.generated(t, "changes", otherwiseTable(t, first))
	locked, damaged := refusals(t, first)
	p.generated(t, "locked", locked)
	p.generated(t, "damaged", damaged)
}

// refusals are the errors of a folder that another daemon uses, and of one in which a bit has
// flipped.
func refusals(t *testing.T, text string) (locked, damaged string) {
	t.Helper()
	w := newDocWorld(t)
	w.set("web", "Running")
	d := w.start(text)
	for range 3 { // two blocks at least, as a broken last one might not have been complete
		before := w.committed()
		w.mark(d)
		eventually(t, func() error {
			if w.committed() == before {
				return errors.New("nothing is committed")
			}
			return nil
		})
	}
	locked = w.refused(text)
	d.stop(t)
	path := w.log()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[100] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return locked, w.refused(text)
}

// log returns the path of the log of the checkpoint.
func (w *docWorld) log() string {
	return filepath.Join(w.dir, "state", "checkpoint", "log-0000000000000001")
}

// committed returns how large the log is.
func (w *docWorld) committed() int64 {
	info, err := os.Stat(w.log())
	if err != nil {
		return 0
	}
	return info.Size()
}

// refused returns the mistakes with which a daemon ends at once.
func (w *docWorld) refused(text string) string {
	w.Helper()
	d := w.start(text)
	var err error
	select {
	case err = <-d.done:
	case <-time.After(20 * time.Second):
		d.stop(w.T)
		w.Fatal("it is not refused")
	}
	var mistakes config.Errors
	if !errors.As(err, &mistakes) {
		w.Fatalf("it ends with %v", err)
	}
	return fenced("", strings.ReplaceAll(mistakes.Error(), w.dir+string(filepath.Separator), ""))
}
