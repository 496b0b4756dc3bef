package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
)

// onDisk writes files below a new folder, and returns the folder and what Parse says to a
// configuration in it that names the pattern.
func onDisk(t *testing.T, files map[string]string) (dir string,
	load func(pattern string) (*Config, error)) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir, func(pattern string) (*Config, error) {
		return Parse(filepath.Join(dir, "x.yaml"),
			[]byte(strings.Replace(withPolicies, "p/*.yaml", fmt.Sprintf("%q", pattern), 1)))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

// A mounted ConfigMap: files are links into a folder that changes, and that folder is not meant by
// *.
func TestPoliciesOfAMountedConfigMap(t *testing.T) {
	dir, load := onDisk(t, map[string]string{"p/..2026/a.yaml": policyText,
		"p/..2026/b": policyText})
	for link, target := range map[string]string{"..data": "..2026", "a.yaml": "..data/a.yaml",
		"b": "..data/b"} {
		if err := os.Symlink(target, filepath.Join(dir, "p", link)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := load("p/*")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Listeners["a"].Policy, filepath.Join(dir, "p/a.yaml"); got != want ||
		c.Listeners["b"] == nil || len(c.Listeners) != 3 {
		t.Errorf("policy is %s, want %s; listeners %v", got, want, c.Listeners)
	}
}

func TestPatternsOfFolders(t *testing.T) {
	// The configuration's own folder is a name, not a pattern.
	_, load := onDisk(t, map[string]string{"p/a.yaml": policyText, "q/b.yaml": policyText,
		"q/c/d.yaml": policyText})
	for pattern, want := range map[string]int{"p/a.yaml": 1, "*/*.yaml": 2, "./p/../q/*.yaml": 1,
		"[pq]/?.yaml": 2, "*/*/*": 1} {
		if c, err := load(pattern); err != nil || len(c.Listeners) != want+1 {
			t.Errorf("%s: %v, want %d policies", pattern, err, want)
		}
	}
	dir := filepath.Join(t.TempDir(), `a[b]*?\c`)
	write(t, filepath.Join(dir, "p/a.yaml"), policyText)
	c, err := Parse(filepath.Join(dir, "x.yaml"), []byte(withPolicies))
	if err != nil || c.Listeners["a"].Policy != filepath.Join(dir, "p/a.yaml") {
		t.Errorf("in a folder with a strange name: %v", err)
	}
}

// What is no file is refused, and nothing waits for a pipe's writer.
func TestWhatIsNoPolicyFile(t *testing.T) {
	dir, load := onDisk(t, map[string]string{"p/a.yaml": policyText, "p/sub/b.yaml": policyText})
	p := filepath.Join(dir, "p")
	if err := syscall.Mkfifo(filepath.Join(p, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"device": "/dev/zero", "gone": "nowhere",
		"loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(p, link)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := load("p/*")
	expect(t, err, p+"/device: the policy cannot be read: is not a regular file\n"+
		p+"/gone: the policy cannot be read: no such file or directory\n"+
		p+"/loop: the policy cannot be read: too many levels of symbolic links\n"+
		p+"/pipe: the policy cannot be read: is not a regular file\n"+
		p+"/sub: the policy cannot be read: is a folder\n"+
		strings.TrimSuffix(p, "/p")+"/x.yaml: not loaded because of that: "+p+"/a.yaml")
	_, err = load("p/none.yaml")
	expect(t, err, dir+`/x.yaml:11:12: policies[0].files matches no file: "p/none.yaml"`)
	_, err = load("p/sub")
	expect(t, err, dir+`/x.yaml:11:12: policies[0].files must be the path of a file or a pattern, is the folder "p/sub"`)
	_, err = load("./")
	expect(t, err, dir+`/x.yaml:11:12: policies[0].files must be the path of a file or a pattern, is the folder "./"`)
	_, err = load("p/a.yaml/*")
	expect(t, err, dir+`/x.yaml:11:12: policies[0].files matches no file: "p/a.yaml/*"`)
	_, err = load("p/loop/*")
	expect(t, err, dir+`/x.yaml:11:12: policies[0].files: `+p+
		`/loop cannot be read: too many levels of symbolic links`)
	_, err = load(strings.Repeat("x", 300) + "/*")
	expect(t, err, dir+`/x.yaml:11:12: policies[0].files: `+
		filepath.Join(dir, strings.Repeat("x", 300))+` cannot be read: file name too long`)
}

// Where informerd has no rights there may be policies, so it must not go on as if there were none.
func TestClosedFoldersAndFiles(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir, load := onDisk(t, map[string]string{"p/a.yaml": policyText, "q/b.yaml": policyText,
		"r/c.yaml": policyText})
	p, q, r := filepath.Join(dir, "p"), filepath.Join(dir, "q"), filepath.Join(dir, "r/c.yaml")
	for path, mode := range map[string]os.FileMode{p: 0, q: 0o400, r: 0} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
	}
	place := dir + "/x.yaml:11:12: policies[0].files: "
	for pattern, want := range map[string]string{
		"p/*.yaml":   place + p + " cannot be read: permission denied",
		"p/a.yaml":   place + p + "/a.yaml cannot be read: permission denied",
		"p/*/a.yaml": place + p + " cannot be read: permission denied",
		"*/*.yaml":   place + p + " cannot be read: permission denied",
		"q/*.yaml":   q + "/b.yaml: the policy cannot be read: permission denied",
		"r/*.yaml":   r + ": the policy cannot be read: permission denied",
	} {
		t.Run(pattern, func(t *testing.T) {
			_, err := load(pattern)
			expect(t, err, want)
		})
	}
}

func TestLargePolicyFileIsNotReadInFull(t *testing.T) {
	dir, load := onDisk(t, map[string]string{"p/a.yaml": strings.Repeat("#", 2<<20)})
	_, err := load("p/*.yaml")
	expect(t, err, dir+"/p/a.yaml: the policy is larger than 1048576 bytes")
	data, err := disk{}.read(filepath.Join(dir, "p/a.yaml"))
	if err != nil || len(data) != document.MaxSize+1 {
		t.Errorf("read returns %d bytes, %v", len(data), err)
	}
}

// The files that a configuration names are known in spite of its mistakes.
func TestFilesOf(t *testing.T) {
	const head = "apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {stdout: {}}}\n"
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	write(t, filepath.Join(dir, "p", "wrong.yaml"), "apiVersion: informerd.dev/v1alpha1\n"+
		"kind: Policy\ninformer: {resource: pods}\nnonsense: 1\n")
	for text, want := range map[string]string{
		head + "listeners: {l: {informer: {resource: pods}, handler: {wasm: l.wasm, x: 1}, outputs: [none]}}\n": "c.yaml l.wasm",
		head + "policies: [{files: p/*.yaml, outputs: [none]}, {files: 7}, {files: q.yaml, outputs: [out]}]\n":  "c.yaml p/*.yaml q.yaml",
		head + "listeners: {l: {handler: {wasm: }}, m: , n: {handler: {wasm: n.wasm}}}\npolicies: 3\n":          "c.yaml n.wasm",
		head + "listeners: {l: {informer: {resource: pods}, handler: {wasm: l.wasm, grants: {http: {allow: [\"https://a.example.com\"], " +
			"headers: {A: {fromFile: a}, B: b, C: {fromFile: c}}}}}, outputs: [out]}}\n": "c.yaml l.wasm a c",
		head + "listeners: [":          "c.yaml",
		"kind: Deployment\n":           "c.yaml",
		"":                             "c.yaml",
		strings.Repeat("a: [\n", 5000): "c.yaml",
	} {
		write(t, path, text)
		var got []string
		for _, file := range FilesOf(path) {
			if rest, err := filepath.Rel(dir, file); err == nil {
				got = append(got, rest)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ngot %q, want %s", text, got, want)
		}
	}
	if got := FilesOf(filepath.Join(dir, "none")); len(got) != 1 {
		t.Errorf("of a file that is not there: %q", got)
	}
}

// What is read while something runs is a regular file: neither a pipe nor a device holds it up. At
// other times a pipe is read to its end.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "c.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe: "is not a regular file", "/dev/zero": "is not a regular file", dir: "is a folder",
		filepath.Join(dir, "gone"): "no such file or directory",
	} {
		_, err := Loading{Regular: true}.Load(path)
		expect(t, err, path+": the configuration cannot be read: "+want)
		if got := FilesOf(path); !slices.Equal(got, []string{path}) {
			t.Errorf("%s: %q", path, got)
		}
	}
	_, err := Load("/dev/zero")
	expect(t, err, "/dev/zero: the configuration is larger than 1048576 bytes")
	go func() { write(t, pipe, "kind: Deployment\n") }()
	if _, err := Load(pipe); err == nil || !strings.Contains(err.Error(), "kind must be Config") {
		t.Errorf("the pipe is not read: %v", err)
	}
}
