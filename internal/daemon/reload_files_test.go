package daemon

import (
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/filewatch"
)

// Files that only a configuration with mistakes names are watched: mending them is enough.
func TestFilesOfAWrongConfigurationAreWatched(t *testing.T) {
	const head = "outputs: {out: {stdout: {}}}\n"
	const listeners = "listeners:\n  pods: {informer: {resource: pods}, outputs: [out]}\n"
	d := startReloadable(t, head+listeners, kubernetesWith(t, teamsAndPods()))
	dir := filepath.Dir(d.path)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(n int) {
		t.Helper()
		d.log.waitForLines(t, n, "the configuration is not reloaded")
	}
	d.out.waitForLines(t, 3, "/listeners/pods")
	const policy = "apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: {resource: configmaps}\n"
	write("new.yaml", policy+"rules: [{name: r, deny: 'true', nonsense: 1}]\n")
	d.write(t, head+"policies: [{files: new.yaml, outputs: [out]}]\n"+listeners)
	refused(1)
	write("new.yaml", policy+"rules: [{name: r, deny: 'true'}]\n")
	d.log.waitFor(t, `reason="its files have changed" changes="listener new added"`)

	d.write(t, head+listeners+
		"  handled: {informer: {resource: pods}, handler: {wasm: new.wasm}, outputs: [out]}\n"+
		"  wrong: {informer: {resource: pods}, outputs: [none]}\n")
	refused(2)
	write("new.wasm", "not a module") // the other mistake remains
	refused(3)
	d.write(t, head+listeners+
		"  handled: {informer: {resource: pods}, handler: {wasm: new.wasm}, outputs: [out]}\n")
	refused(4)
	wasm, err := hex.DecodeString(passGuest)
	if err != nil {
		t.Fatal(err)
	}
	write("new.wasm", string(wasm))
	d.log.waitFor(t, `changes="listener handled added; listener new removed"`)
	d.stop(t)
}

// What changes after it was read, and before the daemon watches it, is not missed: the
// configuration, a policy and a module.
func TestChangesBetweenReadingAndWatching(t *testing.T) {
	const policy = "apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: {resource: pods}\n" +
		"rules: [{name: r, deny: '%s'}]\n"
	const text = reloadHead + "outputs: {out: {stdout: {}}}\n" +
		"policies: [{files: p.yaml, outputs: [out]}]\nlisteners:\n" +
		"  handled: {informer: {resource: pods}, handler: {wasm: m.wasm}, outputs: [out]}\n" +
		"  pods: {informer: {resource: pods}, workers: 1, outputs: [out]}\n"
	module := func(guest string) string {
		wasm, err := hex.DecodeString(guest)
		if err != nil {
			t.Fatal(err)
		}
		return string(wasm)
	}
	for name, c := range map[string]struct{ text, want string }{
		"c.yaml": {strings.Replace(text, "workers: 1", "workers: 2", 1),
			"listener pods changed (workers)"},
		"p.yaml": {fmt.Sprintf(policy, "false"), "listener p changed (rules)"},
		"m.wasm": {module(dropGuest), "listener handled changed (handler)"},
	} {
		d := &reloadable{path: filepath.Join(t.TempDir(), "c.yaml")}
		write := func(name, text string) {
			path := filepath.Join(filepath.Dir(d.path), name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Error(err)
			}
		}
		write("c.yaml", text)
		write("p.yaml", fmt.Sprintf(policy, "true"))
		write("m.wasm", module(passGuest))
		files := &filewatch.Watcher{}
		files.Set(config.FilesOf(d.path))
		d.started = startWith(t, d.config(t), kubernetesWith(t, teamsAndPods()),
			func(d *started, o *Options) {
				o.Files = files
				o.Log = slog.New(slog.NewTextHandler(&onLine{to: &d.log, line: "msg=started",
					do: func() { write(name, c.text) }}, nil))
			})
		d.log.waitFor(t, `reason="its files have changed" changes="`+c.want+`"`)
		d.stop(t)
	}
}

// onLine does something before a line is logged.
type onLine struct {
	to   io.Writer
	line string
	do   func()
}

func (w *onLine) Write(text []byte) (int, error) {
	if strings.Contains(string(text), w.line) {
		w.do()
	}
	return w.to.Write(text)
}

