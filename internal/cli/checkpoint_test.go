package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/keeper"
)

// What is shown of a checkpoint fits in its lines, whatever a configuration has in it.
func TestWriteCheckpoint(t *testing.T) {
	now := time.Now()
	shown := shownCheckpoint{Summary: &keeper.Summary{Bytes: 1234,
		Committed: now.Add(-3 * time.Hour),
		Informers: []keeper.InformerSummary{
			{Resource: "pods", Namespace: "shop", LabelSelector: "a=b", FieldSelector: "c=d",
				Version: "77", Objects: 5, Listeners: []string{"a", "b"}},
			{Resource: "nodes"}},
		Listeners: []keeper.ListenerSummary{
			{Name: "a", Unfinished: 1, Behind: 12, Unsent: map[string]int{"out": 2, "hook": 1},
				Violations: 3},
			{Name: "b\nb"}}}}
	const rest = `
INFORMER                       OBJECTS  VERSION  LISTENERS
pods in shop with a=b with c=d 5        77       a, b
nodes                          0        -        ` + `
LISTENER UNFINISHED BEHIND      VIOLATIONS UNSENT
a        1 object   12 versions 3          hook 1, out 2
b\nb     0 objects  0 versions  0          -
`
	for want, running := range map[string]*admin.Checkpoint{
		"no informerd runs": nil,
		"informerd runs, and has not added anything so far": {},
		"informerd runs, and all but the last 2m is in it":  {Current: now.Add(-2 * time.Minute)},
		`informerd runs without it, since 2m ago: disk\x1b full`: {
			Current: now.Add(-2 * time.Minute), Failed: "disk\x1b full"},
	} {
		shown.Running = running
		var b strings.Builder
		if err := shown.write(&b); err != nil {
			t.Fatal(err)
		}
		want = "1234 bytes, last written 3h ago\n" + want + "\n" + rest
		if got := b.String(); spaced(got) != spaced(want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// spaced returns the lines of a text with one space between words.
func spaced(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if all := strings.Fields(line); len(all) > 0 {
			lines = append(lines, strings.Join(all, " "))
		}
	}
	return strings.Join(lines, "\n")
}
