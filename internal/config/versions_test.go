package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
)

const hexDigest = "3f786850e387550fdab836ed7e6dc881de23001b4c9d3f1c2f2a3f1c2f2a3f1c"

// withDigest is a configuration with a handler, in both versions.
var (
	withDigest = `# What is pinned.
apiVersion: informerd.dev/v1alpha1   # the old one
kind: Config
listeners:
  a:
    informer: {resource: pods}
    handler:
      wasm: x.wasm

      sha256: ` + hexDigest + `   # of x.wasm
      # sha256: is not a field
      config: {sha256: ` + hexDigest + `, apiVersion: informerd.dev/v1alpha1}
    outputs: [out]
outputs: {out: {stdout: {}}}
`
	withDigestNow = strings.NewReplacer("apiVersion: informerd.dev/v1alpha1  ",
		"apiVersion: informerd.dev/v1beta1  ",
		"      sha256: "+hexDigest, "      digest: sha256:"+hexDigest).Replace(withDigest)
)

// Names and forms differ; what is read is the same, and so is the digest that a reload compares.
func TestVersionsAreReadAlike(t *testing.T) {
	before, now := mustParse(t, withDigest), mustParse(t, withDigestNow)
	if got := now.Listeners["a"].Handler.SHA256; got != hexDigest {
		t.Errorf("the digest is %q", got)
	}
	if before.Digest() != now.Digest() {
		t.Errorf("the configurations differ:\n%s\n%s", asJSON(t, before), asJSON(t, now))
	}
	if at := now.ErrorAt("listeners.a.handler.digest", "", ""); at.Line != 10 || at.Column != 15 {
		t.Errorf("the digest is at %d:%d", at.Line, at.Column)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A policy has a version of its own.
func TestVersionsSideBySide(t *testing.T) {
	for _, config := range []string{APIVersion, Newest} {
		for _, policy := range []string{APIVersion, Newest} {
			files := folder{"p/a.yaml": strings.Replace(policyText, APIVersion, policy, 1)}
			c, err := parse("x.yaml", []byte(strings.Replace(withPolicies, APIVersion, config, 1)),
				files)
			if err != nil {
				t.Errorf("a policy of %s in a configuration of %s: %v", policy, config, err)
				continue
			}
			if c.APIVersion != APIVersion {
				t.Errorf("the apiVersion of what is read is %s", c.APIVersion)
			}
		}
	}
}

// Mistakes have the names of the version that the file has.
func TestMistakesInVersions(t *testing.T) {
	for name, test := range map[string]struct{ text, from, to, want string }{
		"a form of the other version": {withDigestNow, "digest: sha256:", "digest: ",
			`x.yaml:10:15: listeners.a.handler.digest must be sha256: and 64 lower-case hexadecimal digits, is "` + hexDigest + `"; sha256sum prints the digits`},
		"a name of the version before": {withDigestNow, "digest: sha256:", "sha256: ",
			`x.yaml:10:7: unknown field "sha256" in listeners.a.handler; it is digest in this apiVersion; informerd convert writes it`},
		"a name of the version after": {withDigest, "      sha256: ", "      digest: sha256:",
			`x.yaml:10:7: unknown field "digest" in listeners.a.handler; it is sha256 in this apiVersion; informerd convert writes it`},
		"misspelt": {withDigestNow, "digest: sha256:", "digset: sha256:",
			`x.yaml:10:7: unknown field "digset" in listeners.a.handler; did you mean "digest"?`},
		"both": {withDigestNow, "      wasm:", "      sha256: x\n      wasm:",
			`x.yaml:8:7: unknown field "sha256" in listeners.a.handler; it is digest in this apiVersion; informerd convert writes it`},
		"a number": {withDigestNow, "digest: sha256:" + hexDigest, "digest: 1",
			`x.yaml:10:15: listeners.a.handler.digest must be a string, is the number 1; sha256sum prints the digits`},
		"a version to come": {withDigestNow, "informerd.dev/v1beta1 ", "informerd.dev/v2 ",
			`x.yaml:2:13: apiVersion must be informerd.dev/v1alpha1, is "informerd.dev/v2"; this informerd reads informerd.dev/v1alpha1 and informerd.dev/v1beta1`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(test.text, test.from, test.to, 1)
			_, err := Parse("x.yaml", []byte(text))
			if err == nil || err.Error() != test.want {
				t.Errorf("got:\n%v\nwant:\n%s", err, test.want)
			}
			if schemaSays(t, configuration, text) == nil {
				t.Error("the JSON Schema takes it")
			}
		})
	}
}

// Only what differs changes, whatever the text looks like.
func TestConvert(t *testing.T) {
	digits := strings.Repeat("0123456789", 7)[:64]
	for name, test := range map[string]struct{ file, before, now string }{
		"a block":  {"x.yaml", withDigest, withDigestNow},
		"Windows":  {"x.yaml", crlf(withDigest), crlf(withDigestNow)},
		"a mark":   {"x.yaml", "\ufeff" + withDigest, "\ufeff" + withDigestNow},
		"a policy": {"x.yaml", policyText, strings.Replace(policyText, APIVersion, Newest, 1)},
		"no break at the end": {"x.yaml", strings.TrimSuffix(withDigest, "\n"),
			strings.TrimSuffix(withDigestNow, "\n")},
		"braces": {"x.yaml", inBraces("sha256: "+hexDigest, APIVersion),
			inBraces("digest: sha256:"+hexDigest, Newest)},
		"quotes": {"x.yaml", inBraces(`'sha256': "`+hexDigest+`"`, `"`+APIVersion+`"`),
			inBraces(`'digest': "sha256:`+hexDigest+`"`, `"`+Newest+`"`)},
		"one quote": {"x.yaml", inBraces(`"sha256": '`+hexDigest+`'`, `'`+APIVersion+`'`),
			inBraces(`"digest": 'sha256:`+hexDigest+`'`, `'`+Newest+`'`)},
		"what would be a number": {"x.yaml", inBraces(`sha256: "`+digits+`"`, APIVersion),
			inBraces(`digest: "sha256:`+digits+`"`, Newest)},
		"an anchor": {"x.yaml", inBraces("sha256: &d "+hexDigest, APIVersion),
			inBraces("digest: &d sha256:"+hexDigest, Newest)},
		"é before it": {"x.yaml", inBraces("config: é𝄞, sha256: "+hexDigest, APIVersion),
			inBraces("config: é𝄞, digest: sha256:"+hexDigest, Newest)},
		"JSON": {"x.json", inJSON(`"sha256":	"`+hexDigest+`"`, APIVersion),
			inJSON(`"digest":	"sha256:`+hexDigest+`"`, Newest)},
		"JSON with escapes": {"x.json",
			inJSON(`"config": "\/\ud83d\ude00\/", "sha256": "`+hexDigest+`"`, APIVersion),
			inJSON(`"config": "\/\ud83d\ude00\/", "digest": "sha256:`+hexDigest+`"`, Newest)},
	} {
		t.Run(name, func(t *testing.T) {
			checkConverted(t, test.file, test.before, Newest, test.now)
			checkConverted(t, test.file, test.now, APIVersion, test.before)
			checkConverted(t, test.file, test.now, Newest, test.now)
			checkConverted(t, test.file, test.before, APIVersion, test.before)
		})
	}
	// A digest of digits needs quotes only without the word before it.
	checkConverted(t, "x.yaml", inBraces("digest: sha256:"+digits, Newest), APIVersion,
		inBraces(`sha256: "`+digits+`"`, APIVersion))
	// An alias in place of the value gets the value.
	checkConverted(t, "x.yaml", inBraces("config: &d "+hexDigest+", sha256: *d", APIVersion), Newest,
		inBraces("config: &d "+hexDigest+", digest: sha256:"+hexDigest, Newest))
}

func inBraces(digest, apiVersion string) string {
	return "apiVersion: " + apiVersion + "\nkind: Config\noutputs: {out: {stdout: {}}}\n" +
		"listeners: {a: {informer: {resource: pods}, handler: {wasm: x, " + digest +
		"}, outputs: [out]}}\n"
}

func inJSON(digest, apiVersion string) string {
	return "{\n\t\"apiVersion\": \"" + apiVersion + "\",\n\t\"kind\": \"Config\",\n" +
		"\t\"outputs\": {\"out\": {\"stdout\": {}}}, \"listeners\": {\"a\": {\n" +
		"\t\t\"informer\": {\"resource\": \"pods\"}, \"handler\": {\"wasm\": \"x\", " + digest +
		"}, \"outputs\": [\"out\"]}}}"
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func checkConverted(t *testing.T, file, text, to, want string) {
	t.Helper()
	got, err := Convert(file, []byte(text), to)
	if err != nil {
		t.Errorf("to %s: %v\n%s", to, err, text)
		return
	}
	if string(got) != want {
		t.Errorf("to %s:\n%s\nwant:\n%s", to, got, want)
	}
}

// What cannot be converted is an error with its place, and never another configuration.
func TestConvertRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, to, want string }{
		"escapes": {inBraces("sha256: \"\\x33"+hexDigest[1:]+"\"", APIVersion), Newest,
			"x.yaml:4:72: sha256 is written in a way that cannot be converted; write it on one line, without escapes"},
		"an anchor that means two things": {
			inBraces("sha256: &d "+hexDigest+", config: [*d]", APIVersion), Newest,
			"x.yaml: the configuration would not mean the same in informerd.dev/v1beta1; an alias (*name) may have a part of it mean two things: write that part out"},
		"a mistake": {inBraces("sha: x", APIVersion), Newest,
			`x.yaml:4:64: unknown field "sha" in listeners.a.handler; its fields are wasm, sha256, config, batch, pauseAfter, limits, grants`},
		"a version that there is not": {withDigest, "informerd.dev/v9",
			`"informerd.dev/v9" is not an apiVersion; this informerd reads informerd.dev/v1alpha1 and informerd.dev/v1beta1`},
		"nothing": {"", Newest,
			"x.yaml: the configuration is empty; begin with apiVersion: informerd.dev/v1alpha1 and kind: Config"},
		"another object": {"apiVersion: v1\nkind: Pod\n", Newest,
			`x.yaml:1:13: apiVersion must be informerd.dev/v1alpha1, is "v1"; write apiVersion: informerd.dev/v1alpha1` + "\n" +
				`x.yaml:2:7: kind must be Config, is "Pod"; write kind: Config`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Convert("x.yaml", []byte(test.text), test.to)
			if err == nil || err.Error() != test.want {
				t.Errorf("got:\n%v\n%s\nwant:\n%s", err, got, test.want)
			}
		})
	}
}

