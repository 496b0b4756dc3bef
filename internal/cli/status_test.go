package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/status/statustest"
)

func TestStatusCommand(t *testing.T) {
	d := newDeadDaemon(t)
	d.expect("status", exitRun, "",
		"informerd: no informerd runs with this configuration: nothing answers at @/state/informerd.sock\n")
	d.expect("status a b", exitUsage, "", "informerd: informerd status takes one listener, found \"b\" as well\n"+
		fmt.Sprintf(seeUsage, "status"))
	d.expect("top --interval 1ms", exitUsage, "", "informerd: --interval 1ms: it must be at least 100ms\n"+
		fmt.Sprintf(seeUsage, "top"))
	d.fill()
	n := 0
	d.status = func() *status.Status { n++; return statustest.Some(n) }
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
	compare("status", exitRun, head+table)
	compare("status hooks", exitRun, `
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
