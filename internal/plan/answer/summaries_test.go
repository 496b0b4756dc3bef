package answer

import (
	"fmt"
	"testing"
)

// Answers of which nothing comes are counted with their reasons, unless they are few.
func TestSummaries(t *testing.T) {
	of := func(i int, verdict, event string) *Answer {
		return &Answer{Listener: "pods", Object: Object{Kind: "Pod", Name: fmt.Sprint("web-", i)},
			Verdicts: []string{verdict}, Event: &Event{Stage: &Stage{Result: event,
				Outputs: []*Output{{Name: "o", Takes: "yes"}}}}}
	}
	on := func(listener string, a *Answer) *Answer {
		a.Listener = listener
		return a
	}
	perhaps := func(a *Answer) *Answer {
		a.IfSelected = true
		return a
	}
	open := func(a *Answer) *Answer {
		a.Rules = []*Rule{{Reported: None, Stage: &Stage{Result: "violated"}}}
		return a
	}
	varies := func(a *Answer, what string) *Answer {
		a.Varies = what
		return a
	}
	sent := of(1, "add -> out", "matches")
	for name, c := range map[string]struct {
		answers []*Answer
		want    string
	}{
		"few": {[]*Answer{sent, of(2, "add: does not match", "does-not-match")},
			"Pod \"web-1\": add -> out\nPod \"web-2\": add: does not match\n"},
		"many": {[]*Answer{of(2, "add: does not match", "does-not-match"), sent,
			of(3, "not selected", ""), of(4, "add: does not match", "does-not-match"),
			of(5, "add: does not match", "does-not-match"),
			{Object: Object{Kind: "Pod", Name: "web-5"}, Verdicts: []string{"cannot be told"},
				Missing: []string{"nodes"}}},
			"Pod \"web-1\": add -> out\nPod \"web-5\": cannot be told\n" +
				"nothing comes of 4: 3 × add: does not match; 1 × not selected\n" +
				"in all 6 answers about 5 objects: something comes of 1, nothing of 4, and 1 cannot be told\n"},
		"of several listeners": {[]*Answer{of(1, "a", "not-sent"), of(2, "a", "not-sent"),
			on("jobs", of(3, "a", "not-sent")), of(4, "a", "not-sent")},
			"nothing comes of 4: 3 × pods: a; 1 × jobs: a\n" +
				"in all 4 answers about 4 objects: something comes of 0, nothing of 4\n"},
		"of which something may come": {[]*Answer{sent, perhaps(of(2, "if it was selected: a", "matches")),
			of(3, "b", "not-sent"), of(4, "b", "not-sent")},
			"Pod \"web-1\": add -> out\nPod \"web-2\": if it was selected: a\nPod \"web-3\": b\nPod \"web-4\": b\n" +
				"in all 4 answers about 4 objects: something comes of 1, perhaps of 1, nothing of 2\n"},
		"of open violations": {[]*Answer{open(of(1, "violated since 1h", "not-sent")),
			of(2, "b", "not-sent"), of(3, "b", "not-sent"), of(4, "b", "not-sent"),
			of(5, "b", "not-sent")},
			"Pod \"web-1\": violated since 1h\nnothing comes of 4: 4 × b\n" +
				"in all 5 answers about 5 objects: something comes of 0, nothing of 5 (1 of them violates a rule as before)\n"},
		"without what varies": {[]*Answer{varies(of(1, "not yet (in 1m)", "not-sent"), " (in 1m)"),
			varies(of(2, "not yet (in 2m)", "not-sent"), " (in 2m)"), of(3, "b", "not-sent"),
			of(4, "b", "not-sent")},
			"nothing comes of 4: 2 × b; 2 × not yet\n" +
				"in all 4 answers about 4 objects: something comes of 0, nothing of 4\n"},
		"for many reasons": {[]*Answer{of(1, "a", "not-sent"), of(1, "b", "not-sent"),
			of(1, "c", "not-sent"), of(1, "d", "not-sent"), of(1, "e", "not-sent"),
			of(1, "f", "not-sent"), of(1, "g", "not-sent"), of(1, "h", "not-sent"),
			of(1, "i", "not-sent"), of(1, "j", "not-sent")},
			"nothing comes of 10: 1 × a; 1 × b; 1 × c; 1 × d; 1 × e; 1 × f; 1 × g; 1 × h; 2 for other reasons\n" +
				"in all 10 answers about 1 object: something comes of 0, nothing of 10\n"},
	} {
		s := Summaries{Several: name == "of several listeners"}
		for _, a := range c.answers {
			if a.Event != nil && a.Event.Result == "" {
				a.Event = nil
			}
			s.Add(a)
		}
		if s.String() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, s.String(), c.want)
		}
	}
}

// Where a message goes has few words.
func TestGoes(t *testing.T) {
	for _, c := range []struct {
		outputs []*Output
		want    string
	}{
		{[]*Output{{Name: "a", Takes: "yes"}, {Name: "b", Takes: "yes"}}, " -> a, b"},
		{[]*Output{{Name: "a", Takes: "no"}}, " -> no output (a does not take it)"},
		{[]*Output{{Name: "a", Takes: "no"}, {Name: "b", Takes: "no"}, {Name: "c", Takes: "perhaps"}},
			" -> no output (a, b do not take it; perhaps c)"},
		{[]*Output{{Name: "a", Takes: "yes"}, {Name: "b", Takes: "no"}, {Name: "c", Takes: "no"},
			{Name: "d", Takes: "perhaps"}, {Name: "e", Takes: "no", Fails: true}},
			" -> a (not b, c; perhaps d; it fails for e)"},
		{nil, " -> no output"},
	} {
		if got := Goes(c.outputs); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