// A value that a handler is given from a file is read again when the file changes.
func TestValuesOfHandlersAreWatched(t *testing.T) {
	v := &volume{dir: t.TempDir()}
	v.put(t, map[string]string{"token": "one"})
	d := startReloadable(t, "outputs: {out: {stdout: {}}}\nlisteners:\n"+
		"  still: {informer: {resource: pods}, outputs: [out]}\n"+
		"  pods:\n    informer: {resource: pods}\n    outputs: [out]\n    handler:\n      wasm: "+
		writeGuest(t, passGuest)+"\n      limits: {deadline: 20s}\n      grants:\n        http:\n"+
		"          allow: [\"https://hooks.example.com/x\"]\n"+
		"          headers: {Authorization: {fromFile: "+filepath.Join(v.dir, "token")+"}}\n",
		kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 3, "/listeners/pods")
	for n, token := range []string{"two", "three"} {
		v.put(t, map[string]string{"token": token})
		d.log.waitForLines(t, n+1,
			`reason="its files have changed" changes="listener pods changed (handler)"`)
	}
	v.put(t, map[string]string{"other": "x"})
	d.log.waitFor(t, "the configuration is not reloaded, and nothing has changed")
	d.stop(t)
	if s := d.log.String(); strings.Contains(s, "three") {
		t.Error("the value is logged")
	}
}

// volume is a folder in which files appear as in the volume of a ConfigMap: all at once, as another
// target of a link.
type volume struct {
	dir string
	n   int
}

func (v *volume) put(t *testing.T, files map[string]string) {
	t.Helper()
	v.n++
	in := func(name string) string { return filepath.Join(v.dir, name) }
	data := fmt.Sprint("..", v.n)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(in(data), 0o700))
	for name, text := range files {
		must(os.WriteFile(filepath.Join(in(data), name), []byte(text), 0o600))
	}
	must(os.Symlink(data, in("..data_tmp")))
	must(os.Rename(in("..data_tmp"), in("..data")))
	for name := range files {
		if _, err := os.Lstat(in(name)); err != nil {
			must(os.Symlink("..data/"+name, in(name)))
		}
	}
	links, err := filepath.Glob(in("[^.]*"))
	must(err)
	for _, link := range links {
		if files[filepath.Base(link)] == "" {
			must(os.Remove(link))
		}
	}
	if v.n > 1 {
		must(os.RemoveAll(in(fmt.Sprint("..", v.n-1))))
	}
}

// The volume of a ConfigMap is exchanged over and over, with its policies.
func TestAVolumeIsExchanged(t *testing.T) {
	v := &volume{dir: t.TempDir()}
	config := reloadHead + "outputs: {out: {stdout: {}}}\npolicies: [{files: 'p-*.yaml', outputs: [out]}]\n"
	policy := func(deny string) string {
		return "apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: {resource: pods}\n" +
			"rules: [{name: r, deny: '" + deny + "'}]\n"
	}
	v.put(t, map[string]string{"c.yaml": config, "p-a.yaml": policy("true")})
	d := &reloadable{path: filepath.Join(v.dir, "c.yaml")}
	d.started = start(t, d.config(t), kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 3, "/listeners/p-a")
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"c.yaml": config, "p-a.yaml": policy("false")},
			`changes="listener p-a changed (rules)"`},
		{map[string]string{"c.yaml": config, "p-a.yaml": policy("false"),
			"p-b.yaml": policy("true")}, `changes="listener p-b added"`},
		{map[string]string{"c.yaml": config, "p-b.yaml": policy("true")},
			`changes="listener p-a removed"`},
		{map[string]string{"c.yaml": config, "p-b.yaml": policy("nonsense(")}, `mistakes=1`},
		{map[string]string{"p-b.yaml": policy("true")}, `no such file`},
		{map[string]string{"c.yaml": config, "p-b.yaml": policy("1 == 1")},
			`changes="listener p-b changed (rules)"`},
	} {
		v.put(t, c.files)
		eventually(t, func() error {
			for line := range strings.Lines(d.log.String()) {
				if strings.Contains(line, `reason="its files have changed"`) &&
					strings.Contains(line, c.want) {
					return nil
				}
			}
			return fmt.Errorf("want %s:\n%s", c.want, d.log.String())
		})
	}
	d.stop(t)
}
