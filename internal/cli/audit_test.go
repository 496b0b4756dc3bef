package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/audit"
)

func TestAuditCommand(t *testing.T) {
	d := newDeadDaemon(t)
	d.expect("audit pods", exitRun, "",
		"informerd: no informerd runs with this configuration: nothing answers at @/state/informerd.sock\n")
	d.expect("audit", exitUsage, "",
		"informerd: informerd audit takes the name of one listener, found 0; there are pods\n"+
			fmt.Sprintf(seeUsage, "audit"))
	d.expect("audit pods --wait 0s", exitUsage, "",
		"informerd: --wait 0s: it must be positive\n"+fmt.Sprintf(seeUsage, "audit"))
	d.fill()
	objects := []audit.Object{
		{Namespace: "shop", Name: "web\x1b[2J", Version: "9", Seen: "7", Outcome: "waiting",
			Reason: "buffer"},
		{Name: "node", Version: "8", Outcome: "dead letter"},
	}
	var counts map[string]int
	var fails error
	var options audit.Options
	d.audit = func(_ context.Context, listener string, o audit.Options,
		report func(audit.Object)) (audit.Summary, error) {
		if options = o; listener != "pods" {
			return audit.Summary{}, audit.Unknown(listener, []string{"pods"})
		}
		o.Progress(3)
		for _, o := range objects {
			report(o)
		}
		return audit.Summary{Listener: "pods", Objects: 3, Counts: counts, Seconds: 0.5}, fails
	}
	stop := d.run()
	defer func() { stop() }()
	counts = map[string]int{"waiting": 1, "dead letter": 1, "delivered": 1}
	const table = `OBJECT            VERSION  SEEN  OUTCOME      REASON
shop/web\x1b[2J   9        7     waiting      buffer
node              8        -     dead letter  `
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	show := func(args string, code int) string {
		t.Helper()
		var out, errs bytes.Buffer
		got := Main(append(strings.Fields(args), "--config", d.config), &out, &errs)
		if got != code || errs.Len() > 0 {
			t.Errorf("informerd %s: exit %d, want %d: %s", args, got, code, &errs)
		}
		return out.String()
	}
	const head = "pods: 3 objects: 1 delivered, 1 dead letter, 1 waiting"
	if got := show("audit pods", exitOK); words(got) != words(head+"\n"+table) {
		t.Errorf("got\n%s", got)
	}
	if got := show("audit pods --all --wait 3s", exitOK); words(got) != words(table+"\n"+head) ||
		!options.All || options.Patience.Seconds() != 3 {
		t.Errorf("got\n%s, %+v", got, options)
	}
	d.expect("audit pods -o json", exitOK,
		`{"namespace":"shop","name":"web\u001b[2J","version":"9","seen":"7","outcome":"waiting","reason":"buffer"}
{"name":"node","version":"8","outcome":"dead letter"}
{"listener":"pods","objects":3,"counts":{"dead letter":1,"delivered":1,"waiting":1},"seconds":0.5}
`, "")
	d.expect("audit pds", exitUsage, "", "informerd: there is no listener \"pds\"; did you mean pods?\n"+
		fmt.Sprintf(seeUsage, "audit"))

	// what was never seen is shown whatever else there is
	objects = nil
	for i := range maxAudited + 7 {
		objects = append(objects, audit.Object{Name: fmt.Sprint("p", i), Outcome: "waiting"})
	}
	objects = append(objects, audit.Object{Name: "gone", Deleted: true, Seen: "5",
		Outcome: "never seen", Reason: "lost"})
	counts = map[string]int{"never seen": 1}
	got := show("audit pods", exitRun)
	if lines := strings.Count(got, "\n"); lines != maxAudited+4 ||
		!strings.Contains(words(got), " gone deleted 5 never seen lost and 7 more; --all and -o") {
		t.Errorf("%d lines: %s", lines, got[len(got)-300:])
	}
	d.expect("audit pods -o json --all", exitRun, show("audit pods -o json --all", exitRun), "")
	fails = errors.New("the cluster cannot be listed: forbidden")
	d.expect("audit pods", exitRun, "", "informerd: the cluster cannot be listed: forbidden\n")
}
