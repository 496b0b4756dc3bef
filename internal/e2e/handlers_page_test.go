package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

var handlersPage = filepath.Join(root(), "docs", "writing-handlers.md")

// TestWritingHandlers follows docs/writing-handlers.md from its beginning to its end, as a reader
// would:
//
//   - console blocks are run. The page's output must match, except for what varies (see varies) and
//     for "…", which matches any number of lines. A command without output on the page may print
//     anything. It must succeed, unless the page shows that make or informerd reports an error.
//   - informerd run continues in the background. Its output on the page is its log; its standard
//     output must be exactly the events of the json blocks. An event may be shown in part. At the
//     end of the chapter it is stopped by a signal.
//   - diff blocks are applied, and yaml blocks whose first line is a comment with a path are
//     written to that file.
//   - go and ts blocks must occur in a file of the project.
//
// Each chapter, from one heading "## " to the next, starts in the folder where the page started.
//
// kubectl is a substitute: see kubectl_test.go. The AssemblyScript compiler is the repository's,
// not one from the network; without it that chapter is skipped or, with GUESTS=required, fails.
func TestWritingHandlers(t *testing.T) {
	needs(t)
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(handlersPage)
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	for name, script := range standIns(t) {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"+script),
			0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "KUBECONFIG="+c.kubeconfig(),
		"PATH="+programs+":"+os.Getenv("PATH"),
		"GOFLAGS=", "GOWORK=off", "MAKEFLAGS=", "MAKELEVEL=", "MFLAGS=", "GIT_CEILING_DIRECTORIES="+
			programs)
	dir := t.TempDir()
	ran := 0
	for _, chapter := range chapters(string(text)) {
		if len(chapter.blocks) == 0 {
			continue
		}
		ran++
		t.Run(chapter.title, func(t *testing.T) {
			if strings.Contains(chapter.text, "$ informerd plugin new --lang go") {
				needsCompiler(t, missing("go"), "Go")
			}
			if strings.Contains(chapter.text, "$ informerd plugin new --lang as") {
				needsCompiler(t, missing("node") || absent(compilerOfAS()),
					"node and the compiler of AssemblyScript: make asc")
			}
			r := &reader{t: t, env: env, dir: dir, logs: t.TempDir()}
			defer r.end()
			for _, b := range chapter.blocks {
				r.follow(b)
			}
			r.stop()
			t.Logf("its commands took %v", r.took.Round(time.Second))
		})
	}
	if ran < 2 {
		t.Errorf("only %d chapters have something to do", ran)
	}
}

// needsCompiler skips the test if the compiler is missing, unless GUESTS=required.
func needsCompiler(t *testing.T, missing bool, what string) {
	t.Helper()
	switch {
	case missing && os.Getenv("GUESTS") == "required":
		t.Fatalf("GUESTS=required: it needs %s", what)
	case missing:
		t.Skipf("it needs %s", what)
	}
}

// standIns returns scripts that shadow the programs of the same names.
func standIns(t *testing.T) map[string]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"informerd": fmt.Sprintf("exec '%s' \"$@\"\n", informerdBin()),
		"kubectl":   fmt.Sprintf("%s=1 exec '%s' \"$@\"\n", asKubectl, self),
		"npm":       fmt.Sprintf("test \"$*\" = ci && ln -s '%s' node_modules\n", compilerOfAS()),
	}
}

func compilerOfAS() string {
	return filepath.Join(root(), "plugins", "sdk", "assemblyscript", "node_modules")
}

func missing(program string) bool { _, err := exec.LookPath(program); return err != nil }
func absent(path string) bool     { _, err := os.Stat(path); return err != nil }

// chapter is a part of the page, with its blocks.
type chapter struct {
	title, text string
	blocks      []block
}

// block is a fenced block.
type block struct {
	language, text string
	line           int // line number on the page of its first line
}

