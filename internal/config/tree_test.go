package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/growth"
)

func TestTextMistakes(t *testing.T) {
	head := "apiVersion: informerd.dev/v1alpha1\nkind: Config\n"
	for name, test := range map[string]struct{ file, text, want string }{
		"empty": {"x.yaml", "",
			"x.yaml: the configuration is empty"},
		"comments": {"x.yaml", "# nothing\n---\n",
			"x.yaml: the configuration is empty"},
		"null": {"x.yaml", "null",
			"x.yaml: the configuration is empty"},
		"a list": {"x.yaml", "- a\n", "x.yaml:1:1: the configuration must be a mapping, is a list"},
		"a word": {"x.yaml", "hello\n",
			`x.yaml:1:1: the configuration must be a mapping, is the string "hello"`},
		"too large": {"x.yaml", strings.Repeat("#", document.MaxSize+1),
			"x.yaml: the configuration is larger than 1048576 bytes"},
		"not UTF-8": {"x.yaml", head + "# é caf\xe9\n",
			"x.yaml:3:8: byte 0xe9 is not UTF-8"},
		"UTF-16": {"x.yaml", "\xff\xfea\x00",
			"x.yaml:1:1: byte 0xff is not UTF-8"},
		"NUL": {"x.yaml", head + "x: \x00",
			"x.yaml:3:4: the character U+0000 is not allowed"},
		"tab first": {"x.yaml", head + "listeners:\n\ta: {}\n",
			"x.yaml:4:1: not YAML: found character that cannot start any token\n" +
				"  \ta: {}\n" +
				"  ^"},
		"tab later": {"x.yaml", head + "listeners:\n  a:\n    workers: 1\n  \t  resync: 5m\n",
			"x.yaml:6:3: not YAML: found a tab character that violates indentation\n" +
				"    \t  resync: 5m\n" +
				"    ^"},
		"bracket open": {"x.yaml", head + "outputs: {a: {}\nlisteners:\n  a: {}\n",
			"x.yaml:3:1: not YAML: did not find expected ',' or '}'\n" +
				"  outputs: {a: {}\n" +
				"  ^"},
		"quote open": {"x.yaml", head + "cluster: {name: \"a}\nlisteners: {}\n",
			"x.yaml:3:1: not YAML: found unexpected end of stream\n" +
				`  cluster: {name: "a}` + "\n" +
				"  ^"},
		"colon in text": {"x.yaml", head + "cluster:\n  name: a: b\n",
			"x.yaml:4:3: not YAML: mapping values are not allowed in this context\n" +
				"    name: a: b\n" +
				"    ^"},
		"indentation": {"x.yaml", head + "cluster:\n    name: a\n  context: b\n",
			"x.yaml:5:3: not YAML: did not find expected key\n" +
				"    context: b\n" +
				"    ^"},
		"unknown alias": {"x.yaml", head + "# *a\ncluster: *a\n",
			"x.yaml:4:1: not YAML: unknown anchor 'a' referenced\n" +
				"  cluster: *a\n" +
				"  ^"},
		"two documents": {"x.yaml", head + "---\nkind: Config\n",
			"x.yaml:3:1: a second document begins here, and a configuration is one document"},
		"broken document": {"x.yaml", head + "---\na: b: c\n",
			"x.yaml:4:1: not YAML: mapping values are not allowed in this context\n" +
				"  a: b: c\n" +
				"  ^"},
		"JSON": {"x.json", "{\"kind\": \"Config\",\n \"é\": 1,}",
			"x.json:2:9: not JSON: invalid character '}' looking for beginning of object key string"},
		"YAML as JSON": {"x.json", head,
			"x.json:1:1: not JSON: invalid character 'a' looking for beginning of value"},
		"JSON too short": {"x.json", "{\"kind\":",
			"x.json:1:8: not JSON: unexpected end of JSON input"},
		"half a surrogate": {"x.json", `{"kind": "\ud83d"}`,
			"x.json:1:1: not YAML: found invalid Unicode character escape code\n" +
				`  {"kind": "\ud83d"}` + "\n" +
				"  ^"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(test.file, []byte(test.text))
			if err == nil || err.Error() != test.want {
				t.Errorf("got:\n%v\nwant:\n%s", err, test.want)
			}
		})
	}
}

// A few lines of text must not become billions of values.
func TestAliasBombs(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 20; i++ {
		fmt.Fprintf(&bomb, "        a%d: &a%d [*a%[3]d, *a%[3]d, *a%[3]d, *a%[3]d, *a%[3]d]\n", i,
			i, i-1)
	}
	for name, test := range map[string]struct{ config, want string }{
		"billion laughs": {bomb.String(), "the configuration has more than 200000 values"},
		"alias in itself": {"a: &a [*a, *a]",
			"values are nested deeper than 100 levels"},
		"deep": {"a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200),
			"values are nested deeper than 100 levels"},
		"very deep": {"a: " + strings.Repeat("[", 100_000),
			"not YAML: exceeded max depth of 10000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("x.yaml",
				[]byte(strings.Replace(base, listenerLine,
					listenerWith("handler:", "  wasm: x", "  config:", "    "+test.config), 1)))
			var errs Errors
			if !errors.As(err, &errs) || len(errs) != 1 || errs[0].Line == 0 ||
				!strings.HasSuffix(errs[0].Message, test.want) {
				t.Errorf("got %.300v, want one error with %q", err, test.want)
			}
		})
	}
}

