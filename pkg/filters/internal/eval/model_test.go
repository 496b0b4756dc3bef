package eval_test

import (
	_ "crypto/sha512" // an algorithm that images may have
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
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
			"localhost:5000/", "r.example.com/", "[::1]:5000/", "UP/", "-/", "a-.b/", "r:/", "[]/",
			"host/", "r_x.com/"}).Draw(t, "registry")
		repository := rapid.SampledFrom([]string{"a", "a/b", "library/a", "a/b/c-d_e", "A", "a//b",
			"a.", "a---b__c.d", "a___b", strings.Repeat("0a", 32), strings.Repeat("a", 260),
			strings.Repeat("a", 247)}).Draw(t, "repository")
		tag := rapid.SampledFrom([]string{"", ":1", ":v1.2_3-x", ":", ":ü", ":-",
			":" + strings.Repeat("a", 129)}).Draw(t, "tag")
		digest := rapid.SampledFrom([]string{"", "@sha256:" + strings.Repeat("0a", 32),
			"@sha256:" + strings.Repeat("0A", 32), "@sha512:" + strings.Repeat("0a", 64),
			"@md5:" + strings.Repeat("0a", 32), "@sha256:00", "@"}).Draw(t, "digest")
		text := registry + repository + tag + digest
		if rapid.IntRange(0, 20).Draw(t, "any") == 0 {
			digest = "?"
			text = rapid.StringOfN(rapid.SampledFrom([]rune("aA0.:/@-_[]")), 0, 12, -1).Draw(t, "text")
		}
		x, ok := values.ParseImage(text).(values.Image)
		named, err := reference.ParseNormalizedNamed(text)
		if ok != (err == nil) {
			t.Fatalf("%s: %t, %v", text, ok, err)
		}
		if !ok {
			return
		}
		if want := reference.TagNameOnly(named).String(); x.Whole != want {
			t.Fatalf("%s: %s, not %s", text, x.Whole, want)
		}
		whole := strings.TrimPrefix(x.Field("registry").(string)+"/"+x.Field("repository").(string), "/")
		if x.Field("name") != whole {
			t.Fatalf("%s: name %v, not %s", text, x.Field("name"), whole)
		}
		if x.Field("tag") != nil {
			whole += ":" + x.Field("tag").(string)
		}
		if x.Field("digest") != nil {
			whole += "@" + x.Field("digest").(string)
		}
		if x.Whole != whole || digest != "?" && (tag == "" && digest == "") != (x.Field("tag") == "latest") {
			t.Fatalf("%s: %s is not %s", text, x.Whole, whole)
		}
	})
}

// A version is read, written and compared as Masterminds/semver does it, where numbers fit.
func TestVersionsAsALibraryReadsThem(t *testing.T) {
	draw := func(t *rapid.T) string {
		text := rapid.SampledFrom([]string{"", "v", "V"}).Draw(t, "v") +
			rapid.SampledFrom([]string{"1", "1.28", "1.28.3", "0.0.0", "01.2", "1.", "", "1.2.3.4",
				"9223372036854775807.1", "9223372036854775808", "1.2.3"}).Draw(t, "numbers")
		return text + rapid.StringOfN(rapid.SampledFrom([]rune("-+.a0Z1x")), 0, 7, -1).Draw(t, "rest")
	}
	read := func(t *rapid.T, text string) (values.Version, *semver.Version) {
		v, _ := values.Readers[values.Versions].Parse(text).(values.Version)
		want, err := semver.NewVersion(text)
		known := err == nil && want.Major() <= math.MaxInt
		if known != (v != values.Version{}) || known && v.Text() != want.String() {
			t.Fatalf("%q: %v, %v, %v", text, v, want, err)
		}
		if known && (v.Field("prerelease") != want.Prerelease() ||
			v.Field("minor") != int(want.Minor())) {
			t.Fatalf("%q: %v, %v", text, v.Field("prerelease"), v.Field("minor"))
		}
		return v, want
	}
	rapid.Check(t, func(t *rapid.T) {
		v, vWant := read(t, draw(t))
		w, wWant := read(t, draw(t))
		if (v != values.Version{}) && (w != values.Version{}) && v.Compare(w) != vWant.Compare(wWant) {
			t.Fatalf("%s, %s: %d", v.Text(), w.Text(), v.Compare(w))
		}
	})
}
