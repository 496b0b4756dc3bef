package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// written returns the complete lines of a process's standard error.
func (p *process) written() string {
	lines, _ := p.err.lines()
	return lines
}

func expectLog(ts *testscript.TestScript, args []string) {
	p := storyOf(ts).process(ts, args[0])
	for _, pattern := range args[1:] {
		re := p.name(ts, pattern)
		ts.Check(p.await(p.err, func(lines string) error {
			if !re.MatchString(lines) {
				return fmt.Errorf("no line of %s.err matches %s; there is\n%s", args[0], pattern,
					lines)
			}
			return nil
		}))
	}
}

// expectLine waits for lines of standard output that are not events.
func expectLine(ts *testscript.TestScript, args []string) {
	p := storyOf(ts).process(ts, args[0])
	p.text = true
	for _, pattern := range args[1:] {
		re, err := regexp.Compile("(?m)" + pattern)
		ts.Check(err)
		ts.Check(p.await(p.out, func(lines string) error {
			if !re.MatchString(lines) {
				return fmt.Errorf("no line of %s.out matches %s; there is\n%s", args[0], pattern,
					lines)
			}
			return nil
		}))
	}
}

func allowLog(ts *testscript.TestScript, args []string) {
	p := storyOf(ts).process(ts, args[0])
	for _, pattern := range args[1:] {
		p.name(ts, pattern)
	}
}

// name records a pattern for log lines that the script expects or allows.
func (p *process) name(ts *testscript.TestScript, pattern string) *regexp.Regexp {
	re, err := regexp.Compile("(?m)" + pattern)
	ts.Check(err)
	p.named = append(p.named, re)
	return re
}

func noLog(ts *testscript.TestScript, args []string) {
	p := storyOf(ts).process(ts, args[0])
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	if match := re.FindString(p.written()); match != "" {
		ts.Fatalf("%s.err has %q:\n%s", args[0], match, p.written())
	}
}

// quiet matches the log lines that no script has to name. One of them is a warning: for a moment,
// an API server knows a new custom resource but does not serve it yet.
var quiet = regexp.MustCompile(
	`^(time=\S+ level=(INFO|DEBUG) |\{"time":"[^"]+","level":"(INFO|DEBUG)",|` +
		`time=\S+ level=WARN msg="cannot list or watch, will try again" .*error="failed to (list|watch) \S+: storage is \(re\)initializing" in=\S+\n?$)`)

// unnamed returns the lines of standard error that are warnings, errors or not log lines at all,
// and that match no pattern of the script.
func unnamed(lines string, named []*regexp.Regexp) (unexpected []string) {
next:
	for line := range strings.Lines(lines) {
		if quiet.MatchString(line) {
			continue
		}
		for _, re := range named {
			if re.MatchString(line) {
				continue next
			}
		}
		unexpected = append(unexpected, line)
	}
	return unexpected
}

// checkLogs fails a story whose processes logged unexpected lines, unless it has failed already.
func (s *story) checkLogs(t testing.TB) {
	if t.Failed() {
		return
	}
	for name, p := range s.processes {
		if lines := unnamed(p.written(), p.named); len(lines) > 0 {
			t.Errorf("%s.err has warnings or errors that the story does not name with expect-log or allow-log:\n%s", name, strings.Join(lines, ""))
		}
	}
}

func TestUnnamedLogLines(t *testing.T) {
	lines := `time=2026-01-02T03:04:05.678Z level=INFO msg=listening
time=2026-01-02T03:04:05.678Z level=WARN msg="event failed, will try again"
time=2026-01-02T03:04:05.678Z level=ERROR msg="event given up"
{"time":"2026-01-02T03:04:05.678Z","level":"INFO","msg":"level=ERROR"}
time=2026-01-02T03:04:05.678Z level=WARN msg="cannot list or watch, will try again" resource=a.b error="failed to watch a.b: storage is (re)initializing" in=1.7s
{"time":"2026-01-02T03:04:05.678Z","level":"ERROR","msg":"\"level\":\"INFO\","}
panic: level=INFO
`
	named := []*regexp.Regexp{regexp.MustCompile("(?m)level=WARN msg=.event failed.*again\"$")}
	got := strings.Join(unnamed(lines, named), "")
	want := `time=2026-01-02T03:04:05.678Z level=ERROR msg="event given up"
{"time":"2026-01-02T03:04:05.678Z","level":"ERROR","msg":"\"level\":\"INFO\","}
panic: level=INFO
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
