package restarts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
)

const (
	everything = "all" // the listener of everything, and its output
	ledgerFile = "two.jsonl"
	control    = "control"
	beats      = "beats" // the path of hearts
)

func third(p *pod) bool { return p.n%3 == 0 }
func high(p *pod) bool  { return p.n > 50 }
func each(*pod) bool    { return true }

// world is one child, the servers that it talks to, and the oracles of what it says.
type world struct {
	size
	name      string
	folder    string
	rand      *rand.Rand
	server    *server
	receivers *receivers
	followers []*follower
	control   *follower
	number    int // of the present life
	settings  settings

	writing sync.Mutex // held to keep the objects as they are
	ahead   int        // so many changes at most wait for the listener of everything
	wait    sync.WaitGroup
	stop    chan struct{}

	file   int64   // so much of the output's file was read
	lines  []entry // of it
	ids    ids
	faults map[string]int // so many of a kind
	shift  int            // worlds begin with different ones
	killed int
	past   []string       // what is known of lives that have ended
	ends   map[string]int // how lives have ended
	stats  stats
}

// stats are what is logged at the end.
type stats struct{ messages, resumed, again, missed, commits int }

// settings are what changes from life to life, and what reloads change.
type settings struct {
	drain    string
	mode     string
	workers  int
	capacity int
	guest    bool // one more listener
}

func newWorld(t *testing.T, s size, n int) *world {
	seed := s.seed + uint64(n)*1_000_003
	folder, err := os.MkdirTemp("", "restarts") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	w := &world{size: s, name: fmt.Sprint("world ", n), folder: folder,
		rand:   rand.New(rand.NewPCG(seed, 1)),
		server: newServer(t, seed), receivers: newReceivers(t, seed),
		stop: make(chan struct{}), ends: map[string]int{}, ahead: 50, shift: n * 2,
		faults: map[string]int{}, ids: ids{map[string]string{}, map[string]string{}}}
	w.receivers.version = w.server.last
	selected := func(p *pod) bool { return p.team == "a" }
	add := func(listener, output string, f follower) *follower {
		f.listener, f.output, f.server = listener, output, w.server
		f.keepsUIDs = true
		f.objects = map[string]*chain[known]{}
		f.reports = map[string]map[string]*chain[bool]{}
		f.unsent, f.taken = map[string]string{}, map[string]bool{}
		if f.selects == nil {
			f.selects = each
		}
		return &f
	}
	rules := map[string]func(*pod) bool{"third": third, "high": high}
	w.followers = []*follower{
		add(everything, everything, follower{made: true}),
		add("two", "two-hook", follower{}),
		add("two", ledgerFile, follower{}),
		add("small", "small", follower{}),
		add("picked", "picked", follower{selects: selected, made: true}),
		add("filtered", "filtered", follower{passes: func(p *pod) bool { return !third(p) },
			made: true}),
		add("judged", "judged", follower{rules: rules}),
		add("watched", "watched", follower{rules: map[string]func(*pod) bool{
			"third": func(p *pod) bool { return selected(p) && third(p) }}}),
	}
	w.control = add(control, control, follower{})
	w.write(t, "kubeconfig", "apiVersion: v1\nkind: Config\ncurrent-context: c\n"+
		"contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n"+
		"clusters: [{name: c, cluster: {server: \""+w.server.url+"\"}}]\n")
	for i := range s.objects {
		w.server.step(w.rand, i+1)
	}
	return w
}

// write writes a file as a whole.
func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.folder, name)
	if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

// checkpoint is the field of a listener.
var checkpoint = func() string {
	if _, ok := reflect.TypeFor[config.Listener]().FieldByName("Checkpoint"); !ok {
		return ""
	}
	return "checkpoint: true, "
}()

