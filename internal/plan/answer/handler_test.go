package answer

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// A handler that may look objects up needs files that have them.
func TestTryHandlerThatLooksUp(t *testing.T) {
	l := &config.Listener{Name: "pods", Handler: &config.Handler{}}
	l.Handler.Grants.Cache = &config.CacheGrant{Informers: []string{"nodes", "namespaces"}}
	const want = "informerd plugin run -c c.yaml -l pods --cache nodes=OBJECTS --cache namespaces=OBJECTS --event a.yaml"
	if got := (Source{File: "a.yaml"}).TryHandler("c.yaml", l, "add", false); got != want {
		t.Errorf("got %s", got)
	}
}

// The command that shows what a handler does reads the object of the question, if it can.
func TestTryHandler(t *testing.T) {
	const run = "informerd plugin run -c c.yaml -l pods --event "
	live := Source{File: "pod.json", Get: "kubectl get pod web -n shop -o json", Old: "old.yaml"}
	for _, c := range []struct {
		source  Source
		op      string
		initial bool
		want    string
	}{
		{Source{}, "add", false, run + "OBJECT"},
		{Source{File: "a b/it's.yaml"}, "add", false, run + `'a b/it'\''s.yaml'`},
		{Source{File: "a.yaml", Old: "b.yaml"}, "update", false, run + "a.yaml --old b.yaml"},
		{Source{File: "a.yaml", Old: "b.yaml"}, "add", false, run + "a.yaml"},
		{live, "add", false, live.Get + " > pod.json && " + run + "pod.json"},
		{live, "update", false, live.Get + " > pod.json && " + run + "pod.json --old old.yaml"},
		{Source{File: live.File, Get: live.Get}, "delete", false, `(printf 'op: delete\nobject:\n'; ` + live.Get +
			` | sed 's/^/  /') | ` + run + "-"},
		{Source{File: "a.yaml", Old: "b c.yaml"}, "delete", false, // of what it was
			`(printf 'op: delete\nobject:\n'; sed '/^---/d; s/^/  /' 'b c.yaml') | ` + run + "-"},
		{Source{}, "delete", false,
			run + "EVENT (a file with op: delete, and the object as object)"},
		{Source{}, "add", true,
			run + "EVENT (a file with op: add and initial: true, and the object as object)"},
	} {
		if got := c.source.TryHandler("c.yaml", &config.Listener{Name: "pods"}, c.op, c.initial); got != c.want {
			t.Errorf("%+v, %s: %s\nwant %s", c.source, c.op, got, c.want)
		}
	}
}

// What is pasted into a shell makes an event of the object, in whichever form that is.
func TestTryHandlerMakesEvents(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct {
		text, op string
		initial  bool
		want     string
	}{
		"a.yaml": {"---\nkind: Pod\nmetadata:\n  name: web\n", "delete", false,
			"op: delete\nobject:\n  kind: Pod\n  metadata:\n    name: web\n"},
		"it's.json": {"{\"kind\":\n\"Pod\"}\n", "add", true,
			"op: add\ninitial: true\nobject:\n  {\"kind\":\n  \"Pod\"}\n"},
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		command := Source{File: path}.TryHandler("c.yaml", &config.Listener{Name: "pods"}, c.op, c.initial)
		command = strings.Replace(command, "informerd plugin run -c c.yaml -l pods --event -",
			"cat", 1)
		got, err := exec.Command("sh", "-c", command).CombinedOutput()
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", command, err, got, c.want)
		}
	}
}
