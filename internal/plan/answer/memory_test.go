package answer

import (
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// A report that some outputs have, and others do not, is noted with their names.
func TestMemoriesNameTheOutputs(t *testing.T) {
	rule, err := rules.Compile(rules.Definition{Name: "r", Deny: filters.Expression{Text: "true"}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		waits, has rules.Receivers
		taken      time.Time
		want       string
	}{
		{0b1001, 0, time.Time{}, "; the report to alerts, chat is on its way, or waits."},
		{0b1000, 0b101, time.Time{},
			"; it was reported to alerts, mail; the report to chat is on its way, or waits."},
		{0b10, 0, time.Time{}, "; the report to an output is on its way, or waits."},
		{0, 0, time.Time{}, "; no output has taken a report of that."},
		{0, 0b1, now, ", and was last reported 0s ago; it is not reported again."},
	} {
		var a Answer
		a.Remember(Memories{Outputs: []string{"alerts", "", "mail", "chat"},
			Rules: []rules.Memory{{Rule: rule, Violated: true, Since: now, Waits: c.waits,
				Has: c.has, Taken: c.taken}}}, now)
		if len(a.Notes) != 1 || !strings.HasSuffix(a.Notes[0], "Z, for 0s"+c.want) {
			t.Errorf("%q, want %q", a.Notes, c.want)
		}
	}
}
