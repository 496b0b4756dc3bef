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
