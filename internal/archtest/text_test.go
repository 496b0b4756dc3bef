package archtest

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPhrasesThatAreCaught(t *testing.T) {
	sources, err := loadProse(fstest.MapFS{
		"a/a.go": {Data: []byte(`package a

// Key gives the key, and tells
// whether there is one. It never gives up.
const key = "it is no label selector" // gives

var gives = "gives"
var text = ` + "`one\ntwo beside\nthree`" + `
`)},
		"a/testdata/a.go":     {Data: []byte("package a // gives\n")},
		"node_modules/x/x.md": {Data: []byte("it gives\n")},
		"docs/a.md": {
			Data: []byte("# It gives\n\nwhat is\nleft\n```\nit gives\n```\n")},
		"internal/archtest/words.go": {Data: []byte("package archtest // gives\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`a/a.go:3: "gives": write returns, passes, allows`,
		`a/a.go:3: "tells whether": write reports whether`,
		`a/a.go:5: "gives": write returns, passes, allows`,
		`a/a.go:5: "it is no label": write is not a`,
		`a/a.go:9: "beside": write with, next to, besides`,
		`docs/a.md:1: "gives": write returns, passes, allows`,
		`docs/a.md:3: "what is left": write the rest`,
	}
	if got := slices.Sorted(slices.Values(checkPhrases(sources))); !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestWidthsThatAreCaught(t *testing.T) {
	wide := strings.Repeat("x", 101)
	sources, err := loadProse(fstest.MapFS{
		"a/a.go": {Data: []byte("package a\n\n" +
			"// " + strings.Repeat("x ", 60) + "\n" + // line 3
			"// " + wide + "\n\n" +
			"var a = `" + wide + "`\n" +
			"var b = " + strings.Repeat("1 + ", 30) + "1\n" + // line 7
			"\tvar c" + strings.Repeat("c", 92) + " = 1\n")}, // line 8: the tab counts
		"a.md": {Data: []byte(strings.Repeat("x ", 60) + "\n\n| " + strings.Repeat("x ", 60) +
			"|\n\n```\n" + strings.Repeat("x ", 60) + "\n```\n\n- " + wide + "\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.md:1: over 100 columns: wrap it",
		"a/a.go:3: over 100 columns: wrap it",
		"a/a.go:7: over 100 columns: wrap it",
		"a/a.go:8: over 100 columns: wrap it",
	}
	if got := slices.Sorted(slices.Values(checkWidths(sources))); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

// Each phrase has a text that it bans: a hint that is not in it would hide it.
func TestEachPhraseIsFound(t *testing.T) {
	texts := []string{"Gives a key", "tells\nwhether", "was told", "for ever", "anew", "Beside",
		"in earnest",
		"of then", "what is left", "stands twice", "as it stands", "held against", "it is no list",
		"can hardly", "makes up its mind", "why it is as it is",
		`names the informer "x", which is not there`,
		"is in nobody's way", "in place of it", "merely", "thereupon", "goes over", "go over",
		"is to come", "be they", "whatever it is"}
	if len(texts) != len(phrases) {
		t.Fatalf("%d texts for %d phrases", len(texts), len(phrases))
	}
	for i, banned := range texts {
		sources, err := loadProse(fstest.MapFS{"a.md": {Data: []byte("Here " + banned + " now\n")}})
		if err != nil {
			t.Fatal(err)
		}
		found := strings.Join(checkPhrases(sources), "\n")
		if !strings.Contains(found, "write "+phrases[i].instead) {
			t.Errorf("%q is not found: %s", banned, found)
		}
	}
}