// configure writes the configuration.
func (w *world) configure(t *testing.T) {
	t.Helper()
	s := w.settings
	b := &strings.Builder{}
	p := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	p("apiVersion: informerd.dev/v1alpha1\nkind: Config\nstate: {dir: state}")
	p("shutdown: {drain: %s, close: 10s}\ninformers: {pods: {resource: pods}, others: "+
		"{resource: pods, labelSelector: team!=none}}\nlisteners:", s.drain)
	retry := "retry: {minBackoff: 5ms, maxBackoff: 100ms}"
	listener := func(name, more, outputs string) {
		p("  %s: {informer: pods, %s%s, outputs: [%s]%s}", name, checkpoint, retry, outputs, more)
	}
	listener(everything, fmt.Sprintf(", workers: %d, buffer: {capacity: %d}", s.workers,
		s.capacity), everything)
	listener("two", fmt.Sprintf(", workers: %d", s.workers), "two-hook, two-file")
	listener("small", ", buffer: {capacity: 4}", "small")
	listener("picked", `, workers: 2, select: 'label("team") == "a"'`, "picked")
	listener("filtered", `, filter: 'op == "delete" || object.spec.n % 3 != 0'`, "filtered")
	listener("judged", ", rules: [{name: third, deny: 'object.spec.n % 3 == 0'}, "+
		"{name: high, for: 1s, deny: 'object.spec.n > 50'}]", "judged")
	listener("watched", `, select: 'label("team") == "a"', `+
		"rules: [{name: third, deny: 'object.spec.n % 3 == 0'}]", "watched")
	if s.guest {
		listener("guest", "", "guest")
	}
	p("  %s: {informer: others, %s, outputs: [%s]}", control, retry, control)
	p("outputs:\n  two-file: {file: {path: %s, rotate: {size: 1Gi}}}",
		ledgerFile)
	for _, name := range []string{everything, "two-hook", "small", "picked", "filtered", "judged",
		"watched", "guest", control} {
		if name == "guest" && !s.guest {
			continue
		}
		data := `data: '{"n": object.spec.n}', `
		if name == "two-hook" {
			data = "" // what is merged is one event from the first state to the last
		}
		p("  %s: {%swebhook: {url: \"%s/%s\", timeout: 1m, %s, "+
			"headers: {X-Life: {fromEnv: %s}}}}", name, data, w.receivers.url, name, s.mode, childLife)
	}
	w.write(t, "c.yaml", b.String())
}

// draw draws the settings of a life.
func (w *world) draw() {
	w.settings = settings{drain: "1m", workers: 1 + w.rand.IntN(3),
		mode:     one(w.rand, []string{"mode: structured", "mode: batch, batch: {wait: 5ms}"}),
		capacity: one(w.rand, []int{20, 1024}), guest: w.rand.IntN(4) == 0}
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	w.server.streams, w.server.pages = w.rand.IntN(2) == 0, w.rand.IntN(2) == 0
	w.server.bookmarks = w.rand.IntN(2) == 0
}

// change changes objects until the world stops, as fast as the child takes them.
func (w *world) change() {
	random := rand.New(rand.NewPCG(w.seed, 2))
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
		w.writing.Lock()
		for range random.IntN(5) {
			if w.server.awaits.Load() || w.server.last()-w.receivers.heard() < w.ahead {
				w.server.step(random, w.objects)
			}
		}
		w.writing.Unlock()
	}
}

// away changes objects while there is no child. With unseen, the server forgets what happened.
func (w *world) away(changes int, unseen bool) {
	w.writing.Lock()
	defer w.writing.Unlock()
	from := w.server.last()
	for range changes {
		w.server.step(w.rand, w.objects)
	}
	if !unseen {
		return
	}
	w.server.compact()
	since, _ := w.server.after(from)
	last := map[string]change{}
	for _, c := range since {
		before, again := last[c.key()]
		switch last[c.key()] = c; {
		case c.after == nil:
			w.server.note("delete never announced")
		case again && before.after == nil:
			w.server.note("recreated, delete never announced")
		default:
			w.server.note("change never announced")
		}
	}
}

// read reads what is new in the output's file.
func (w *world) read(t *testing.T, l *life) {
	t.Helper()
	f, err := os.Open(filepath.Join(w.folder, ledgerFile))
	if err != nil {
		return // nothing was written yet
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, w.file, 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	begun := append(l.commits[:len(l.commits):len(l.commits)], l.begun)
	l.mu.Unlock()
	for text := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		w.file += int64(len(text))
		e := entry{life: l.number, outcome: taken, received: time.Now(), answered: time.Now(),
			beat: new(int)}
		*e.beat = l.beat()
		for _, c := range begun {
			if c.file >= w.file {
				*e.beat = c.begun
				break
			}
		}
		if err := json.Unmarshal(text, &e.message); err != nil {
			e.ID = "" // a part that a kill has left, which is the one thing that is not JSON
			continue
		}
		w.lines = append(w.lines, e)
	}
}