var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func chapters(page string) []chapter {
	var all []chapter
	line := 1
	for i, text := range strings.Split("\n"+page, "\n## ") {
		title, _, _ := strings.Cut(text, "\n")
		c := chapter{title: title, text: text}
		if i == 0 {
			line-- // for the line added before it
		}
		for _, m := range fenced.FindAllStringSubmatchIndex(text, -1) {
			c.blocks = append(c.blocks,
				block{text[m[2]:m[3]], text[m[4]:m[5]], line + strings.Count(text[:m[4]], "\n")})
		}
		all = append(all, c)
		line += strings.Count(text, "\n") + 1
	}
	return all
}

// reader follows a chapter.
type reader struct {
	t       *testing.T
	env     []string
	dir     string // the current folder
	logs    string
	running *process // an informerd run
	events  int      // of running, shown so far
	took    time.Duration
}

func (r *reader) follow(b block) {
	r.t.Helper()
	switch b.language {
	case "console":
		for _, c := range typedIn(b) {
			r.command(c)
		}
	case "diff":
		apply := exec.Command("git", "apply", "-")
		apply.Dir, apply.Env, apply.Stdin = r.dir, r.env, strings.NewReader(b.text)
		if said, err := apply.CombinedOutput(); err != nil {
			r.fatal(b.line, "git apply: %v\n%s", err, said)
		}
	case "yaml":
		first, _, _ := strings.Cut(b.text, "\n")
		if path, ok := strings.CutPrefix(first, "# "); ok {
			if err := os.WriteFile(filepath.Join(r.dir, path), []byte(b.text), 0o600); err != nil {
				r.fatal(b.line, "%v", err)
			}
		}
	case "json":
		r.event(b)
	case "go", "ts":
		r.checkInProject(b)
	case "dockerfile": // there is no Docker
	default:
		r.fatal(b.line, "unknown kind of block: %s", b.language)
	}
}

func (r *reader) fatal(line int, format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("%s:%d: "+format, append([]any{handlersPage, line}, args...)...)
}

// checkInProject checks that the project contains the block.
func (r *reader) checkInProject(b block) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "*."+b.language))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), b.text) {
			return
		}
	}
	r.fatal(b.line, "none of %v has\n%s", files, b.text)
}

// typed is a command of a console block, with the output on the page.
type typed struct {
	text, shown string
	line        int
}

func typedIn(b block) []typed {
	var all []typed
	for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
		if text, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, typed{text: text, line: b.line + i})
		} else if len(all) > 0 {
			all[len(all)-1].shown += line + "\n"
		}
	}
	return all
}

var reportsError = regexp.MustCompile(`(?m)^(make|informerd): `)

// run runs a command, and returns what it writes.
func (r *reader) run(text string) (said string, err error) {
	sh := exec.CommandContext(r.t.Context(), "sh", "-ec", text)
	sh.Dir, sh.Env = r.dir, r.env
	began := time.Now()
	out, err := sh.CombinedOutput()
	r.took += time.Since(began)
	return string(out), err
}

func (r *reader) command(c typed) {
	r.t.Helper()
	if folder, ok := strings.CutPrefix(c.text, "cd "); ok {
		r.dir = filepath.Join(r.dir, folder)
		if absent(r.dir) {
			r.fatal(c.line, "there is no %s", r.dir)
		}
		return
	}
	if strings.HasPrefix(c.text, "informerd run ") {
		r.start(c)
		return
	}
	said, err := r.run(c.text)
	for n := 0; n < 5 && strings.Contains(said, ": it ran longer than "); n++ {
		// A guest's time limit is 100 ms on the clock, of which a busy machine may leave it
		// nothing.
		r.t.Logf("%s: again, after\n%s", c.text, said)
		said, err = r.run(c.text)
	}
	if fails := reportsError.MatchString(c.shown); fails != (err != nil) {
		r.fatal(c.line, "%s: %v; fails on the page: %v\n%s", c.text, err, fails, said)
	}
	if c.shown != "" && !shows(c.shown, string(said)) {
		r.fatal(c.line, "$ %s\nprints\n%s\nbut on the page\n%s\nWithout what varies, that is\n%s\nbut on the page\n%s",
			c.text, said, c.shown, masked(string(said)), masked(c.shown))
	}
}

