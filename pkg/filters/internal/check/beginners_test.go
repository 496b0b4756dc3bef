package check_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// beginners are the mistakes of newcomers in testdata/beginners.txt.
func beginners(t *testing.T) []lang.Expression {
	t.Helper()
	data, err := os.ReadFile("testdata/beginners.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]lang.Kind{"filter": lang.KindFilter, "select": lang.KindSelect,
		"message": lang.KindMessage}
	schema := podSchema()
	schema.Fields["status"].Fields["phase"] = &lang.Schema{Type: "string",
		Enum: []string{"Failed", "Pending", "Running", "Succeeded", "Unknown"}}
	var all []lang.Expression
	for line := range strings.Lines(string(data)) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		kind, known := kinds[name]
		if !ok || !known {
			t.Fatalf("testdata/beginners.txt: %q", line)
		}
		all = append(all, lang.Expression{Text: text, Kind: kind, Schema: schema,
			Informers: map[string][]string{"pods": nil}})
	}
	return all
}

// found returns the mistakes in an expression, or the warnings about it.
func found(x lang.Expression) []*lang.CompileError {
	f, err := filters.Compile(x)
	if err != nil {
		return lang.Mistakes(err)
	}
	return f.Warnings()
}

// Each mistake of newcomers has a place and one sentence.
func TestMistakesOfBeginners(t *testing.T) {
	var b strings.Builder
	for _, x := range beginners(t) {
		all := found(x)
		if len(all) == 0 {
			t.Errorf("%s: nothing is wrong", x.Text)
		}
		for _, e := range all {
			if strings.Count(e.Message, ";") > 1 || strings.ContainsRune(e.Message, '\n') {
				t.Errorf("%s: more than a sentence: %s", x.Text, e.Message)
			}
			b.WriteString(e.Error() + "\n")
		}
		b.WriteString("\n")
	}
	filtertest.Golden(t, "beginners", b.String())
}

// A name that is proposed can be written in place of the wrong one.
func TestProposedNamesAreRight(t *testing.T) {
	followed := 0
	for _, x := range beginners(t) {
		for _, e := range found(x) {
			before, meant, ok := strings.Cut(strings.TrimSuffix(e.Message, "?"), "; did you mean ")
			if !ok {
				continue
			}
			runes := []rune(x.Text)
			head, tail := string(runes[:e.Offset]), string(runes[e.Offset:])
			var wrong string
			for _, prefix := range []string{"unknown name ", "unknown function ", "there is no field "} {
				if rest, ok := strings.CutPrefix(before, prefix); ok {
					wrong, _, _ = strings.Cut(strings.Trim(rest, `"`), " ")
					meant = strings.Trim(meant, `"`)
				}
			}
			if wrong == "" { // a constant
				wrong = constantAt(tail)
			}
			rest, ok := strings.CutPrefix(tail, wrong)
			if !ok {
				t.Errorf("%s: %q is not at %q", e.Message, wrong, tail)
			}
			fixed := x
			fixed.Text = head + meant + rest
			followed++
			for _, left := range found(fixed) {
				if left.Offset >= e.Offset && left.Offset <= e.Offset+len([]rune(meant)) {
					t.Errorf("%s\nfollowed: %s\n%v", e, fixed.Text, left)
				}
			}
		}
	}
	if followed < 10 {
		t.Errorf("only %d names are proposed", followed)
	}
}

// constantAt returns the constant that a text begins with.
func constantAt(text string) string {
	if text[0] == '"' {
		return text[:2+strings.IndexByte(text[1:], '"')]
	}
	end := strings.IndexAny(text+" ", " )]")
	return text[:end]
}

// What the table of foreign names says is an expression.
func TestForeignNames(t *testing.T) {
	for name, text := range check.Foreign {
		_, err := filters.Compile(lang.Expression{Text: text, Kind: lang.KindData})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != strings.ToLower(name) {
			t.Errorf("%s: the table has names in lower case", name)
		}
	}
}

// A name of the table is answered with its line wherever it is written.
func TestForeignNamesAreAnswered(t *testing.T) {
	answered := map[string]bool{}
	for _, format := range []string{"object.a.%s(1) == 2", "%s(object.a) == 2", "object.a %s 1",
		"object.a == %s", "(1 %s 2)"} {
		for name, text := range check.Foreign {
			x := lang.Expression{Text: fmt.Sprintf(format, name)}
			_, err := filters.Compile(x)
			if err != nil && strings.Contains(err.Error(), "; here it is written as in "+text) {
				answered[name] = true
			}
		}
	}
	for name := range check.Foreign {
		if !answered[name] {
			t.Errorf("%s is never answered", name)
		}
	}
}

// An expression of any tokens has an answer with a place within it.
func TestPlacesAreWithinTheText(t *testing.T) {
	words := append(slices.Sorted(maps.Keys(check.Foreign)), "object", "op", "(", ")", "[", "]",
		`"a"`, "any", "#", "label", "1", "\n")
	for i := range 2000 {
		text := ""
		for j := range 5 {
			text += " " + words[(i*(j+3)*7+j*i)%len(words)]
		}
		_, err := filters.Compile(lang.Expression{Text: text})
		var e *lang.CompileError
		if err != nil && (!errors.As(err, &e) || e.Offset > len([]rune(text))) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
