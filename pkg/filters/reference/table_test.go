package reference_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/reference"
)

func TestTheTablesExamplesAreTrue(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	m := filtertest.SampleMessage(t)
	for _, entry := range reference.Table() {
		t.Run(entry.Name, func(t *testing.T) {
			source := filtertest.SampleSource(entry.Example)
			if kind := lang.KindWhen; kind.Has(entry.Name) {
				source.Kind = kind
				e := filtertest.SampleEvaluator(t, source, nil)
				for range 2 {
					if ok, err := e.MatchMessage(m); !ok || err != nil {
						t.Errorf("%s: %v, %v", entry.Example, ok, err)
					}
				}
			}
			if source.Kind = lang.KindFilter; !source.Kind.Has(entry.Name) {
				return
			}
			e := filtertest.SampleEvaluator(t, source, caches)
			for range 2 {
				if ok, err := e.Match(ev); !ok || err != nil {
					t.Errorf("%s: %v, %v", entry.Example, ok, err)
				}
			}
		})
	}
}

func TestTheTableIsComplete(t *testing.T) {
	var names []string
	for _, entry := range reference.Table() {
		if entry.Group == "Operators" {
			continue
		}
		names = append(names, entry.Name)
		if !strings.HasPrefix(entry.Signature, entry.Name) ||
			!strings.Contains(entry.Example, entry.Name) {
			t.Errorf("%s: signature %s, example %s", entry.Name, entry.Signature, entry.Example)
		}
		if !strings.HasSuffix(entry.Doc, ".") || strings.ContainsRune(entry.Doc, '\n') {
			t.Errorf("%s: %s", entry.Name, entry.Doc)
		}
	}
	want := slices.Concat(lang.Functions(), lang.Variables, lang.MessageVariables)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("got %q\nwant %q", names, want)
	}
}

func TestMarkdown(t *testing.T) {
	got := reference.Markdown()
	for _, want := range []string{
		"## Variables\n\n| | | for example |\n|---|---|---|\n| `object` | The object, after an update as it is now",
		"\n\n## Change\n\n",
		"| `a && b, a \\|\\| b, !a` | Logic; also and, or, not. nil counts as false. | `!initial && op != \"delete\"` |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}
