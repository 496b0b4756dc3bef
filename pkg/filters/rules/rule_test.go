package rules

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

func TestCompile(t *testing.T) {
	r, err := Compile(Definition{
		Name: "too-many", Severity: "high", For: time.Minute, Repeat: time.Hour,
		Deny: filters.Expression{Text: "object.n > 3", Listener: "pods"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Name() != "too-many" || r.Severity() != "high" || r.For() != time.Minute ||
		r.Repeat() != time.Hour {
		t.Errorf("got %s, %s, %s, %s", r.Name(), r.Severity(), r.For(), r.Repeat())
	}
	if asked := fmt.Sprint(r.Deny().Conditions().List); asked != "[n > 3]" || r.Message() != nil {
		t.Errorf("got %v, %v", asked, r.Message())
	}
}

func TestSeverityIsMediumIfNothingIsSaid(t *testing.T) {
	if r := rule(t, "a", "true", 0, 0); r.Severity() != "medium" {
		t.Errorf("got %s", r.Severity())
	}
}

func TestCompileErrors(t *testing.T) {
	const label = `the name must be a DNS label; use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`
	const severities = "severity must be info, low, medium, high or critical, is "
	here := func(s Definition) Definition {
		s.Deny = filters.Expression{Text: "true", File: "config.yaml", Line: 7, Listener: "pods"}
		if s.Name == "" {
			s.Name = "a"
		}
		return s
	}
	tests := []struct {
		source Definition
		want   string
	}{
		{here(Definition{Name: "No latest"}), `config.yaml: listener "pods": rule "No latest": ` +
			label},
		{here(Definition{Name: "a-"}), `config.yaml: listener "pods": rule "a-": ` + label},
		{here(Definition{Name: "-a"}), `config.yaml: listener "pods": rule "-a": ` + label},
		{here(Definition{Name: "a\n"}), `config.yaml: listener "pods": rule "a\n": ` + label},
		{here(Definition{Name: strings.Repeat("a", 64)}), `config.yaml: listener "pods": rule "` +
			strings.Repeat("a", 64) + `": ` + label},
		{Definition{}, `rule "": ` + label},
		{here(Definition{Severity: "hihg"}), `config.yaml: listener "pods": rule "a": ` +
			severities +
			`"hihg"; did you mean "high"?`},
		{here(Definition{Severity: "Critical"}), `config.yaml: listener "pods": rule "a": ` +
			severities + `"Critical"; did you mean "critical"?`},
		{here(Definition{Severity: "mediums"}), `config.yaml: listener "pods": rule "a": ` +
			severities + `"mediums"; did you mean "medium"?`},
		{here(Definition{Severity: "lo"}), `config.yaml: listener "pods": rule "a": ` + severities +
			`"lo"; did you mean "low"?`},
		{here(Definition{Severity: "inf0"}), `config.yaml: listener "pods": rule "a": ` +
			severities +
			`"inf0"; did you mean "info"?`},
		{here(Definition{Severity: "warning"}), `config.yaml: listener "pods": rule "a": ` +
			severities + `"warning"`},
		{here(Definition{Severity: "hhig"}), `config.yaml: listener "pods": rule "a": ` +
			severities +
			`"hhig"`},
		{here(Definition{For: -time.Second}),
			`config.yaml: listener "pods": rule "a": for must not be negative, is -1s; leave it out if a violation counts at once`},
		{here(Definition{Repeat: -1}),
			`config.yaml: listener "pods": rule "a": repeat must not be negative, is -1ns; leave it out to report a violation once`},
	}
	for _, tt := range tests {
		if r, err := Compile(tt.source); r != nil || err == nil || err.Error() != tt.want {
			t.Errorf("\n got %v\nwant %s", err, tt.want)
		}
	}
	if _, err := Compile(here(Definition{Name: strings.Repeat("a", 63)})); err != nil {
		t.Error(err)
	}
}

func TestMistakesInDenyHaveTheirPlace(t *testing.T) {
	_, err := Compile(Definition{Name: "too-many",
		Deny: filters.Expression{Text: "obejct.n > 3", File: "config.yaml", Line: 7, Column: 11}})
	var ce *filters.CompileError
	if !errors.As(err, &ce) || ce.Line != 7 || ce.Column != 11 {
		t.Fatalf("got %v", err)
	}
	if ce.Expression.Kind != filters.KindDeny || ce.Expression.Rule != "too-many" {
		t.Errorf("deny is compiled as kind %d of rule %q", ce.Expression.Kind, ce.Expression.Rule)
	}
}

func TestStates(t *testing.T) {
	if got := Violated.String() + " " + Resolved.String() + " " +
		State(0).String(); got != "violated resolved no state" {
		t.Errorf("got %s", got)
	}
}

// Nobody evades a rule with what its deny fails on, if that is to count: it begins and ends as any
// violation, with a message that says why.
func TestAFailureThatViolates(t *testing.T) {
	compiled, err := Compile(Definition{Name: "few", For: time.Second, FailureViolates: true,
		Deny: filters.Expression{Text: "object.n > 3", File: "config.yaml", Line: 7, Listener: "pods"}})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBook([]*Rule{compiled}, 1)
	e := b.Evaluator(nil)
	for i, step := range []struct{ fields, want string }{
		{`"n":1`, ""},
		{`"n":"five"`, "look after 1s"},
		{`"n":"six"`, "violated few of u since 1s: few cannot be decided, which counts as a violation: "},
		{`"n":5`, "violated few of u since 1s: few cannot be decided, which counts as a violation: "},
		{`"n":2`, ""}, // nobody took it, so that nobody has to learn of its end
	} {
		outcome := e.Evaluate(event.Event{Op: event.Update, Object: pod(t, "a", "u", step.fields)},
			begin.Add(time.Duration(i)*time.Second))
		if got := told(outcome); !strings.HasPrefix(got, step.want) || step.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", step.fields, got, step.want)
		}
	}
}
