package eval_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/distribution/reference"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// glob is what the same pattern written as a regular expression is.
func TestGlobAsARegularExpression(t *testing.T) {
	e := filtertest.Compile(t, `true`).Evaluator()
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(
			rapid.SliceOfN(rapid.SampledFrom([]string{"*", "?", "a", "b", "ü", ".", "*", "a",
				"ab"}), 0, 8).Draw(t, "pattern"), "")
		text := strings.Join(rapid.SliceOfN(
			rapid.SampledFrom([]string{"a", "b", "ü", ".", "日", "\n", "a"}), 0, 10).Draw(t, "text"),
			"")
		expression := strings.NewReplacer(`\*`, `(?s:.*)`, `\?`,
			`(?s:.)`).Replace(regexp.QuoteMeta(pattern))
		want := regexp.MustCompile(`\A` + expression + `\z`).MatchString(text)
		e.ResetBudget()
		if got := e.GlobTexts(pattern, text); got != want {
			t.Fatalf("glob(%q, %q) is %t", pattern, text, got)
		}
		if want {
			matched++
		}
	})
	if !t.Failed() && !testing.Short() && matched < 5 {
		t.Errorf("only %d texts matched", matched)
	}
}

// became(condition) is true if the condition is true of object and not of old.
func TestBecameAsTwoExpressions(t *testing.T) {
	became := 0
	rapid.Check(t, func(t *rapid.T) {
		parse := func(text string) *object.Object {
			p := object.Parser{APIVersion: "v1", Kind: "Pod"}
			o, err := p.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		now, before := parse(filtertest.DrawObject(t)), parse(filtertest.DrawObject(t))
		for range 10 {
			text := filtertest.DrawExpression(t, 2, false)
			if rapid.Bool().Draw(t, "simple") {
				text = rapid.SampledFrom([]string{"object.a", "object.s.t", "object.s.list[0]",
					`(label("x") ?? object.b)`, "len(object.s.items)"}).Draw(t, "field") +
					rapid.SampledFrom([]string{" == ", " != ", " in [0, 1] || nil == "}).Draw(t,
						"operator") + filtertest.DrawScalar(t)
				text = strings.ReplaceAll(text, "null", "nil")
			}
			alone, err1 := filters.Compile(lang.Expression{Text: text})
			twice, err2 := filters.Compile(lang.Expression{Text: "became(" + text + ")"})
			if err1 != nil || err2 != nil {
				continue // a type that is known to be wrong, or op, old and missed
			}
			first, err1 := alone.Evaluator().Match(event.Event{Op: event.Add, Object: now})
			second, err2 := alone.Evaluator().Match(event.Event{Op: event.Add, Object: before})
			got, err := twice.Evaluator().Match(event.Event{Op: event.Update, Object: now,
				Old: before})
			wantErr := err1 != nil || first && err2 != nil
			if want := first && !second && !wantErr; got != want || (err != nil) != wantErr {
				t.Fatalf("became(%s)\n%s\n%s\ngot %v, %v, want %v, %v, %v", text, now.JSON(),
					before.JSON(), got, err, want, err1, err2)
			}
			if got {
				became++
			}
		}
	})
	if !t.Failed() && became < 5 {
		t.Errorf("only %d conditions became true", became)
	}
}

// The parts of an image make up its whole name again, however it was written.
func TestImagesPartsMakeItsName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		registry := rapid.SampledFrom([]string{"", "docker.io/", "index.docker.io/", "localhost/",
			"localhost:5000/", "r.example.com/", "[::1]:5000/", "UP/"}).Draw(t, "registry")
		repository := rapid.SampledFrom([]string{"a", "a/b", "library/a", "a/b/c-d_e", "A", "a//b",
			"a."}).Draw(t, "repository")
		tag := rapid.SampledFrom([]string{"", ":1", ":v1.2_3-x", ":", ":ü"}).Draw(t, "tag")
		digest := rapid.SampledFrom([]string{"", "@sha256:" + strings.Repeat("0a", 32),
			"@sha256:00", "@"}).Draw(t, "digest")
		text := registry + repository + tag + digest
		x, ok := values.ParseImage(text).(values.Image)
		if _, err := reference.ParseNormalizedNamed(text); ok != (err == nil) {
			t.Fatalf("%s: %t, %v", text, ok, err)
		}
		if !ok {
			return
		}
		whole := x.Registry.(string) + "/" + x.Repository.(string)
		if x.Name != whole {
			t.Fatalf("%s: name %v, not %s", text, x.Name, whole)
		}
		if x.Tag != nil {
			whole += ":" + x.Tag.(string)
		}
		if x.Digest != nil {
			whole += "@" + x.Digest.(string)
		}
		if x.Whole != whole || (tag == "" && digest == "") != (x.Tag == "latest") {
			t.Fatalf("%s: %s is not %s", text, x.Whole, whole)
		}
	})
}