// texts are the configurations and policies in the repository: files, what stories and pages have.
func texts(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	fence := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
	part := regexp.MustCompile(`(?m)^-- (\S+\.yaml) --\n`)
	add := func(path, text string) {
		if strings.Contains(text, "apiVersion: informerd.dev/") {
			found[path] = text
		}
	}
	for _, root := range []string{"../../configs", "../../docs", "../../README.md", "../e2e/testdata",
		"../author/templates", "../../bench", "../../dev", "../../plugins"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				if e != nil && e.Name() == "node_modules" {
					return fs.SkipDir
				}
				return err
			}
			data, err := os.ReadFile(path)
			text := string(data)
			switch filepath.Ext(path) {
			case ".yaml":
				add(path, text)
			case ".md":
				for i, block := range fence.FindAllStringSubmatch(text, -1) {
					add(document.Item(path, i), block[1])
				}
			case ".txtar":
				heads := part.FindAllStringSubmatchIndex(text, -1)
				for i, head := range heads {
					end := len(text)
					if i+1 < len(heads) {
						end = heads[i+1][0]
					}
					body := text[head[1]:end]
					if next := strings.Index(body, "\n-- "); next >= 0 {
						body = body[:next+1]
					}
					add(path+"/"+text[head[2]:head[3]], body)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// Every configuration in the repository means the same in both versions, and comes back as it was.
func TestConvertAllOfTheRepository(t *testing.T) {
	converted := 0
	for path, text := range texts(t) {
		now, err := Convert(path, []byte(text), Newest)
		var mistakes Errors
		if errors.As(err, &mistakes) && !strings.Contains(err.Error(), "convert") &&
			!strings.Contains(err.Error(), "mean the same") {
			continue // a part of one, or one that shows a mistake
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		converted++
		kind, was, err := meaning(path, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if _, is, err := meaning(path, now); err != nil || is != was {
			t.Errorf("%s means another thing: %v", path, err)
		}
		if err := schemaSays(t, kind, string(now)); err != nil {
			t.Errorf("%s: the JSON Schema refuses it: %v", path, err)
		}
		if got, want := strings.Count(string(now), "\n"), strings.Count(text, "\n"); got != want {
			t.Errorf("%s has %d lines, not %d", path, got, want)
		}
		if back, err := Convert(path, now, APIVersion); err != nil || string(back) != text {
			t.Errorf("%s does not come back: %v\n%s", path, err, back)
		}
	}
	if converted < 60 {
		t.Errorf("only %d were converted", converted)
	}
}

// A text that is converted means the same, has the same lines, and comes back to what it meant.
func FuzzConvert(f *testing.F) {
	for _, text := range []string{withDigest, withDigestNow, policyText, full,
		inBraces("config: &d "+hexDigest+", sha256: *d", APIVersion),
		inBraces("sha256: &d \""+hexDigest+"\", config: [*d]", APIVersion),
		inJSON(`"config": "\/\ud83d\ude00", "sha256": "`+hexDigest+`"`, APIVersion),
		crlf(withDigestNow), "\ufeff" + withDigest} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, newest bool) {
		to := APIVersion
		if newest {
			to = Newest
		}
		_, before, wrong := meaning("x.yaml", []byte(text))
		now, err := Convert("x.yaml", []byte(text), to)
		if err != nil {
			return
		}
		if wrong != nil {
			t.Fatalf("converted although %v", wrong)
		}
		_, after, err := meaning("x.yaml", now)
		if err != nil || before != after {
			t.Fatalf("%v\n%s\nmeans\n%s\nand not\n%s", err, now, after, before)
		}
		if got, want := strings.Count(string(now), "\n"), strings.Count(text, "\n"); got != want {
			t.Errorf("%d lines, not %d", got, want)
		}
		if again, err := Convert("x.yaml", now, to); err != nil || string(again) != string(now) {
			t.Errorf("a second time: %v\n%s", err, again)
		}
	})
}