func TestManyMistakesAreCutShort(t *testing.T) {
	_, err := Parse("x.yaml", []byte(base+strings.Repeat("x: 1\n", 100_000)))
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != maxErrors+1 {
		t.Fatalf("got %d errors", len(errs))
	}
	if got, want := errs[0].Error(),
		`x.yaml:14:1: unknown field "x"; its fields are apiVersion, kind, cluster, clusters, clustersFrom, http, health, shutdown, state, leaderElection, sharding, tracing, informers, listeners, policies, outputs, deadLetters`; got != want {
		t.Errorf("the first is %s, want %s", got, want)
	}
	if got, want := errs[maxErrors].Error(),
		"x.yaml: 99900 more mistakes are not shown"; got != want {
		t.Errorf("the last is %s, want %s", got, want)
	}
}

// Values may be secrets, or break the line of a log.
func TestErrorsShowLittleOfAValue(t *testing.T) {
	secret := strings.Repeat("s", 60) + "ecret-very-long"
	_, err := Parse("x.yaml", []byte(base+"cluster2: 1\n"))
	if err == nil {
		t.Fatal("no error")
	}
	_, err = Parse("x.yaml", []byte(strings.Replace(base, "{name: c}", `{name: "`+secret+`\nx"}`,
		1)))
	if err == nil || strings.Contains(err.Error(), "very-long") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error is %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("x.yaml", full)
	f.Add("x.yaml", base)
	f.Add("x.yaml", "a: &a [*a]\n---\n")
	f.Add("x.yaml", base+"? [a]\n: b\n<<: {}\n!!x y: |2\n\n  z\n")
	f.Add("x.json", `{"apiVersion":"informerd.dev/v1alpha1","kind":"Config","listeners":{"a":{"filter":"\ud83d\ude00"}}}`)
	f.Fuzz(func(t *testing.T, file, text string) {
		c, err := parse(file, []byte(text), folder{}) // nothing of the disk
		checkResult(t, c, err)
	})
}

// checkResult checks what holds for any files.
func checkResult(t *testing.T, c *Config, err error) {
	t.Helper()
	var errs Errors
	switch {
	case err == nil && c != nil:
		for _, l := range c.ListenersInOrder() {
			if l.Informer() == nil || len(l.On) == 0 || l.Workers == 0 || len(l.Outputs) == 0 ||
				l != c.Listeners[l.Name] {
				t.Errorf("incomplete listener %+v", l)
			}
			for _, r := range l.Rules {
				if r.Name == "" || r.Deny.IsZero() || r.Severity == "" {
					t.Errorf("incomplete rule %+v", r)
				}
			}
		}
		c.digest()
	case !errors.As(err, &errs) || len(errs) == 0 || c != nil:
		t.Errorf("Parse returns %v, %v", c, err)
	default:
		for i, e := range errs[:min(len(errs), maxErrors)] {
			if i > 0 && e.File == errs[i-1].File && e.Line < errs[i-1].Line || e.Message == "" {
				t.Errorf("error %d of %v", i, errs)
			}
		}
	}
}

// The time must not grow with the square of the size, whatever the file contains.
func TestLargeFilesAreReadInTime(t *testing.T) {
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "n%d,", i)
		}
		return b.String()
	}
	outputs := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "  o%d: {stdout: {}}\n", i)
		}
		return b.String()
	}
	for name, test := range map[string]struct {
		n    int
		text func(n int) string
		good bool
	}{
		"unknown names": {n: 1500, text: func(n int) string {
			return strings.Replace(base, "[out]", "["+names(n)+"]", 1)
		}},
		"many known names": {n: 500, text: func(n int) string {
			return strings.Replace(base, "[out]", "["+names(2*n)+"]", 1) + outputs(n)
		}},
		"namespaces": {n: 1500, good: true, text: func(n int) string {
			return strings.Replace(base, informerLine, informerWith("namespaces: ["+names(n)+"]"),
				1)
		}},
		"not YAML": {n: 5_000, text: func(n int) string {
			return strings.Repeat("a: 1\n", n) + "b: c: d\n"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, test.n, func(n int) {
				if _, err := Parse("x.yaml", []byte(test.text(n))); (err == nil) != test.good {
					t.Errorf("%d: %.200v", n, err)
				}
			})
		})
	}
}