// varies matches what may differ between runs and machines: times, durations, sizes, fuel,
// fractions, and numbers so large that they have commas.
var varies = regexp.MustCompile(
	`\d{4}-\d\d-\d\dT[0-9:.]+Z|\(cached\)|(?:\d+m)?\b\d[\d,.]*\s?(?:ns|us|ms|s|[KM]i?B)\b|\b\d[\d,]*\.\d+\b|\b\d{1,3}(?:,\d{3})+\b|\b\d+ fuel\b`)

var spaces = regexp.MustCompile(`[ \t]+`)

func masked(text string) string {
	return spaces.ReplaceAllString(varies.ReplaceAllString(strings.Trim(text, "\n"), "#"), " ")
}

// shows reports whether the page shows what was printed.
func shows(shown, printed string) bool {
	var pattern strings.Builder
	for line := range strings.SplitSeq(masked(shown), "\n") {
		if line == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(line) + `\n`)
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(masked(printed) + "\n")
}

// start runs informerd in the background, and waits until its log matches the page.
func (r *reader) start(c typed) {
	r.t.Helper()
	if r.running != nil {
		r.fatal(c.line, "an informerd is already running")
	}
	p := &process{cmd: exec.Command("sh", "-ec", "exec "+c.text), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = r.dir, r.env
	var err error
	if p.out, err = newStream(filepath.Join(r.logs, "out")); err == nil {
		p.err, err = newStream(filepath.Join(r.logs, "err"))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	if err := p.start(); err != nil {
		r.t.Fatal(err)
	}
	r.running, r.events = p, 0
	if err := p.await(p.err, func(lines string) error {
		if !shows(c.shown, lines) {
			return fmt.Errorf("$ %s\nlogs\n%s\nbut on the page\n%s", c.text, lines,
				c.shown)
		}
		return nil
	}); err != nil {
		r.fatal(c.line, "%v", err)
	}
}

// event waits for the next event of the running informerd.
func (r *reader) event(b block) {
	r.t.Helper()
	var shown map[string]any
	if err := json.Unmarshal([]byte(b.text), &shown); err != nil {
		r.fatal(b.line, "%v", err)
	}
	if r.running == nil {
		r.fatal(b.line, "no informerd is running")
	}
	err := r.running.await(r.running.out, func(string) error {
		found, err := r.written()
		if err != nil || len(found) <= r.events {
			return cmp.Or(err, fmt.Errorf("informerd wrote %d events, want at least %d",
				len(found), r.events+1))
		}
		return nil
	})
	if err != nil {
		r.fatal(b.line, "%v; its log is\n%s", err, r.running.written())
	}
	found, _ := r.written()
	for field, want := range shown {
		got, there := found[r.events][field]
		switch field {
		case "id", "time", "uid", "resourceversion", "oldresourceversion": // different each time
			there = there && reflect.TypeOf(got) == reflect.TypeOf(want)
		default:
			there = there && reflect.DeepEqual(got, want)
		}
		if !there {
			r.fatal(b.line, "the event has %s %v, but %v on the page; it is\n%s", field, got, want,
				pretty(found[r.events]))
		}
	}
	r.events++
}

// written returns the events so far about pods of the namespace that the page uses. Scripts have
// pods in their own namespaces.
func (r *reader) written() ([]map[string]any, error) {
	lines, _ := r.running.out.lines()
	var found []map[string]any
	for line := range strings.Lines(lines) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		if subject, _ := event["subject"].(string); strings.HasPrefix(subject, "pods/default/") {
			found = append(found, event)
		}
	}
	return found, nil
}

// stop ends informerd, if it is running, and compares all that it wrote with the page.
func (r *reader) stop() {
	r.t.Helper()
	if r.running == nil {
		return
	}
	if err := r.running.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	select {
	case <-r.running.done:
	case <-time.After(patience):
		r.t.Fatalf("informerd is still running; its log is\n%s", r.running.written())
	}
	if found, err := r.written(); err != nil || len(found) != r.events ||
		!r.running.cmd.ProcessState.Success() {
		r.t.Errorf("informerd ended with %v and wrote %d events, where the page shows %d (%v); its log is\n%s",
			r.running.cmd.ProcessState, len(found), r.events, err, r.running.written())
	}
}

func (r *reader) end() {
	if r.running != nil {
		r.running.kill()
	}
}
