package memory

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// What outputs have of a violation is said with their names, as a note and as a verdict.
func TestRulesNameTheOutputs(t *testing.T) {
	rule := func(d rules.Definition) *rules.Rule {
		d.Name, d.Deny = "r", filters.Expression{Text: "true"}
		r, err := rules.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	once, hourly := rule(rules.Definition{}), rule(rules.Definition{Repeat: time.Hour})
	slow := rule(rules.Definition{For: 10 * time.Minute})
	since := time.Date(2020, 1, 1, 10, 3, 5, 7, time.UTC)
	now, taken := since.Add(4*time.Minute), since.Add(2*time.Minute)
	const note, verdict = "now rule r is violated since 2020-01-01T10:03:05Z, for 4m",
		"violated since 10:03:05Z (4m ago)"
	for _, c := range []struct {
		rule          *rules.Rule
		waits, has    rules.Receivers
		taken         time.Time
		noted, judged string
	}{
		{once, 0b1001, 0, time.Time{}, "; the report to alerts, chat is on its way, or waits.",
			"; the report to alerts, chat is on its way, or waits"},
		{once, 0b1000, 0b101, time.Time{},
			"; it was reported to alerts, mail; the report to chat is on its way, or waits.",
			", reported to alerts, mail; the report to chat is on its way, or waits"},
		{once, 0b10, 0, time.Time{}, "; no output has taken a report of that.",
			"; no output has taken a report of that"}, // it waits for one that is none any more
		{once, 0, 0, time.Time{}, "; no output has taken a report of that.",
			"; no output has taken a report of that"},
		{once, 0, 0b10, now, ", and was last reported 0s ago; it is not reported again.",
			", reported 0s ago; not reported again"},
		{once, 0, 0b1001, taken,
			", and was last reported to alerts, chat 2m ago; it is not reported again.",
			", reported to alerts, chat 2m ago; not reported again"},
		{hourly, 0, 0b1, taken, ", and was last reported to alerts 2m ago; it is reported again in 58m.",
			", reported to alerts 2m ago; again in 58m"},
		{hourly, 0, 0b1, now.Add(-2 * time.Hour),
			", and was last reported to alerts 2h ago; it is reported again in 0s.",
			", reported to alerts 2h ago; again in 0s"},
	} {
		m := RulesOf([]rules.Memory{{Rule: c.rule, Violated: true, Since: since, Waits: c.waits,
			Has: c.has, Taken: c.taken}}, []string{"alerts", "", "mail", "chat"})[0]
		if got := m.Noted(now); got != note+c.noted {
			t.Errorf("noted: %s, want %s", got, c.noted)
		}
		if got := m.Told(now); got != verdict+c.judged {
			t.Errorf("told: %s, want %s", got, c.judged)
		}
	}
	all := RulesOf([]rules.Memory{{Rule: slow, Since: since}}, nil)
	if got := all[0].Noted(now); got !=
		"now rule r waits: its deny holds since 2020-01-01T10:03:05Z, for 4m, and is reported when that has lasted for 10m." {
		t.Error(got)
	}
	m := all.Of("r")
	if m.Long(now) != "4m" || m.Left(now) != "6m" || m.Due(now) || !m.Due(since.Add(time.Hour)) {
		t.Errorf("%+v", m)
	}
	if got := m.Began(since.Add(25 * time.Hour)); got != "since 2020-01-01T10:03:05Z (25h ago)" {
		t.Error(got)
	}
	if all.Of("s") != nil {
		t.Error("another rule is remembered")
	}
}

// What commands get is the same when it has been JSON, which has nothing of what is not known.
func TestRulesAsJSON(t *testing.T) {
	since := time.Date(2020, 1, 1, 10, 3, 5, 0, time.UTC)
	for want, m := range map[string]Rule{
		`{"rule":"r","violated":false,"since":"2020-01-01T10:03:05Z","for":"10m","next":"2020-01-01T11:03:05Z"}`: {
			Rule: "r", Since: since, For: "10m", Next: since.Add(time.Hour)},
		`{"violated":true,"since":"2020-01-01T10:03:05Z","message":"m","to":["a"],"waiting":["b"],"reported":"2020-01-01T10:03:05Z"}`: {
			Violated: true, Since: since, Message: "m", To: []string{"a"}, Waiting: []string{"b"},
			Reported: since},
	} {
		text, err := json.Marshal(m)
		if err != nil || string(text) != want {
			t.Errorf("%v\n%s\nwant\n%s", err, text, want)
		}
		var back Rule
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%v: %+v, want %+v", err, back, m)
		}
	}
}
