package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/status"
)

var five = time.Date(2026, 3, 1, 17, 0, 0, 0, time.UTC)

// someStatus is one of three listeners, the n-th of a daemon.
func someStatus(n int) *status.Status {
	k, three := uint64(n), 3
	second := func(n int) time.Time { return five.Add(time.Duration(n) * time.Second) }
	return &status.Status{Time: second(n), Started: five.Add(-time.Hour),
		Version: "v1", Cluster: "prod\x1b[2J",
		Informers: []status.Informer{
			{Resource: "pods", Namespace: "shop", LabelSelector: "a=b", Synced: true, Objects: 12,
				MemoryBytes: 3 << 20, Events: 20 * k, Heard: second(n - 5), Lists: 1},
			{Resource: "nodes", Error: "forbidden\nby \x1b[31mRBAC"}},
		Listeners: []status.Listener{
			{Name: "hooks", Resource: "pods", State: status.Running, Written: 4 * k, Letters: 2,
				Events: map[string]uint64{"add": 8 * k, "update": 4 * k}, Refused: 6, Filtered: 7,
				Buffer: status.Buffer{Events: 5, OldestSeconds: 90},
				Outputs: []status.Output{{Name: "hook", Waiting: 7, Written: 4 * k, LagSeconds: 0.25,
					OldestSeconds: 61, Retried: 9}}},
			{Name: "judged", Resource: "pods", State: status.Running, Violations: &three,
				Outputs: []status.Output{{Name: "chat", Error: "503 \x1b[5m" + strings.Repeat("é", 100)}}},
			{Name: "nodes", Resource: "nodes", State: status.Failing,
				Reasons: []string{"may not list nodes"}}},
		DeadLetters: &status.DeadLetters{Letters: 2, Bytes: 2048, LimitBytes: 64 << 20},
		Stalled: []status.Stall{{Kind: "output", What: "hook\x1b[1m", Text: "it takes\u202e none",
			Since: second(n - 61)}, {Kind: "API server", Text: "it does not answer",
			Since: second(n - 61)}},
		Process: status.Process{MemoryBytes: 41 << 20, CPUSeconds: 0.1 * float64(n)}}
}

