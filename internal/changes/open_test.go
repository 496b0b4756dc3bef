package changes

import (
	"fmt"
	"strings"
	"testing"
)

// What becomes of open violations whose rule has another severity is said of each output to which
// that makes a difference.
func TestOpenViolationsOfAnotherSeverity(t *testing.T) {
	const config = `
outputs: {audit: {file: {path: a}}, hi: {stdout: {}, when: WHEN}}
listeners:
  a:
    informer: {resource: pods}
    rules: [{name: stuck, severity: SEVERITY, deny: label("a") == nilREPEAT}]
    outputs: [audit, hi]
`
	const stays = "one that is open stays as it was reported"
	const ofA, forHi = "  open violations of rule stuck of a: ", "  open violations of rule stuck, for hi: "
	of := func(when, severity, repeat string) string {
		return strings.NewReplacer("WHEN", "'"+when+"'", "SEVERITY", severity, "REPEAT", repeat).
			Replace(config)
	}
	for _, c := range []struct{ when, was, is, repeat, want string }{
		{`severity == "high"`, "high", "low", "", "an end of what it has comes as before"},
		{`severity == "high"`, "high", "low", ", repeat: 1h", "no end of what it has comes, once that is repeated"},
		{`severity == "high" || op == "add"`, "high", "low", "", "an end of what it has comes as before"},
		{`severity == "high" || op == "add"`, "high", "low", ", repeat: 1h", "an end of what it has comes as before, and once that is repeated, as far as its when takes the new severity"},
		{`severity == "high" || label("b") == "c"`, "high", "low", ", repeat: 1h", ""},
		{`severity == "high" || not violated`, "high", "low", ", repeat: 1h", "an end of what it has comes, with the new severity once that is repeated"},
		{`severity == "high" && violated`, "high", "low", "", ""},
		{`severity in ["low", "high"]`, "high", "low", ", repeat: 1h", ""},
		{`severity == "high"`, "medium", "low", "", ""},
		{`severity == "high"`, "low", "high", "", "nothing of them comes"},
		{`severity == "high"`, "low", "high", ", repeat: 1h", "they come with their next repeat"},
		{`severity == "high" && label("b") == "c"`, "low", "high", ", repeat: 1h", "they come with their next repeat, as far as its when takes them"},
	} {
		_, got := comparison(t, of(c.when, c.was, c.repeat), of(c.when, c.is, c.repeat))
		rule := stays + "\n"
		if c.repeat != "" {
			rule = stays + "; of rule stuck until its next repeat, which has the new severity\n"
		}
		if !strings.Contains(got, rule) || c.want == "" && strings.Contains(got, "open violations of rule") ||
			c.want != "" && (!strings.Contains(got, ofA+c.want+"\n") || !strings.Contains(got, forHi+c.want+"\n")) {
			t.Errorf("%s%s: want %q, got\n%s", c.when, c.repeat, c.want, got)
		}
	}
	repeated := of("violated", "low", ", repeat: 1h")
	_, got := comparison(t, repeated, strings.Replace(repeated, "severity: low", "severity: low, message: \"'a'\"", 1))
	if !strings.Contains(got, stays+"; of rule stuck until its next repeat, which has the new message\n") {
		t.Errorf("got\n%s", got)
	}
	_, got = comparison(t, repeated, strings.Replace(repeated, "severity: low", "severity: high, message: \"'a'\"", 1))
	if !strings.Contains(got, "which has the new severity and message\n") {
		t.Errorf("got\n%s", got)
	}
}

// Nothing of that is said if the when has changed as well, or if the listener is another one, whose
// violations get no ends.
func TestOpenViolationsOfOtherChanges(t *testing.T) {
	const config = `
outputs: {hi: {stdout: {}, when: 'severity == "high"'}, out: {file: {path: a}}}
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, severity: high, deny: label("a") == nil}], outputs: [hi, out]}
`
	for _, c := range [][]string{
		{"severity: high", "severity: low", `== "high"'`, `== "critical"'`},
		{"severity: high", "severity: low", "pods", "configmaps"},
		{"severity: high", "severity: low", "name: r", "name: s"},
		{"severity: high", "severity: low", "outputs: {", "cluster: {name: other}\noutputs: {"},
	} {
		after := strings.NewReplacer(c...).Replace(config)
		if _, got := comparison(t, config, after); strings.Contains(got, "open violations of rule") {
			t.Errorf("%q: got\n%s", c, got)
		}
	}
}

func TestManyListenersWithOpenViolations(t *testing.T) {
	of := func(severity string) string {
		text := "outputs: {out: {stdout: {}, when: severity == \"high\"}}\nlisteners:\n"
		for i := range 5 {
			text += fmt.Sprintf("  team-%d: {informer: {resource: pods, namespaces: [team-%d]}, "+
				"rules: [{name: r, severity: %s, deny: label(\"a\") == nil}], outputs: [out]}\n", i, i,
				severity)
		}
		return text
	}
	_, got := comparison(t, of("high"), of("low"))
	const want = "open violations of rule r of team-0, team-1, team-2 … and 2 more: an end of what it has comes as before\n"
	if strings.Count(got, want) != 1 {
		t.Errorf("got\n%s", got)
	}
}

