package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
)

// habitCases are expressions as users of other tools write them.
func habitCases(t *testing.T) []lang.Expression {
	t.Helper()
	data, err := os.ReadFile("testdata/habits.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]lang.Kind{"filter": lang.KindFilter, "deny": lang.KindDeny,
		"message": lang.KindMessage, "pod": lang.KindFilter, "event": lang.KindFilter,
		"select": lang.KindSelect}
	schemas := map[string]*lang.Schema{"pod": podSchema(), "event": objectOf(
		map[string]*lang.Schema{"type": typed("string"), "reason": typed("string"),
			"involvedObject": typed("object"), "metadata": podSchema().Fields["metadata"]})}
	var all []lang.Expression
	for line := range strings.Lines(string(data)) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		kind, known := kinds[name]
		if !ok || !known {
			t.Fatalf("testdata/habits.txt: %q", line)
		}
		all = append(all, lang.Expression{Text: text, Kind: kind, Schema: schemas[name],
			Informers: map[string][]string{"pods": nil}})
	}
	return all
}

// What people bring along from CEL, JavaScript, SQL, templates and kubectl gets an answer that
// names the way to say it here.
func TestHabits(t *testing.T) {
	var b strings.Builder
	for _, source := range habitCases(t) {
		fmt.Fprintf(&b, "%s: %s\n", source.Kind.Word().Name, source.Text)
		_, err := filters.Compile(source)
		if err == nil {
			b.WriteString("  is right\n")
		}
		for _, mistake := range lang.Mistakes(err) {
			fmt.Fprintf(&b, "  %d:%d %s\n", mistake.Line, mistake.Column, mistake.Message)
			if fixed, ok := mistake.Fixed(); ok {
				fmt.Fprintf(&b, "  -> %s\n", fixed)
			}
		}
	}
	filtertest.Golden(t, "habits", b.String())
}

// A text that a hint proposes mends the mistake: with all of them taken, nothing is left that has a
// proposal.
func checkProposals(t interface {
	Fatalf(format string, args ...any)
}, source lang.Expression) (proposals int) {
	for range 2 * lang.MaxMistakes {
		_, err := filters.Compile(source)
		var next string
		for _, mistake := range lang.Mistakes(err) {
			fixed, ok := mistake.Fixed()
			if !ok {
				continue
			}
			after := source
			after.Text = fixed
			_, err := filters.Compile(after)
			for _, left := range lang.Mistakes(err) {
				if left.Offset == mistake.Offset && left.Message == mistake.Message {
					t.Fatalf("%s\nis not mended by the proposal\n%s\n%v", source.Text, fixed, err)
				}
			}
			next = fixed
			break
		}
		if next == "" {
			return proposals
		}
		proposals++
		source.Text = next
	}
	t.Fatalf("the proposals for %s do not come to an end", source.Text)
	return proposals
}

func TestProposalsMend(t *testing.T) {
	proposals := 0
	for _, source := range habitCases(t) {
		proposals += checkProposals(t, source)
	}
	if proposals < 100 {
		t.Errorf("only %d texts were proposed", proposals)
	}
}

// A proposal that is all there is to mend compiles, where the expression is not asked for true or
// false: filter(…) was a list before.
func TestProposalsCompile(t *testing.T) {
	for _, source := range habitCases(t) {
		_, err := filters.Compile(source)
		all := lang.Mistakes(err)
		if len(all) != 1 {
			continue
		}
		fixed, ok := all[0].Fixed()
		if !ok {
			continue
		}
		after := source
		after.Text = fixed
		if source.Kind != lang.KindMessage {
			after.Text = "(" + fixed + ") == nil"
		}
		for _, left := range lang.Mistakes(errOf(after)) {
			if _, more := left.Fixed(); !more {
				t.Errorf("%s\n-> %s\n%v", source.Text, fixed, left)
			}
		}
	}
}

func errOf(source lang.Expression) error {
	_, err := filters.Compile(source)
	return err
}

// Parts of those expressions, put together in any way, are answered with places in the text and
// with proposals that mend.
func TestProposalsOfAnyMixture(t *testing.T) {
	cases := habitCases(t)
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		source := rapid.SampledFrom(cases).Draw(t, "first")
		parts = append(parts, source.Text)
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			parts = append(parts,
				rapid.SampledFrom([]string{" && ", " || ", " == ", " ", ", ", " + ", "(", ")",
					"."}).Draw(t, "between"),
				rapid.SampledFrom(cases).Draw(t, "next").Text)
		}
		source.Text = strings.Join(parts, "")
		if from := rapid.IntRange(0, 3*len(source.Text)).Draw(t, "cut"); from < len(source.Text) {
			runes := []rune(source.Text)
			from = min(from, len(runes)-1)
			source.Text = string(runes[:from]) +
				string(runes[min(len(runes), from+rapid.IntRange(1, 5).Draw(t, "length")):])
		}
		for _, mistake := range lang.Mistakes(errOf(source)) {
			if mistake.Line != 1 || mistake.Column < 1 || mistake.Column > len([]rune(source.Text))+
				1 {
				t.Fatalf("%q: place %d:%d", source.Text, mistake.Line, mistake.Column)
			}
			if strings.Contains(mistake.Message, "cannot be compiled") ||
				strings.Contains(mistake.Message, "unexpected token") {
				t.Fatalf("%q: %s", source.Text, mistake.Message)
			}
		}
		checkProposals(t, source)
	})
}

// The answer to a wrong number of arguments says the same as the table in the documentation.
func TestSignaturesAreThoseOfTheTable(t *testing.T) {
	found := 0
	for _, row := range filters.Table() {
		if want, ok := mismatch.Signatures[row.Name]; ok {
			found++
			if row.Signature != want {
				t.Errorf("%s: the table has %q, an error %q", row.Name, row.Signature, want)
			}
		}
	}
	if found != len(lang.OwnSignatures) || found != len(mismatch.Signatures) {
		t.Errorf("%d signatures of %d functions", found, len(lang.OwnSignatures))
	}
}
