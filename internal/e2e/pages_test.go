package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/pages"
)

// TestPages follows the pages of the documentation that have blocks with the word cluster, from
// their beginning to their end, as a reader with a cluster would. A page has a folder with the
// files that it names.
//
//   - console cluster: the commands are run, and print what the page shows. One that only looks,
//     such as informerd status or kubectl get, is repeated until it does.
//   - informerd run, watch and top go on in the background; the page shows what they print at
//     first. A block of that kind without a command is what the latest of them prints next. Lines
//     that the page does not show are left out. A last line ^C ends the command.
//   - json cluster: what a receiver has got next. The page's webhooks are sent to HOOK_URL, and
//     SLACK_URL, which the test provides. The members that are shown must be there.
//
// kubectl is a substitute: see kubectl_test.go.
func TestPages(t *testing.T) {
	needs(t)
	all, err := pages.All(root())
	if err != nil {
		t.Fatal(err)
	}
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, p := range all {
		if !slices.ContainsFunc(p.Blocks, onCluster) || p.Path == "docs/writing-handlers.md" {
			continue
		}
		ran++
		t.Run(p.Path, func(t *testing.T) {
			t.Parallel()
			followPage(t, c, p)
		})
	}
	if ran == 0 {
		t.Error("no page has a block for a cluster")
	}
}

func onCluster(b pages.Block) bool { return b.Has("cluster") }

// follower follows a page.
type follower struct {
	t         *testing.T
	page      *pages.Page
	dir       string
	env       []string
	processes []*shownProcess
	received  *pageReceiver
}

// shownProcess is a command that goes on in the background.
type shownProcess struct {
	*process
	text string
	seen int // how much of its output the page has shown
}

// pageReceiver is a server that webhooks are sent to.
type pageReceiver struct {
	mu     sync.Mutex
	bodies []string
}

func (r *pageReceiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body) // what is missing then, the page misses
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = append(r.bodies, string(body))
}

