package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/deadletter"
)

var update = flag.Bool("update", false, "write docs/outputs.md and testdata/wrong.txt again")

var (
	console   = regexp.MustCompile("(?m)^```console\n((?:\\$ .*\n)+)((?s:.*?))^```$")
	file      = regexp.MustCompile("(?m)^```yaml\n# (\\S+\\.yaml)\n((?s:.*?))^```$")
	ageColumn = regexp.MustCompile(`(?m)^(ID +)AGE +`)
	age       = regexp.MustCompile(`(?m)^([0-9a-f]{16}  )\S+ +`)
)

// TestOutputsPage runs the commands about dead letters that docs/outputs.md shows, with a store
// that has three of them. A daemon of the test, which delivers what it replays, is there for those
// that need one. The rest of the page is checked by the test of that name in internal/daemon.
func TestOutputsPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "outputs.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	d := newDeadDaemon(t)
	for _, m := range file.FindAllStringSubmatch(text, -1) {
		if m[1] == "informerd.yaml" {
			d.write(m[1], m[2])
		}
	}
	d.fillFor(docLetters())
	d.reload = func() (admin.Changes, error) {
		return admin.Changes{{Kind: "listener", Name: "rollouts", Action: "changed",
			Fields: []string{"filter"}}}, nil
	}
	stop := d.run()
	defer stop()
	blocks := 0
	now := console.ReplaceAllStringFunc(text, func(block string) string {
		blocks++
		m := console.FindStringSubmatch(block)
		var out bytes.Buffer
		for command := range strings.Lines(m[1]) {
			args := docArgs(command)[1:]
			for i, arg := range args {
				if arg == "informerd.yaml" {
					args[i] = d.config
				}
			}
			Main(args, &out, &out)
		}
		got := ageColumn.ReplaceAllString(out.String(), "${1}AGE  ")
		got = age.ReplaceAllString(got, "${1}3h   ")
		if got != m[2] && !*update {
			t.Errorf("%s prints\n%s\nand not, as the page says (make docs updates it)\n%s", m[1],
				got, m[2])
		}
		return "```console\n" + m[1] + got + "```"
	})
	if blocks < 5 {
		t.Errorf("only %d commands were run", blocks)
	}
	if *update && now != text {
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// docArgs splits a command, with texts in single quotes.
func docArgs(command string) (args []string) {
	for i, part := range strings.Split(strings.TrimPrefix(strings.TrimSpace(command), "$ "), "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

// docLetters are the dead letters of the page.
func docLetters() (all []deadletter.Letter) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i, l := range []deadletter.Letter{
		{Namespace: "shop", Name: "web", Output: "hook", Reason: deadletter.Refused,
			Error: `400 Bad Request: "no such field: replicas"`, Attempts: 1},
		{Namespace: "pay", Name: "api", Output: "hook", Reason: deadletter.Refused,
			Error: `413 Request Entity Too Large`, Attempts: 1},
		{Namespace: "shop", Name: "cart", Reason: deadletter.HandlerFailed,
			Error: "the handler crashed: unreachable", Attempts: 5},
	} {
		l.Listener, l.Resource, l.Op, l.Cluster = "rollouts", "deployments.apps", "add", "prod-eu-1"
		l.First, l.Last, l.ResourceVersion = at, at, fmt.Sprint(17+i)
		l.UID = "uid-of-" + l.Name
		l.Object = fmt.Appendf(nil,
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"namespace":%q,"resourceVersion":%q},"spec":{"replicas":2}}`,
			l.Name, l.Namespace, l.ResourceVersion)
		if l.Output != "" {
			l.Message = fmt.Appendf(nil, `{"specversion":"1.0","id":"%d","data":{"replicas":2}}`, i)
		}
		all = append(all, l)
	}
	return all
}

// fillFor makes the store with letters, at the time of the page.
func (d *deadDaemon) fillFor(letters []deadletter.Letter) {
	if err := os.MkdirAll(filepath.Join(d.dir, "state"), 0o700); err != nil {
		d.Fatal(err)
	}
	synctest.Test(d.T, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)))
		store, err := deadletter.Open(deadletter.Config{Limits: deadletter.Limits{MaxAge: -1},
			Path: filepath.Join(d.dir, "state", deadletter.FileName)})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range letters {
			if _, err := store.Put(t.Context(), l); err != nil {
				t.Error(err)
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}