func TestStatusCommand(t *testing.T) {
	d := newDeadDaemon(t)
	d.expect("status", exitRun, "",
		"informerd: no informerd runs with this configuration: nothing answers at @/state/informerd.sock\n")
	d.expect("status --sort size", exitUsage, "", "informerd: --sort: unknown order \"size\"; "+
		"the orders are name, rate, waiting, age, trouble\n"+fmt.Sprintf(seeUsage, "status"))
	d.expect("status a b", exitUsage, "", "informerd: informerd status takes one listener, found \"b\" as well\n"+
		fmt.Sprintf(seeUsage, "status"))
	d.expect("status --over -1s", exitUsage, "", "informerd: --over -1s: it must not be negative\n"+
		fmt.Sprintf(seeUsage, "status"))
	d.expect("top --interval 1ms", exitUsage, "", "informerd: --interval 1ms: it must be at least 100ms\n"+
		fmt.Sprintf(seeUsage, "top"))
	d.fill()
	n := 0
	d.status = func() *status.Status { n++; return someStatus(n) }
	stop := d.run()
	defer func() { stop() }()
	long := strings.Repeat("é", 59)
	const head = "informerd v1, cluster prod\\x1b[2J, NOT READY, up 60m, 41.0 MiB of memory, 10 % of a core\n" +
		"2 dead letters, 2.0 KiB of 64.0 MiB\n" +
		"stalled for AGE: output hook\\x1b[1m: it takes\\u202e none\n" +
		"stalled for AGE: API server: it does not answer\n"
	table := `
INFORMER              OBJECTS  MEMORY   EVENTS/S  HEARD  LISTS  TROUBLE
pods in shop with a=b  12       3.0 MiB  20  AGE  1
nodes                  0        0 B      0         -      0      forbidden\nby \x1b[31mRBAC

LISTENER  STATE    EVENTS/S  SENT/S  WAITING  OLDEST  LETTERS  VIOLATIONS  TROUBLE
nodes     failing  0         0       0        -       0        -           may not list nodes
judged    running  0         0       0        -       0        3           output chat: 503 \x1b[5m` + long + `…
hooks     running  12        4       12  AGE  2        -
`
	compare := func(args string, code int, want string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := Main(append(strings.Fields(args), "--config", d.config), &out, &errs)
		words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
		text := strings.NewReplacer("90s", "AGE", "5s", "AGE", "61s", "AGE").Replace(out.String())
		if got != code || words(text) != words(want) || errs.Len() > 0 {
			t.Errorf("informerd %s: exit %d, want %d\n%swant\n%s\n%s", args, got, code, text, want,
				errs.String())
		}
	}
	compare("status --over 1ms", exitRun, head+table)
	compare("status --over 1ms hooks", exitRun, `
listener      hooks, of pods
state         running
events        add 32, update 16 (12/s)
kept from it  refused before the buffer 6, unselected 0, filtered 7, its own patches 0
matched       0
buffer        events 5, for a retry 0, marked 0, first list 0, on disk 0, oldest AGE
overflow      merged 0, dropped 0, waited 0
failures      of expressions 0, tried again 0, dead letters 0, 2 of them there now

OUTPUT  SENT/S  SENT  WAITING  OLDEST  LAG    RETRIED  MERGED  DROPPED  LETTERS
hook    4       16    7        AGE     250ms  9        0       0        0
`)
	d.expect("status nods", exitRun, "",
		"informerd: there is no listener \"nods\"; did you mean nodes?\n")
	compare("status --over 1ms --sort name --reverse --filter nod", exitRun, head+
		strings.Join([]string{table[:strings.Index(table, "nodes     failing")],
			"nodes failing 0 0 0 - 0 - may not list nodes\n"}, ""))
	var out, errs bytes.Buffer
	code := Main([]string{"status", "-o", "json", "-c", d.config}, &out, &errs)
	if code != exitRun || strings.Count(out.String(), "\n") != 1 ||
		!strings.Contains(out.String(), `"listeners":[{"name":"hooks"`) {
		t.Errorf("%d %s%s", code, &out, &errs)
	}
	out.Reset()
	code = Main([]string{"top", "--count", "2", "--interval", "100ms", "-c", d.config}, &out, &errs)
	if text := out.String(); code != exitOK || strings.Count(text, "LISTENER") != 2 ||
		!strings.HasPrefix(text, "2026-03-01T17:00:") || strings.ContainsRune(text, 0x1b) {
		t.Errorf("%d %s%s", code, text, &errs)
	}
	out.Reset()
	code = Main([]string{"top", "judged", "--count", "1", "--interval", "100ms", "-c", d.config}, &out,
		&errs)
	if text := out.String(); code != exitOK || !strings.Contains(text, "judged, of pods") {
		t.Errorf("%d %s%s", code, text, &errs)
	}
}

func newScreen() *screen {
	before, now := someStatus(1), someStatus(2)
	return &screen{view: view{sort: sortName, color: true}, status: now,
		rates: status.RatesOf(before, now)}
}

func TestKeysOfTop(t *testing.T) {
	for keys, want := range map[string]struct {
		contains, lacks string
		end             bool
	}{
		"":            {"order: name", "_", false},
		"q":           {"", "", true},
		"\x03":        {"", "", true},
		"ss":          {"order: waiting", "", false},
		"sssss":       {"order: name", "", false},
		"r":           {"order: name, reversed", "", false},
		"/nod":        {"filter: nod_", "judged", false},
		"/nod\r":      {"filter: nod ", "judged", false},
		"/nodx\x7f\r": {"filter: nod ", "judged", false},
		"/q":          {"filter: q_", "hooks", false},
		"/nod\x1b":    {"judged", "filter:", false},
		"\r":          {"hooks, of pods", "LISTENER", false},
		"j\r":         {"judged, of pods", "LISTENER", false},
		"jjjj\r":      {"nodes, of nodes", "LISTENER", false},
		"jjk\r":       {"judged, of pods", "LISTENER", false},
		"\r\x1b":      {"LISTENER", "of pods", false},
		"/zzz\r\r":    {"there is no listener", "", false},
	} {
		s := newScreen()
		end := false
		for _, k := range keys {
			if k == 0x1b {
				k = rune(keyEscape)
			}
			end = s.press(key(k))
		}
		text := strings.Join(s.lines(200, 40), "\n")
		if end != want.end || !strings.Contains(text, want.contains) ||
			want.lacks != "" && strings.Contains(text, want.lacks) {
			t.Errorf("%q: %t\n%s", keys, end, text)
		}
	}
}

