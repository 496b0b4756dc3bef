package config

import (
	"strings"
	"testing"
)

// What is not a selector is refused with what the parser of Kubernetes says.
func TestWhatIsNoSelector(t *testing.T) {
	for _, c := range []struct {
		check func(text, _ string) string
		text  string
	}{
		{checkLabelSelector, "a=b || c=d"}, {checkLabelSelector, "app ~ web.*"},
		{checkLabelSelector, "app=web*"}, {checkLabelSelector, "app>web"},
		{checkLabelSelector, "=web"}, {checkLabelSelector, "a/b/c=web"},
		{checkLabelSelector, "app=" + strings.Repeat("a", 64)}, {checkLabelSelector, "app in ((a)"},
		{checkFieldSelector, "status.phase"},
		{checkFieldSelector, "spec.replicas>1"}, {checkFieldSelector, "!"},
	} {
		if got := c.check(c.text, ""); !strings.HasPrefix(got, " is not a ") ||
			!strings.Contains(got, " selector: ") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", c.text, got)
		}
	}
	for _, text := range []string{"a=b,c!=d", "app in (web, x),!b", "a>5", ""} {
		if got := checkLabelSelector(text, ""); got != "" {
			t.Errorf("%s: %q", text, got)
		}
	}
	for _, text := range []string{"spec.nodeName=,status.phase!=Running", "a==b", ""} {
		if got := checkFieldSelector(text, ""); got != "" {
			t.Errorf("%s: %q", text, got)
		}
	}
}
