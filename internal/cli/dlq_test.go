package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/status"
)

// deadDaemon is a folder with a configuration and its dead letters.
type deadDaemon struct {
	*testing.T
	dir, config string
	ids         []string
	reload      func() (admin.Changes, error)
	status      func() *status.Status
}

func newDeadDaemon(t *testing.T) *deadDaemon {
	d := &deadDaemon{T: t, dir: t.TempDir()}
	d.config = filepath.Join(d.dir, "informerd.yaml")
	d.write("informerd.yaml", `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
listeners:
  pods: {informer: {resource: pods}, outputs: [out]}
outputs: {out: {stdout: {}}}
`)
	return d
}

func (d *deadDaemon) write(name, text string) string {
	d.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.Fatal(err)
	}
	return path
}

// fill makes the store with three letters.
func (d *deadDaemon) fill() {
	d.Helper()
	if err := os.MkdirAll(filepath.Join(d.dir, "state"), 0o700); err != nil {
		d.Fatal(err)
	}
	store := d.open()
	defer store.Close()
	for i, name := range []string{"a", "b", "c"} {
		object := fmt.Sprintf(
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","resourceVersion":"%d"}}`, name, i)
		l := deadletter.Letter{Listener: "pods", Output: "hook", Reason: deadletter.Refused,
			Error: "410 Gone:\n\x1b[31m<b>" + strings.Repeat("é", 200), Attempts: 1, Op: "add", Resumed: name == "a",
			Resource: "pods", Namespace: "shop", Name: name, ResourceVersion: fmt.Sprint(i),
			Object: []byte(object), Message: []byte(`{"id":"1","data":"<x>"}`)}
		if name == "b" {
			l.Output, l.Reason, l.Error = "", deadletter.HandlerFailed, ""
		}
		if _, err := store.Put(context.Background(), l); err != nil {
			d.Fatal(err)
		}
	}
	d.ids = nil
	for l := range store.List(context.Background(), deadletter.Query{Heads: true}) {
		d.ids = append(d.ids, l.ID)
	}
	store.Listener("pods").Delivered(deadletter.Delivery{Output: "hook", Resource: "pods",
		Namespace: "shop", Name: "c", ResourceVersion: "9"})
}

func (d *deadDaemon) open() *deadletter.Store {
	d.Helper()
	store, err := deadletter.Open(deadletter.Config{Path: filepath.Join(d.dir, "state",
		deadletter.FileName), Limits: deadletter.Limits{MaxAge: -1}})
	if err != nil {
		d.Fatal(err)
	}
	return store
}

// run serves the letters until the result is called.
func (d *deadDaemon) run() (stop func()) {
	d.Helper()
	store := d.open()
	socket, err := admin.Listen(filepath.Join(d.dir, "state"))
	if err != nil {
		d.Fatal(err)
	}
	replay := func(ctx context.Context, letters iter.Seq2[deadletter.Letter, error], module []byte, _ bool,
		report func(admin.Outcome)) error {
		for l, err := range letters {
			switch {
			case err != nil:
				return err
			case l.Superseded:
				report(admin.Outcome{ID: l.ID, Result: admin.Superseded})
				continue
			case l.Name == "b" && string(module) != "good":
				report(admin.Outcome{ID: l.ID, Result: admin.Failed, Error: "still\nbroken"})
				continue
			}
			if _, err := store.Delete(l.ID); err != nil {
				return err
			}
			report(admin.Outcome{ID: l.ID, Result: admin.Delivered})
		}
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- socket.Serve(ctx, admin.Functions{Letters: store, Filter: route.LetterFilter,
			Replay: replay,
			Reload: func(context.Context) (admin.Changes, error) { return d.reload() },
			Status: d.status,
		}, slog.New(slog.DiscardHandler))
	}()
	return func() {
		cancel()
		if err := errors.Join(<-ended, socket.Close(), store.Close()); err != nil {
			d.Error(err)
		}
	}
}

// expect runs a command and compares what it writes. In the texts, ID1 is the first letter's ID.
func (d *deadDaemon) expect(args string, code int, stdout, stderr string) {
	d.Helper()
	var out, errs bytes.Buffer
	fields := strings.Fields(args)
	for i := range fields {
		fields[i] = strings.ReplaceAll(fields[i], "_", " ")
	}
	got := Main(append(fields, "--config", d.config), &out, &errs)
	shown := func(b bytes.Buffer) string {
		text := strings.ReplaceAll(b.String(), d.dir, "@")
		for i, id := range d.ids {
			text = strings.ReplaceAll(text, id, fmt.Sprintf("ID%d", i+1))
		}
		text = regexp.MustCompile(`  \d+m?s +`).ReplaceAllString(text, "  AGE  ")
		return regexp.MustCompile(` +\n`).ReplaceAllString(text, "\n")
	}
	if got != code || shown(out) != stdout || shown(errs) != stderr {
		d.Errorf("informerd %s: exit %d, want %d\nstdout:\n%swant:\n%s\nstderr:\n%swant:\n%s", args,
			got, code, shown(out), stdout, shown(errs), stderr)
	}
}

const seeUsage = "Run \"informerd %s --help\" for its usage.\n"

var letterTable = "ID                AGE  LISTENER  OUTPUT  OBJECT       REASON               ATTEMPTS  ERROR\n" +
	"ID1  AGE  pods      hook    pods shop/a  refused              1         TEXT\n" +
	"ID2  AGE  pods      -       pods shop/b  handler-failed       1\n" +
	"ID3  AGE  pods      hook    pods shop/c  refused, superseded  1         TEXT\n"

func init() {
	letterTable = strings.ReplaceAll(letterTable, "TEXT",
		`"410 Gone:\n\x1b[31m<b>`+strings.Repeat("é", 62)+`…"`)
}

func TestDeadLetters(t *testing.T) {
	for _, running := range []bool{false, true} {
		t.Run(fmt.Sprint("running ", running), func(t *testing.T) {
			d := newDeadDaemon(t)
			if !running {
				d.expect("dlq ls", exitOK, "There are no such dead letters.\n", "")
			}
			d.fill()
			if running {
				defer d.run()()
			}
			d.expect("dlq ls", exitOK, letterTable, "")
			d.expect("dlq ls --reason handler-failed", exitOK,
				"ID                AGE  LISTENER  OUTPUT  OBJECT       REASON          ATTEMPTS  ERROR\n"+
					"ID2  AGE  pods      -       pods shop/b  handler-failed  1\n", "")
			d.expect("dlq ls --filter resumed", exitOK,
				"ID                AGE  LISTENER  OUTPUT  OBJECT       REASON   ATTEMPTS  ERROR\n"+
					strings.ReplaceAll(strings.Split(letterTable, "\n")[1], "refused            ",
						"refused")+"\n", "")
			d.expect("dlq ls --to other", exitOK, "There are no such dead letters.\n", "")
			d.expect("dlq drop --superseded --to other", exitOK, "dropped 0 dead letters\n", "")
			d.expect("dlq ls -l nodes", exitOK, "There are no such dead letters.\n", "")
			d.expect("dlq ls -l nodes -o json", exitOK, "", "")
			d.expect("dlq ls --older 1h", exitOK, "There are no such dead letters.\n", "")
			d.expect(`dlq ls --filter object.metadata.name_==_"x"`, exitOK,
				"There are no such dead letters.\n", "")
			d.expect(`dlq ls --filter object.metadata.name.x_==_1_and_quantity(object.metadata.name)_>_1`,
				exitOK, "There are no such dead letters.\n", "")
			d.expect("dlq drop ID 0123456789abcdef", exitRun, "",
				"informerd: there are no such dead letters: \"ID\" \"0123456789abcdef\"; informerd dlq ls lists them\n")
			d.expect("dlq show x", exitRun, "",
				"informerd: there are no such dead letters: \"x\"; informerd dlq ls lists them\n")
			d.expect(`dlq drop --filter op_==_"delete"`, exitOK, "dropped 0 dead letters\n", "")
			d.expect(`dlq drop --filter object.metadata.name_==_"a"`, exitOK,
				"dropped 1 dead letter\n", "")
			d.expect("dlq drop "+d.ids[2]+" "+d.ids[2], exitOK, "dropped 1 dead letter\n", "")
			d.expect("dlq drop --all", exitOK, "dropped 1 dead letter\n", "")
			d.expect("dlq ls", exitOK, "There are no such dead letters.\n", "")
		})
	}
}

// Letters of several clusters are listed with them, and selected by them.
func TestDeadLettersOfClusters(t *testing.T) {
	for _, running := range []bool{false, true} {
		d := newDeadDaemon(t)
		d.write("informerd.yaml", `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
clusters: {eu: {kubeconfig: eu.yaml}, us: {kubeconfig: us.yaml}}
listeners:
  pods: {informer: {resource: pods}, outputs: [out]}
outputs: {out: {stdout: {}}}
`)
		d.fill()
		store := d.open()
		for i, id := range d.ids {
			for l := range store.List(t.Context(), deadletter.Query{IDs: []string{id}}) {
				l.Cluster = []string{"eu", "us", ""}[i]
				_, err := store.Put(t.Context(), l)
				_, failed := store.Delete(id)
				if err := errors.Join(err, failed); err != nil {
					t.Fatal(err)
				}
			}
		}
		d.ids = nil
		for l := range store.List(t.Context(), deadletter.Query{Heads: true}) {
			d.ids = append(d.ids, l.ID)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if running {
			defer d.run()()
		}
		const head = "ID                AGE  CLUSTER  LISTENER  OUTPUT  OBJECT       REASON          ATTEMPTS  ERROR\n"
		d.expect("dlq ls --reason handler-failed", exitOK, head+
			"ID2  AGE  us       pods      -       pods shop/b  handler-failed  1\n", "")
		d.expect("dlq ls --cluster us", exitOK, head+
			"ID2  AGE  us       pods      -       pods shop/b  handler-failed  1\n", "")
		d.expect("dlq ls --cluster asia", exitOK, "There are no such dead letters.\n", "")
		d.expect("dlq drop --cluster eu", exitOK, "dropped 1 dead letter\n", "")
		d.expect("dlq drop --cluster eu --all", exitUsage, "",
			"informerd: --all selects all dead letters: leave out the IDs and the other selections\n"+
				fmt.Sprintf(seeUsage, "dlq drop"))
	}
}

func TestDeadLettersAsJSON(t *testing.T) {
	d := newDeadDaemon(t)
	d.fill()
	store := d.open()
	var want []string
	for l, err := range store.List(t.Context(), deadletter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(b))
	}
	store.Close()
	unescape := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">")
	defer d.run()()
	for _, args := range []string{"dlq ls -o json", "dlq show -o json " + d.ids[0]} {
		var out, errs bytes.Buffer
		if code := Main(append(strings.Fields(args), "-c", d.config), &out, &errs); code != exitOK {
			t.Errorf("%s: %d %s", args, code, errs.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		for i, line := range lines {
			if line != unescape.Replace(want[i]) {
				t.Errorf("%s:\n%s\nwant\n%s", args, line, want[i])
			}
		}
	}
	var out, errs bytes.Buffer
	Main([]string{"dlq", "show", d.ids[0], "-c", d.config}, &out, &errs)
	for _, want := range []string{"ID:        " + d.ids[0] + "\n",
		"\nObject:    pods shop/a\n", "\nResumed:   true\n", "\nError:     410 Gone:\\n\\x1b[31m<b>éé",
		"\n\nMessage:\n{\n  \"id\": \"1\",\n  \"data\": \"<x>\"\n}\n\nObject:\n{\n  \"apiVersion\""} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
}

// What an object says is not obeyed by a terminal.
func TestShownTextIsHarmless(t *testing.T) {
	l := deadletter.Letter{ID: "x", Name: "a\x1b[2J", Error: "x\u202e",
		Object: []byte("{\"a\":\"\u009b2J\x7f\u202eé\\u001b\"}")}
	var b bytes.Buffer
	if err := showLetter(&b, &l, false); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e {
			t.Errorf("there is a %q in\n%q", r, b.String())
		}
	}
	if !strings.Contains(b.String(), `"a": "\u009b2J\u007f\u202eé\u001b"`) {
		t.Errorf("%s", b.String())
	}
}

func TestReplayCommand(t *testing.T) {
	d := newDeadDaemon(t)
	d.fill()
	d.expect("dlq replay --all", exitRun, "", "informerd: "+admin.ErrNeedsDaemon.Error()+"\n")
	stop := d.run()
	defer func() { stop() }()
	d.expect("dlq replay --all", exitRun,
		"ID1 delivered\nID2 failed: \"still\\nbroken\"\nID3 superseded\n"+
			"replayed 3 dead letters: 1 delivered, 1 superseded, 1 failed\n"+
			"informerd dlq drop --superseded removes what was superseded\n",
		"informerd: 1 dead letter failed\n")
	d.expect("dlq replay "+d.ids[0], exitRun, "",
		"informerd: there are no such dead letters: \"ID1\"; informerd dlq ls lists them\n")
	good, empty := d.write("good.wasm", "good"), d.write("empty.wasm", "")
	d.expect("dlq replay --all --with "+empty, exitRun, "",
		"informerd: --with: @/empty.wasm is empty\n")
	d.expect("dlq replay --all --with "+d.dir+"/none", exitRun, "",
		"informerd: --with: open @/none: no such file or directory\n")
	d.expect("dlq replay --reason handler-failed --with "+good, exitOK,
		"ID2 delivered\nreplayed 1 dead letter: 1 delivered\n", "")
	d.expect("dlq replay --reason handler-failed", exitOK, "There are no such dead letters.\n", "")
	// Nobody is stuck with letters that will never be replayed.
	d.expect("dlq replay --all", exitOK, "ID3 superseded\nreplayed 1 dead letter: 1 superseded\n"+
		"informerd dlq drop --superseded removes what was superseded\n", "")
	d.expect("dlq drop --superseded", exitOK, "dropped 1 dead letter\n", "")
	d.expect("dlq ls", exitOK, "There are no such dead letters.\n", "")
}

// Mistakes on the command line are reported first, and nothing is done.
func TestDeadLetterUsage(t *testing.T) {
	d := newDeadDaemon(t)
	d.config += ".none"
	for _, test := range []struct{ args, want string }{
		{"dlq drop", "no dead letters were selected: name IDs, select by --cluster, --listener, --to, --reason, --older or --filter, or drop all with --all"},
		{"dlq replay", "no dead letters were selected: name IDs, select by --cluster, --listener, --to, --reason, --older or --filter, or replay all with --all"},
		{"dlq drop x --all", "--all selects all dead letters: leave out the IDs and the other selections"},
		{"dlq drop --all -l pods",
			"--all selects all dead letters: leave out the IDs and the other selections"},
		{"dlq ls x", `informerd dlq ls takes no arguments, found "x"`},
		{"dlq ls --reason refusd", `--reason: unknown reason "refusd"; did you mean refused?`},
		{"dlq ls --reason x", `--reason: unknown reason "x"; the reasons are filter-failed, rule-failed, handler-failed, handler-refused, refused, expired, output-removed, listener-removed`},
		{"dlq ls --older -1s", "--older -1s: it must be longer than 0"},
		{"dlq ls --filter op_=_1", "--filter: "},
		{"dlq ls --filter object.x_==_1_+", "--filter: the expression ends too early\n"},
		{"dlq ls -o yaml", `--output "yaml": it is text or json`},
		{"dlq show", "informerd dlq show takes one ID, found 0 arguments"},
	} {
		var out, errs bytes.Buffer
		args := strings.Fields(test.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		code := Main(append(args, "-c", d.config), &out, &errs)
		if code != exitUsage || !strings.HasPrefix(errs.String(), "informerd: "+test.want) ||
			out.Len() > 0 {
			t.Errorf("%s: %d\n%s%s", test.args, code, out.String(), errs.String())
		}
	}
	d.expect("dlq ls", exitConfig, "",
		"@/informerd.yaml.none: the configuration cannot be read: no such file or directory\n")
}

func TestReloadCommand(t *testing.T) {
	d := newDeadDaemon(t)
	d.expect("reload", exitRun, "",
		"informerd: no informerd runs with this configuration: nothing answers at @/state/informerd.sock; if one runs with another state.dir, that setting needs a restart\n")
	d.fill()
	stop := d.run()
	defer func() { stop() }()
	for _, test := range []struct {
		changes      admin.Changes
		err          error
		text, inJSON string
		code         int
		stderr       string
	}{
		{text: "nothing has changed\n"},
		{changes: admin.Changes{{Kind: "listener", Name: "pods", Action: "changed",
			Fields: []string{"filter", "outputs"}}, {Kind: "http", Action: "restarted"}},
			text:   "listener pods: changed filter, outputs\nhttp: restarted\n",
			inJSON: `{"kind":"listener","name":"pods","action":"changed","fields":["filter","outputs"]}` + "\n" + `{"kind":"http","action":"restarted"}` + "\n"},
		{err: config.Errors{{File: "x.yaml", Line: 1, Column: 2, Message: "wrong", Hint: "mend it"},
			{Message: "also wrong"}}, code: exitConfig,
			stderr: "x.yaml:1:2: wrong; mend it\ninformerd: also wrong\n"},
		{err: errors.New("no memory"), code: exitRun, stderr: "informerd: no memory\n"},
	} {
		d.reload = func() (admin.Changes, error) { return test.changes, test.err }
		d.expect("reload", test.code, test.text, test.stderr)
		d.expect("reload -o json", test.code, test.inJSON, test.stderr)
	}
	// The file has a mistake by now, and the daemon is found all the same.
	d.write("informerd.yaml", "kind: Config\nstate: {dir: state}\nlisteners: {pods: {fliter: x}}\n")
	d.expect("reload", exitRun, "", "informerd: no memory\n")
	d.write("informerd.yaml", "kind: Config\nstate: {dir: [state\n")
	d.expect("reload", exitConfig, "",
		"@/informerd.yaml:2:1: not YAML: did not find expected ',' or ']'\n  state: {dir: [state\n  ^\n")
	d.write("informerd.yaml", `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  pods: {informer: {resource: pods}, outputs: [out]}
outputs: {out: {stdout: {}}}
`)
	d.expect("reload", exitRun, "",
		"informerd: @/informerd.yaml has no state.dir, by which commands find a running informerd\n")
}
