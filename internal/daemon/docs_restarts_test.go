package daemon

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config"
)

// docWorld is an API server of pods, and a folder with a configuration, its state and what its
// output audit writes, in which one daemon runs after another.
type docWorld struct {
	*testing.T
	dir    string
	server *kubernetes
	pods   *modelServer
	uids   map[string]int // how often pods were created
	marks  int
	held   chan struct{} // until it is closed, watches are answered, but have no events; may be nil
}

func newDocWorld(t *testing.T) *docWorld {
	w := &docWorld{T: t, dir: t.TempDir(), pods: newModelServer(), uids: map[string]int{},
		server: &kubernetes{items: map[string][]string{"pods": nil}, asked: map[string]int{}}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	w.server.url = server.URL
	return w
}

// ServeHTTP answers for pods what the model has.
func (w *docWorld) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if !strings.HasSuffix(r.URL.Path, "/pods") || query.Has("sendInitialEvents") {
		w.server.ServeHTTP(to, r)
		return
	}
	to.Header().Set("Content-Type", "application/json")
	var body io.ReadCloser
	var err error
	if query.Has("watch") {
		body, err = w.pods.Watch(r.Context(),
			metav1.ListOptions{ResourceVersion: query.Get("resourceVersion")})
	} else {
		body, err = w.pods.List(r.Context(), metav1.ListOptions{})
	}
	if err != nil {
		to.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(to,
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`)
		return
	}
	defer func() { _ = body.Close() }()
	to.(http.Flusher).Flush()
	if query.Has("watch") && w.held != nil {
		select {
		case <-w.held:
		case <-r.Context().Done():
		}
	}
	for b := make([]byte, 4096); ; {
		n, err := body.Read(b)
		if _, failed := to.Write(b[:n]); err != nil || failed != nil {
			return
		}
		to.(http.Flusher).Flush()
	}
}

// set has a pod in a phase, or none of that name if the phase is empty. A pod that is created again
// is another one.
func (w *docWorld) set(name, phase string) {
	if phase == "" {
		w.pods.remove(name, false)
		return
	}
	if w.pods.objects[name] == "" {
		w.uids[name]++
	}
	w.pods.apply(name, fmt.Sprintf(
		`"metadata":{"namespace":"shop","name":%q,"uid":"%s-%d","resourceVersion":"%%d"},"status":{"phase":%q}`,
		name, name, w.uids[name], phase), false)
}

// docLine is what is shown of a line that the output has written.
type docLine struct {
	Type, Subject, ResourceVersion, Rule string
	Initial, Resumed                     bool
	text                                 string
}

// pod returns the name of the pod that it is about.
func (l docLine) pod() string { return l.Subject[strings.LastIndexByte(l.Subject, '/')+1:] }

// what returns what is said about the pod.
func (l docLine) what() string {
	switch kind := l.Type[strings.LastIndexByte(l.Type, '.')+1:]; kind {
	case "added":
		return "add"
	case "updated":
		return "update"
	case "deleted":
		return "delete"
	default:
		return kind + " " + l.Rule
	}
}

func (w *docWorld) audit() string { return filepath.Join(w.dir, "audit.jsonl") }

// written returns what the output has written.
func (w *docWorld) written() (all []docLine) {
	w.Helper()
	text, err := os.ReadFile(w.audit())
	if err != nil && !os.IsNotExist(err) {
		w.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		l := docLine{text: line}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			break // it is being written
		}
		all = append(all, l)
	}
	return all
}

// config returns a configuration in the folder.
func (w *docWorld) config(text string) *config.Config {
	w.Helper()
	path := filepath.Join(w.dir, "informerd.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	cfg, err := config.Parse(path, []byte(text))
	if err != nil {
		w.Fatal(err)
	}
	return cfg
}

// start starts a daemon.
func (w *docWorld) start(text string) *started {
	w.Helper()
	return start(w.T, w.config(text), w.server)
}

// mark changes a pod of its own, and returns when that has come.
func (w *docWorld) mark(d *started) {
	w.Helper()
	w.marks++
	name := fmt.Sprint("marker-", w.marks)
	w.set(name, "Running")
	eventually(w.T, func() error {
		if !slices.ContainsFunc(w.written(), func(l docLine) bool { return l.pod() == name }) {
			return fmt.Errorf("nothing came of %s\n%s", name, d.log.String())
		}
		return nil
	})
}

// life runs a daemon until there is nothing more for it to do, stops it, and returns what it has
// written. What happens after a mark was read after everything before it, and a worker that comes
// back for a mark has had time for what it does when nothing else is waiting.
func (w *docWorld) life(text string) (all []docLine) {
	w.Helper()
	return w.lifeWith(text, func(*started) {})
}

// lifeWith is life with what happens once the daemon has been started.
func (w *docWorld) lifeWith(text string, then func(*started)) (all []docLine) {
	w.Helper()
	if err := os.Remove(w.audit()); err != nil && !os.IsNotExist(err) {
		w.Fatal(err)
	}
	d := startWith(w.T, w.config(text), w.server, func(d *started, o *Options) {
		o.Log = slog.New(slog.NewTextHandler(&d.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	then(d)
	w.mark(d)
	w.caughtUp(d, text)
	for range 3 {
		w.mark(d)
	}
	d.stop(w.T)
	return slices.DeleteFunc(w.written(), func(l docLine) bool {
		return strings.HasPrefix(l.pod(), "marker")
	})
}

// caughtUp waits until a daemon has what happened while none ran.
func (w *docWorld) caughtUp(d *started, text string) {
	w.Helper()
	w.pods.bookmark()
	if !strings.Contains(text, "checkpoint: true") {
		return
	}
	eventually(w.T, func() error {
		log := d.log.String()
		if !strings.Contains(log, "the listener has caught up after the restart") &&
			!strings.Contains(log, "the listener begins: no checkpoint") {
			return fmt.Errorf("it has not caught up\n%s", log)
		}
		return nil
	})
}

// fates are what may happen to pods while no daemon runs: the phases before and after.
var fates = []struct {
	what, before string
	then         []string
}{
	{"nothing", "Running", nil},
	{"it changes", "Running", []string{"Succeeded"}},
	{"it changes twice", "Running", []string{"Failed", "Succeeded"}},
	{"it is deleted", "Running", []string{""}},
	{"it is created", "", []string{"Running"}},
	{"it is deleted and created again", "Running", []string{"", "Running"}},
	{"it is created and deleted", "", []string{"Running", ""}},
	{"it violates a rule, and still does", "Pending", nil},
	{"it violates a rule, and no longer does", "Pending", []string{"Running"}},
	{"it violates a rule, and is deleted", "Pending", []string{""}},
}

// restarted returns what comes of each fate after a restart, and all lines. With expired, the API
// server has forgotten its history by then.
func restarted(t *testing.T, text string, expired bool) (cells []string, all []docLine) {
	t.Helper()
	w := newDocWorld(t)
	pod := func(i int) string { return fmt.Sprint("web-", i) }
	for i, f := range fates {
		w.set(pod(i), f.before)
	}
	w.life(text)
	for i, f := range fates {
		for _, phase := range f.then {
			w.set(pod(i), phase)
		}
	}
	if expired {
		w.pods.expire()
	}
	all = w.life(text)
	for i := range fates {
		var cell []string
		for _, l := range all {
			if l.pod() != pod(i) {
				continue
			}
			what := "`" + l.what() + "`"
			switch {
			case l.Resumed:
				what += " (resumed)"
			case l.Initial:
				what += " (initial)"
			}
			cell = append(cell, what)
		}
		cells = append(cells, cellOf(cell))
	}
	return cells, all
}

func cellOf(cell []string) string {
	if len(cell) == 0 {
		return "nothing"
	}
	return strings.Join(cell, ", ")
}

// fatesTable is what comes after a restart, without and with a checkpoint.
func fatesTable(t *testing.T, text string) string {
	t.Helper()
	without, _ := restarted(t, replaced(t, text, "checkpoint: true", "checkpoint: false"), false)
	with, _ := restarted(t, text, false)
	listed, _ := restarted(t, text, true)
	var b strings.Builder
	b.WriteString("| while informerd is away | without a checkpoint | `checkpoint: true` | " +
		"the same, after a 410 |\n|---|---|---|---|\n")
	for i, f := range fates {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.what, without[i], with[i], listed[i])
	}
	return b.String()
}

// replaced returns a text with something else in it.
func replaced(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("there is no %q in\n%s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}

// otherwise are configurations with which a daemon goes on, as changes of the one before.
var otherwise = []struct{ what, from, to string }{
	{"nothing", "", ""},
	{"`filter`", `filter: "true"`, `filter: object.status.phase == "Running"`},
	{"a `select` is added", `filter: "true"`,
		`select: object.status.phase == "Running"` + "\n    filter: \"true\""},
	{"a rule is added", "    rules:\n",
		"    rules:\n      - {name: runs, deny: object.metadata.name == \"web\"}\n"},
	{"a rule is added that `gone` violated", "    rules:\n",
		"    rules:\n      - {name: runs, deny: object.metadata.name == \"gone\"}\n"},
	{"a rule is replaced by another one", "name: stuck", "name: waits"},
	{"the informer's scope: `namespaces`, selectors", ", namespaces: [shop]", ""},
	{"`drop` of the informer", "namespaces: [shop]", "namespaces: [shop], drop: [spec]"},
	{"the listener has another name", "  pods:\n", "  all-pods:\n"},
}

// otherwiseTable is what comes after a restart with another configuration.
func otherwiseTable(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| changed | at the next start |\n|---|---|\n")
	for _, o := range otherwise {
		w := newDocWorld(t)
		w.set("web", "Running")
		w.set("job", "Pending")
		w.set("gone", "Running")
		w.life(text)
		w.set("gone", "")
		all := w.life(replaced(t, text, o.from, o.to))
		slices.SortStableFunc(all, func(a, b docLine) int {
			return strings.Compare(a.pod(), b.pod())
		})
		var cell []string
		for _, l := range all {
			cell = append(cell, fmt.Sprintf("`%s` of %s", l.what(), l.pod()))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", o.what, cellOf(cell))
	}
	return b.String()
}
