package migrate

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan"
)

var update = flag.Bool("update", false, "write the results of the examples again")

// examples returns the example configurations of a peer.
func examples(t *testing.T, peer string) (files []string) {
	t.Helper()
	all, err := os.ReadDir(filepath.Join("testdata", peer))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		name := e.Name()
		if name != "README.md" && !strings.HasSuffix(name, ".converted.yaml") &&
			!strings.HasSuffix(name, ".report.txt") {
			files = append(files, name)
		}
	}
	return files
}

// The examples of the peers, from their repositories, become configurations without a warning. What
// of them is not converted is in the report.
func TestExamples(t *testing.T) {
	for _, peer := range []string{eventExporter, kubewatchName} {
		files := examples(t, peer)
		if len(files) < 13 {
			t.Fatalf("%s: %d examples", peer, len(files))
		}
		for _, name := range files {
			t.Run(peer+"/"+name, func(t *testing.T) { convertExample(t, peer, name) })
		}
	}
}

func convertExample(t *testing.T, peer string, name string) {
	path := filepath.Join("testdata", peer, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, report, err := Convert(document.Text{File: name, Data: data})
	var shown bytes.Buffer
	if err != nil {
		shown.WriteString(err.Error() + "\n")
	} else {
		if report.from != peer {
			t.Errorf("it is taken for one of %s", report.from)
		}
		if err := report.Write(&shown); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(shown.String(), "\n") {
		if strings.HasPrefix(line, "<stdin>") || strings.Contains(line, name+": ") && err == nil {
			t.Errorf("without a place: %s", line)
		}
	}
	golden(t, path+".report.txt", shown.Bytes())
	golden(t, path+".converted.yaml", text)
	if len(text) == 0 {
		return
	}
	cfg, p := compiled(t, text)
	for _, w := range warnings(cfg, p) {
		t.Error(w)
	}
}

// golden compares with a file, which is not there if there is nothing.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if len(got) > 0 {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; -update writes it again. It is now\n%s", path, got)
	}
}

// fataler is a test, of testing or of rapid.
type fataler interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

// compiled returns a configuration as informerd run has it.
func compiled(t fataler, text []byte) (*config.Config, *plan.Plan) {
	cfg, err := config.Parse("converted.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	p, mistakes := plan.Compile(cfg, schemas)
	if len(mistakes) > 0 {
		t.Fatalf("%v\n%s", mistakes, text)
	}
	return cfg, p
}

// warnings returns what validate --strict refuses, but for environment variables and files.
func warnings(cfg *config.Config, p *plan.Plan) (all []string) {
	for _, w := range slices.Concat(cfg.Warnings(), p.Warnings()) {
		all = append(all, w.Error())
	}
	for _, l := range p.Listeners {
		for _, f := range l.Filters() {
			for _, w := range f.Warnings() {
				all = append(all, w.Error())
			}
		}
	}
	return all
}