// An output that is new to a listener gets its open violations as far as it takes what reports of a
// rescan have.
func TestNewOutputsGetOpenViolations(t *testing.T) {
	const config = `
outputs: {old: {file: {path: a}}, new: {stdout: {}, when: WHEN}}
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, severity: high, deny: label("a") == nil}MORE], outputs: [old]}
  keeps: {informer: {resource: nodes}, outputs: [new]}
`
	for _, c := range []struct{ when, old, new, want string }{
		{"violated", "", "", ": new\n"},
		{`severity == "high"`, "", "", ": new\n"},
		{`op == "update"`, "", "", ""},
		{`op == ""`, "", "", ": new\n"},
		{`severity == "low"`, "", "", ""},
		{`severity == "low"`, "severity: high", "severity: low", ""}, // old has them as high
		{`severity == "high"`, "severity: high", "severity: low", ": new\n"},
		{`label("b") == "c"`, "", "", ", as far as its when takes them: new\n"},
		{`rule == "s"`, "MORE", `, {name: s, deny: label("b") == nil}`, ""},
		{`rule == "s"`, "name: r", "name: s", ""},
	} {
		was := strings.Replace(config, "WHEN", "'"+c.when+"'", 1)
		is := strings.Replace(was, "outputs: [old]", "outputs: [old, new]", 1)
		if c.old != "" {
			is = strings.Replace(is, c.old, c.new, 1)
		}
		_, got := comparison(t, strings.Replace(was, "MORE", "", 1), strings.Replace(is, "MORE", "", 1))
		const line = "gets the violations that are open"
		if c.want == "" && strings.Contains(got, line) ||
			c.want != "" && !strings.Contains(got, "  "+line+c.want) {
			t.Errorf("%s, %s: want %q, got\n%s", c.when, c.new, c.want, got)
		}
	}
}

// With which severity an output that is new to a listener gets what is open is that of the reports
// that its outputs have, or if they have none, that of now.
func TestNewOutputsAndOtherSeverities(t *testing.T) {
	const config = `
outputs: {old: {file: {path: a}WHEN}, new: {stdout: {}, when: severity == "high"}}
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, severity: high, deny: label("a") == nil}], outputs: [old]}
  keeps: {informer: {resource: nodes}, outputs: [new]}
`
	for when, want := range map[string]string{
		"": "  gets the violations that are open: new\n" +
			"  open violations of rule r, for new: they come with the severity that they were reported with, high; an end of what it has comes as before\n",
		`, when: severity == "high"`: "  gets the violations that are open: new\n",
		`, when: severity == "low"`:  "",
		`, when: label("b") == "c"`:  "  gets the violations that are open, as far as its when takes them: new\n",
	} {
		was := strings.Replace(config, "WHEN", when, 1)
		is := strings.NewReplacer("outputs: [old]", "outputs: [old, new]",
			"severity: high", "severity: low").Replace(was)
		_, got := comparison(t, was, is)
		if !strings.Contains(got, want) ||
			strings.Contains(got, "gets the violations") != (want != "") {
			t.Errorf("%s: want %q, got\n%s", when, want, got)
		}
	}
}

// A repeat that comes sooner is due at the reload, of what was reported longer ago.
func TestRepeatsThatComeSooner(t *testing.T) {
	rule := func(repeat string) string {
		return `
outputs: {out: {stdout: {}}}
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, repeat: ` + repeat + `, deny: label("a") == nil}], outputs: [out]}
`
	}
	for _, c := range []struct {
		was, is string
		says    bool
	}{{"0s", "1h", true}, {"2h", "1h", true}, {"1h", "2h", false}, {"1h", "0s", false}} {
		_, got := comparison(t, rule(c.was), rule(c.is))
		if strings.Contains(got, "  of rule r, what was last reported longer ago than its repeat of now is reported again at once\n") != c.says {
			t.Errorf("%+v:\n%s", c, got)
		}
	}
}

// Repeats are promised of a when that takes them now and may not have before, and of no other.
func TestRepeatsOfAnotherWhen(t *testing.T) {
	const config = `
outputs: {hi: {stdout: {}, when: WHEN}}
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, severity: medium, repeat: 1h, deny: label("a") == nil}], outputs: [hi]}
`
	for _, c := range []struct {
		was, is string
		says    bool
	}{
		{`severity == "high" && label("b") == "c"`, `severity == "high"`, false},
		{`severity == "high"`, `severity in ["high", "medium"]`, true},
		{`label("b") == "c"`, `severity == "medium"`, true},
		{`violated`, `violated && rule == "r"`, false},
	} {
		_, got := comparison(t, strings.Replace(config, "WHEN", "'"+c.was+"'", 1),
			strings.Replace(config, "WHEN", "'"+c.is+"'", 1))
		if strings.Contains(got, "but with their next repeat those of rule r") != c.says {
			t.Errorf("%+v:\n%s", c, got)
		}
	}
}

// That the next repeats count from then is said once, whatever becomes of which new output.
func TestRepeatsOfWhatNewOutputsGet(t *testing.T) {
	const config = `
outputs: {old: {stdout: {}}, all: {file: {path: a}}, some: {file: {path: b}, when: label("b") == "c"}}
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, repeat: REPEAT, deny: label("a") == nil}], outputs: [old]}
  keeps: {informer: {resource: nodes}, outputs: [all, some]}
`
	for repeat, times := range map[string]int{"1h": 1, "0s": 0} {
		was := strings.Replace(config, "REPEAT", repeat, 1)
		_, got := comparison(t, was, strings.Replace(was, "outputs: [old]", "outputs: [old, all, some]", 1))
		if strings.Count(got, "gets the violations that are open") != 2 ||
			strings.Count(got, "  the next repeats of these, to all outputs, count from then\n") != times {
			t.Errorf("%s:\n%s", repeat, got)
		}
	}
}
