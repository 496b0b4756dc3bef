package rules

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
)

func TestCompile(t *testing.T) {
	r, err := Compile(Source{
		Name: "too-many", Severity: "high", For: time.Minute, Repeat: time.Hour,
		Deny: filters.Source{Text: "object.n > 3", Listener: "pods"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Name() != "too-many" || r.Severity() != "high" || r.For() != time.Minute ||
		r.Repeat() != time.Hour {
		t.Errorf("got %s, %s, %s, %s", r.Name(), r.Severity(), r.For(), r.Repeat())
	}
	if paths := r.Deny().Paths(); len(paths) != 1 || paths[0].String() != "n" ||
		r.Message() != nil {
		t.Errorf("got %v, %v", paths, r.Message())
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
	here := func(s Source) Source {
		s.Deny = filters.Source{Text: "true", File: "config.yaml", Line: 7, Listener: "pods"}
		if s.Name == "" {
			s.Name = "a"
		}
		return s
	}
	tests := []struct {
		source Source
		want   string
	}{
		{here(Source{Name: "No latest"}), `config.yaml: listener "pods": rule "No latest": ` +
			label},
		{here(Source{Name: "a-"}), `config.yaml: listener "pods": rule "a-": ` + label},
		{here(Source{Name: "-a"}), `config.yaml: listener "pods": rule "-a": ` + label},
		{here(Source{Name: "a\n"}), `config.yaml: listener "pods": rule "a\n": ` + label},
		{here(Source{Name: strings.Repeat("a", 64)}), `config.yaml: listener "pods": rule "` +
			strings.Repeat("a", 64) + `": ` + label},
		{Source{}, `rule "": ` + label},
		{here(Source{Severity: "hihg"}), `config.yaml: listener "pods": rule "a": ` + severities +
			`"hihg"; did you mean "high"?`},
		{here(Source{Severity: "Critical"}), `config.yaml: listener "pods": rule "a": ` +
			severities + `"Critical"; did you mean "critical"?`},
		{here(Source{Severity: "mediums"}), `config.yaml: listener "pods": rule "a": ` +
			severities + `"mediums"; did you mean "medium"?`},
		{here(Source{Severity: "lo"}), `config.yaml: listener "pods": rule "a": ` + severities +
			`"lo"; did you mean "low"?`},
		{here(Source{Severity: "inf0"}), `config.yaml: listener "pods": rule "a": ` + severities +
			`"inf0"; did you mean "info"?`},
		{here(Source{Severity: "warning"}), `config.yaml: listener "pods": rule "a": ` +
			severities + `"warning"`},
		{here(Source{Severity: "hhig"}), `config.yaml: listener "pods": rule "a": ` + severities +
			`"hhig"`},
		{here(Source{For: -time.Second}),
			`config.yaml: listener "pods": rule "a": for must not be negative, is -1s; leave it out if a violation counts at once`},
		{here(Source{Repeat: -1}),
			`config.yaml: listener "pods": rule "a": repeat must not be negative, is -1ns; leave it out to tell a violation once`},
	}
	for _, tt := range tests {
		if r, err := Compile(tt.source); r != nil || err == nil || err.Error() != tt.want {
			t.Errorf("\n got %v\nwant %s", err, tt.want)
		}
	}
	if _, err := Compile(here(Source{Name: strings.Repeat("a", 63)})); err != nil {
		t.Error(err)
	}
}

func TestMistakesInDenyHaveTheirPlace(t *testing.T) {
	_, err := Compile(Source{Name: "too-many",
		Deny: filters.Source{Text: "obejct.n > 3", File: "config.yaml", Line: 7, Column: 11}})
	var ce *filters.CompileError
	if !errors.As(err, &ce) || ce.Line != 7 || ce.Column != 11 {
		t.Fatalf("got %v", err)
	}
	if ce.Source.Kind != filters.KindDeny || ce.Source.Rule != "too-many" {
		t.Errorf("deny is compiled as kind %d of rule %q", ce.Source.Kind, ce.Source.Rule)
	}
}

func TestStates(t *testing.T) {
	if got := Violated.String() + " " + Resolved.String() + " " +
		State(0).String(); got != "violated resolved no state" {
		t.Errorf("got %s", got)
	}
}
