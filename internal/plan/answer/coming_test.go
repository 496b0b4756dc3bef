package answer

import (
	"strings"
	"testing"
)

// Nothing comes of an event only if that is certain, and something only if an output takes it, a
// handler gets it, or it fails.
func TestComes(t *testing.T) {
	takes := func(words ...string) (all []*Output) {
		for _, takes := range words {
			all = append(all, &Output{Takes: takes, Fails: takes == "fails"})
		}
		return all
	}
	stage := func(result string, outputs ...string) *Stage {
		return &Stage{Result: result, Outputs: takes(outputs...)}
	}
	event := func(result string, outputs ...string) *Event {
		return &Event{Stage: stage(result, outputs...)}
	}
	rules := func(reported string, outputs ...string) []*Rule {
		return []*Rule{{Reported: None, Stage: stage("")},
			{Reported: reported, Stage: stage("", outputs...)}}
	}
	for name, c := range map[string]struct {
		answer Answer
		want   Coming
	}{
		"of no stage":        {Answer{}, Nothing},
		"not watched":        {Answer{Unwatched: []string{"namespaces"}}, Nothing},
		"not selected":       {Answer{Select: stage("not-selected")}, Nothing},
		"no rule violated":   {Answer{Rules: rules(None), Event: event("not-sent")}, Nothing},
		"no match":           {Answer{Event: event("does-not-match")}, Nothing},
		"not wanted":         {Answer{Event: event("not-wanted")}, Nothing},
		"match, no output":   {Answer{Event: event("matches")}, Nothing},
		"match, not taken":   {Answer{Event: event("matches", "no", "no")}, Nothing},
		"match, perhaps":     {Answer{Event: event("matches", "no", "perhaps")}, Perhaps},
		"match, taken":       {Answer{Event: event("matches", "perhaps", "yes")}, Something},
		"match, fails":       {Answer{Event: event("matches", "no", "fails")}, Something},
		"missing":            {Answer{Missing: []string{"nodes"}}, Perhaps},
		"the select fails":   {Answer{Select: stage("failed")}, Something},
		"select unknown":     {Answer{Select: stage(Unknown)}, Something},
		"the filter fails":   {Answer{Event: event("failed")}, Something},
		"violated":           {Answer{Rules: rules(Now, "yes")}, Something},
		"violated for long":  {Answer{Rules: rules(Later, "yes")}, Something},
		"violated, not sent": {Answer{Rules: rules(Now, "no")}, Nothing},
		"if new":             {Answer{Rules: rules(IfNew, "yes")}, Perhaps},
		"if new, not sent":   {Answer{Rules: rules(IfNew, "no")}, Nothing},
		"resolved":           {Answer{Rules: rules(Resolved, "yes")}, Something},
		"resolved, perhaps":  {Answer{Rules: rules(Resolved, "perhaps")}, Perhaps},
		"resolved if open":   {Answer{Rules: rules(ResolvedIfAny, "yes")}, Perhaps},
		"again":              {Answer{Rules: rules(Again)}, Something},
		"again, not sent":    {Answer{Rules: rules(Again, "no")}, Nothing},
		"on its way":         {Answer{Rules: rules(OnItsWay)}, Something},
		"the rule fails":     {Answer{Rules: rules(Unknown)}, Something},
		"if selected":        {Answer{IfSelected: true, Event: event("matches", "yes")}, Perhaps},
		"if selected, none": {Answer{IfSelected: true, Event: event("does-not-match"),
			Otherwise: event("not-wanted")}, Nothing},
		"if not selected": {Answer{IfSelected: true, Event: event("does-not-match"),
			Otherwise: event("matches", "yes")}, Perhaps},
		"selected or not": {Answer{IfSelected: true, Event: event("matches", "yes"),
			Otherwise: event("matches", "yes")}, Something},
	} {
		if got := c.answer.Comes(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	handled := Answer{Event: &Event{Handler: "my.wasm", Stage: stage("matches")}}
	if handled.Comes() != Something {
		t.Error("nothing comes of what a handler gets")
	}
}

// What nothing comes of is left out of an answer with its text. Notes stay.
func TestOnlyComing(t *testing.T) {
	answer := func(event string) *Answer {
		a := &Answer{Op: "add", Object: Object{Kind: "Pod", Name: "web"}}
		a.Note("first")
		for _, name := range []string{"kept", "violated", "before"} {
			r := &Rule{Name: name, Reported: None, Stage: a.Begin()}
			if name == "violated" {
				r.Reported, r.Outputs = Now, []*Output{{Name: "o", Takes: "yes"}}
			}
			a.Rules = append(a.Rules, r)
			a.Line("rule %s", name)
			a.Note("of " + name)
			a.Say("It is %s.", name)
		}
		a.Event = &Event{Stage: a.Begin()}
		a.Event.Result, a.Event.Outputs = event, []*Output{{Name: "o", Takes: "yes"}}
		a.Say("The event %s.", event)
		return a
	}
	const rules = "\nNote: first\nNote: of kept\nrule violated\nNote: of violated\nIt is violated.\nNote: of before\n"
	for event, want := range map[string]string{"does-not-match": rules,
		"matches": rules + "The event matches.\n"} {
		a := answer(event)
		a.OnlyComing()
		var text strings.Builder
		if err := a.Write(&text); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(text.String(), want) || len(a.Rules) != 1 ||
			(a.Event != nil) != (event == "matches") {
			t.Errorf("%s:\n%s\nwant\n%s", event, text.String(), want)
		}
	}
}