func followPage(t *testing.T, c *cluster, p *pages.Page) {
	f := &follower{t: t, page: p, dir: t.TempDir(), received: &pageReceiver{}}
	hook := httptest.NewServer(f.received)
	t.Cleanup(hook.Close)
	programs := t.TempDir()
	for name, script := range standIns(t) {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"+script),
			0o700); err != nil {
			t.Fatal(err)
		}
	}
	f.env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig(), "HOME="+f.dir,
		"PATH="+programs+":"+os.Getenv("PATH"), "HOOK_URL="+hook.URL, "SLACK_URL="+hook.URL)
	for _, name := range []string{"configs", "bin"} {
		if err := os.Symlink(filepath.Join(root(), name), filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	defer f.end()
	for _, b := range p.Blocks {
		switch {
		case b.Name != "" && !onCluster(b) && !strings.HasPrefix(b.Name, "configs/"):
			path := filepath.Join(f.dir, filepath.FromSlash(b.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(b.Text), 0o600); err != nil {
				t.Fatal(err)
			}
		case b.Language == "console" && onCluster(b):
			commands := b.Commands()
			for _, command := range commands {
				f.command(command)
			}
			if len(commands) == 0 {
				f.more(pages.Command{Line: b.Line, Shown: b.Text})
			}
		case b.Language == "json" && onCluster(b):
			f.message(b)
		}
	}
}

func (f *follower) fatalf(line int, format string, args ...any) {
	f.t.Helper()
	f.t.Fatalf("%s:%d: %s", f.page.Path, line, fmt.Sprintf(format, args...))
}

var (
	goesOn = regexp.MustCompile(`^informerd (run|watch|top)\b`)
	ends   = regexp.MustCompile(`--once|--dry-run|--print-config|--help`)
	looks  = regexp.MustCompile(
		`^(informerd (status|audit|dlq ls|dlq show|checkpoint|rbac check)|kubectl get|curl|cat|tail)\b`)
)

func (f *follower) command(c pages.Command) {
	f.t.Helper()
	if goesOn.MatchString(c.Text) && !ends.MatchString(c.Text) {
		f.start(c)
		return
	}
	deadline := time.Now().Add(patience)
	for {
		sh := exec.CommandContext(f.t.Context(), "sh", "-ec", c.Text)
		sh.Dir, sh.Env = f.dir, f.env
		out, err := sh.CombinedOutput()
		switch {
		case err != nil && c.Shown == "":
			f.fatalf(c.Line, "$ %s\n%v\n%s", c.Text, err, out)
		case c.Shown == "" || pages.Shows(c.Shown, string(out)):
			return
		case !looks.MatchString(c.Text) || time.Now().After(deadline):
			f.fatalf(c.Line, "$ %s\nprints\n%s\nbut on the page\n%s\n%s", c.Text, out, c.Shown,
				f.logs())
		}
		select {
		case <-time.After(200 * time.Millisecond): // between two looks
		case <-f.t.Context().Done():
			return
		}
	}
}

// start runs a command in the background, and waits for what the page shows of it.
func (f *follower) start(c pages.Command) {
	f.t.Helper()
	p := &shownProcess{text: c.Text, process: &process{
		cmd: exec.Command("sh", "-ec", "exec "+c.Text), done: make(chan struct{})}}
	p.cmd.Dir, p.cmd.Env = f.dir, f.env
	var err error
	if p.out, err = newStream(filepath.Join(f.t.TempDir(), "out")); err != nil {
		f.t.Fatal(err)
	}
	p.err = p.out // a terminal shows both
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.start(); err != nil {
		f.t.Fatal(err)
	}
	f.processes = append(f.processes, p)
	f.more(c)
}

// more waits until the latest command in the background has printed the lines of the page, in their
// order.
func (f *follower) more(c pages.Command) {
	f.t.Helper()
	if len(f.processes) == 0 {
		f.fatalf(c.Line, "no command is running that could print this")
	}
	p := f.processes[len(f.processes)-1]
	shown, interrupted := strings.CutSuffix(strings.TrimRight(c.Shown, "\n"), "^C")
	err := p.await(p.out, func(lines string) error {
		at := p.seen
		for want := range strings.Lines(shown) {
			if strings.TrimSpace(want) == "" || strings.TrimSpace(want) == "…" {
				continue
			}
			found := false
			for !found && at < len(lines) {
				line, _, _ := strings.Cut(lines[at:], "\n")
				at += len(line) + 1
				found = pages.Shows(timeless(want), timeless(line))
			}
			if !found {
				return fmt.Errorf("$ %s\nprinted\n%s\nwithout\n%s", p.text, lines, want)
			}
		}
		p.seen = at
		return nil
	})
	if err != nil {
		f.fatalf(c.Line, "%v", err)
	}
	if interrupted {
		f.stop(p, syscall.SIGINT)
		f.processes = f.processes[:len(f.processes)-1]
	}
}

var clock = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b|\btime=\S+ ?`)

// timeless returns a line without the time of the clock.
func timeless(line string) string { return clock.ReplaceAllString(line, "") }

// message waits until the next message that has what a block shows has arrived.
func (f *follower) message(b pages.Block) {
	f.t.Helper()
	err := eventually(func() error {
		f.received.mu.Lock()
		defer f.received.mu.Unlock()
		for _, body := range f.received.bodies {
			if pages.HasJSON(body, b.Text) {
				return nil
			}
		}
		return fmt.Errorf("none of these is like the page's:\n%s", strings.Join(f.received.bodies,
			"\n"))
	})
	if err != nil {
		f.fatalf(b.Line, "%v\n%s", err, f.logs())
	}
}

func (f *follower) logs() string {
	var b strings.Builder
	for _, p := range f.processes {
		lines, _ := p.out.lines()
		fmt.Fprintf(&b, "$ %s\n%s\n", p.text, lines)
	}
	return b.String()
}

// stop ends a command, which has to end without an error.
func (f *follower) stop(p *shownProcess, signal os.Signal) {
	f.t.Helper()
	if p.hasEnded() {
		f.t.Errorf("%s: $ %s has ended: %v", f.page.Path, p.text, p.cmd.ProcessState)
		return
	}
	_ = p.cmd.Process.Signal(signal)
	select {
	case <-p.done:
		if !p.cmd.ProcessState.Success() {
			f.t.Errorf("%s: $ %s ended with %v\n%s", f.page.Path, p.text, p.cmd.ProcessState,
				f.logs())
		}
	case <-time.After(patience):
		p.kill()
		f.t.Errorf("%s: $ %s does not end", f.page.Path, p.text)
	}
}

func (f *follower) end() {
	for _, p := range f.processes {
		if !p.hasEnded() {
			f.stop(p, syscall.SIGTERM)
		}
	}
}
