package check_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Severities have an order that a comparison of texts does not have.
func TestOrdersOfSeverities(t *testing.T) {
	const as = `severity is compared as text, letter by letter, in which "critical" comes before "high"; `
	var all []answer
	for text, want := range map[string]string{
		`severity >= "high"`:            `write severity in ["high", "critical"]`,
		`severity > "medium"`:           `write severity in ["high", "critical"]`,
		`"medium" < severity`:           `write severity in ["high", "critical"]`,
		`severity > "high"`:             `write severity == "critical"`,
		`severity < "low"`:              `write severity == "info"`,
		`severity <= "low"`:             `write severity in ["info", "low"]`,
		`"low" >= severity`:             `write severity in ["info", "low"]`,
		`severity >= "info"`:            `write severity != nil for all of them`,
		`severity > "critical"`:         `no severity is above "critical"`,
		`severity < "info"`:             `no severity is below "info"`,
		`let s = severity; s >= "High"`: `write severity in ["high", "critical"]`,
		`severity >= "warning"`:         `name those that are meant, as in severity in ["high", "critical"]`,
	} {
		all = append(all, answer{kind: lang.KindWhen, text: text, want: as + want})
	}
	all = append(all, answer{kind: lang.KindWhen, text: `severity in ["high", "critical"] || rule > "a"`})
	expectAnswers(t, nil, all)
}

// A when that asks for a severity that no rule has is warned of; one that can be true, or that is
// not known to be false, is not.
func TestSeveritiesThatNoRuleHas(t *testing.T) {
	const nothing = "nothing is sent to this output: no rule of its listeners has the severity "
	type test struct {
		kind       lang.Kind
		severities []string
		text, want string
	}
	when, some, one := lang.KindWhen, []string{"low", "high"}, []string{"medium"}
	for _, tt := range []test{
		{when, some, `severity == "critical"`, nothing + `"critical"; they have low, high`},
		{when, one, `"critical" == severity`, nothing + `"critical"; all have medium`},
		{when, one, `severity in ["high", "critical"]`,
			nothing + `"high" or "critical"; all have medium`},
		{when, one, `severity == "high" || severity == "critical"`,
			nothing + `"high" or "critical"; all have medium`},
		{when, one, `violated && (severity == "high" && name != "a")`,
			nothing + `"high"; all have medium`},

		{when, some, `severity == "high" || severity == "low"`, ""},
		{when, some, `severity in ["high", "critical"]`, ""},
		{when, some, `severity == "high" || severity == "critical"`, ""},
		{when, some, `severity == "critical" || type == "x"`, ""},
		{when, some, `!(severity == "critical") && severity not in ["info"]`, ""},
		{when, some, `severity != "critical"`, ""},
		{when, some, `severity in [name, "critical"]`, ""},
		{when, some, `severity == nil && name == "critical"`, ""},
		{when, nil, `severity == "critical"`, ""},
		{lang.KindText, some, `severity == "critical" ? "red" : "grey"`, ""},
		{lang.KindData, some, `severity == "critical"`, ""},
		// what there is not is answered elsewhere
		{when, one, `severity == "bad"`,
			`severity is never "bad"; it is one of info, low, medium, high and critical`},
	} {
		got := warningsOf(t, lang.Expression{Kind: tt.kind, Text: tt.text,
			Severities: tt.severities, Texts: map[string][]string{
				"severity": {"info", "low", "medium", "high", "critical"}}})
		if got != tt.want {
			t.Errorf("%s of %q: the warning is %q, want %q", tt.text, tt.severities, got, tt.want)
		}
	}
}