// Whatever is pressed, and however small the terminal is, what is shown fits into it, and nothing
// of a name or an error is a command for it.
func TestTopFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScreen()
		for i := range rapid.IntRange(0, 100).Draw(t, "listeners") {
			s.status.Listeners = append(s.status.Listeners, status.Listener{Name: fmt.Sprint("l", i),
				State: rapid.SampledFrom([]string{status.Paused, status.Starting, "\x1b]0;x\a"}).Draw(t,
					"state"), Reasons: []string{"\x1b[2J\r\n" + strings.Repeat("日", 50)}})
		}
		s.view.color = rapid.Bool().Draw(t, "color")
		keys := rapid.SliceOfN(rapid.SampledFrom([]key{keyUp, keyDown, keyPageUp, keyPageDown,
			keyHome, keyEnd, keyEscape, keyEnter, keyBackspace, 's', 'r', '/', 'l', '1', 'é'}), 0,
			30).Draw(t, "keys")
		for _, k := range keys {
			width, height := rapid.IntRange(0, 120).Draw(t, "width"), rapid.IntRange(0,
				60).Draw(t, "height")
			lines := s.lines(width, height)
			if len(lines) > max(height, 1) {
				t.Fatalf("%d lines in %d", len(lines), height)
			}
			for _, line := range lines {
				bare := line
				for _, color := range []string{"0", "7", "31", "32", "33", "39", "0;7"} {
					bare = strings.ReplaceAll(bare, "\x1b["+color+"m", "")
				}
				if utf8.RuneCountInString(bare) > width || strings.ContainsAny(bare, "\x1b\r\n\a") {
					t.Fatalf("%q in %d", line, width)
				}
			}
			s.press(k)
		}
	})
}

func TestTheSelectedListenerStaysInSight(t *testing.T) {
	s := newScreen()
	for i := range 100 {
		s.status.Listeners = append(s.status.Listeners, status.Listener{Name: fmt.Sprint("m", 100+i),
			State: status.Running})
	}
	for i := range 150 {
		s.view.color = i%2 == 0
		text := strings.Join(s.lines(100, 20), "\n")
		if !strings.Contains(text, "\x1b[7m"+s.current()) {
			t.Fatalf("after %d keys %s is not in sight:\n%s", i, s.current(), text)
		}
		s.press(keyDown)
	}
}

func TestReadKeys(t *testing.T) {
	keys := make(chan key, 100)
	readKeys(context.Background(), strings.NewReader("q\x1b[A\x1bOB\x1b[5~\x1b[99~é\n\b\x1b"), keys)
	close(keys)
	var got []key
	for k := range keys {
		got = append(got, k)
	}
	want := []key{'q', keyUp, keyDown, keyPageUp, 'é', keyEnter, keyBackspace, keyEscape}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTextsForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB",
		150 << 10: "150 KiB", 3 << 40: "3.0 TiB", 9000 << 40: "9000 TiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "-", -1: "-", 0.0001: "1ms", 0.25: "250ms", 90: "90s",
		7200: "120m"} {
		if got := ageText(s); got != want {
			t.Errorf("%v: %s, want %s", s, got, want)
		}
	}
	for r, want := range map[float64]string{0: "0", 0.04: "0", 4: "4", 1.25: "1.2", 12.6: "13"} {
		if got := perSecond(r); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}
