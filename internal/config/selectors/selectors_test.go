package selectors

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What people write in place of a label selector is answered with the one that they mean.
func TestWhatLabelsMean(t *testing.T) {
	for text, want := range map[string]string{
		"a=b && c=d":                 "a=b,c=d",
		"a=b and c=d":                "a=b,c=d",
		"a=b or a=c":                 "a in (b, c)",
		"app: web":                   "app=web",
		"app=web tier=x":             "app=web,tier=x",
		"app=web;tier=x":             "app=web,tier=x",
		"app in [a, b]":              "app in (a, b)",
		"app in a,b":                 "app in (a,b)",
		"app in (a, b":               "app in (a, b)",
		"app not in (a,b)":           "app notin (a,b)",
		"app NotIn (a)":              "app notin (a)",
		"app In (a)":                 "app in (a)",
		"app === web":                "app=web",
		"app='web'":                  "app=web",
		"app <> web":                 "app!=web",
		"!app=web":                   "app!=web",
		"app=web|x":                  "app in (web, x)",
		"app=web,":                   "app=web",
		"not app":                    "!app",
		"app exists":                 "app",
		"app=*":                      "app",
		"(app=web)":                  "app=web",
		"-l app=web":                 "app=web",
		`label("app") == "web"`:      "app=web",
		"metadata.labels.app: 'web'": "app=web",
		`object.metadata.labels["app.kubernetes.io/name"] == "web"`: "app.kubernetes.io/name=web",
	} {
		shows(t, text, want, CheckLabel)
	}
}

func TestWhatFieldsMean(t *testing.T) {
	for text, want := range map[string]string{
		"status.phase: Running":                   "status.phase=Running",
		"status.phase=Running and spec.nodeName=": "status.phase=Running,spec.nodeName=",
		"status.phase=Running spec.nodeName=x":    "status.phase=Running,spec.nodeName=x",
		"!spec.nodeName":                          "spec.nodeName=",
		"status.phase notin (Running)":            "status.phase!=Running",
		"a!=b && c=d":                             "a!=b,c=d",
	} {
		shows(t, text, want, CheckField)
	}
}

// shows checks that a text is refused, and what is shown to write in its place: YAML of a text that
// is not refused.
func shows(t *testing.T, text, want string, check func(text, _ string) (string, string)) {
	t.Helper()
	problem, hint := check(text, "")
	shown, ok := strings.CutPrefix(hint, "write ")
	var got string
	if problem == "" || !ok || yaml.Unmarshal([]byte(shown), &got) != nil || got != want {
		t.Errorf("%s: %q, %q", text, problem, hint)
	}
	if problem, hint := check(want, ""); problem != "" {
		t.Errorf("%s: %q, %q", want, problem, hint)
	}
}

// What cannot be a selector is answered in words of ours, and with the way that there is.
func TestWhatIsNoSelector(t *testing.T) {
	for _, c := range []struct {
		check         func(text, _ string) (string, string)
		text          string
		problem, hint string
	}{
		{CheckLabel, "a=b || c=d", "is not a label selector", "write KEY in (a, b) for several values"},
		{CheckLabel, "app ~ web.*", "no patterns", `select: 'label("app") matches "web.*"'`},
		{CheckLabel, "app=web*", "no patterns", `select: 'glob("web*", label("app"))'`},
		{CheckLabel, "app>web", "whole numbers only", "write app>5"},
		{CheckLabel, "=web", "the name of a label is missing", "as in tier=frontend"},
		{CheckLabel, "a/b/c=web", "more than one /", "as in tier=frontend"},
		{CheckLabel, "a b=web", `"a b" is not the name of a label`, "names have letters"},
		{CheckLabel, "app=web/x", `"web/x" is not the value of a label`, "values have letters"},
		{CheckLabel, "app=my web", `"my web" is not the value of a label`, "values have letters"},
		{CheckLabel, "app=" + strings.Repeat("a", 64), "longer than the 63 characters", "are shorter"},
		{CheckLabel, "app in ((a)", "a bracket is not closed", "as in tier=frontend"},
		{CheckLabel, "app like web", "is not a label selector", "as in tier=frontend"},
		{CheckField, "a=b || c=d", "there is no or", "write an expression in the listener"},
		{CheckField, "status.phase in (Running, Failed)", "one value", `select: 'object.status.phase in`},
		{CheckField, "status.phase", "has = or != and a value", "write status.phase=VALUE"},
		{CheckField, "spec.replicas>1", "only = and !=", "select: 'object.spec.replicas > 1'"},
		{CheckField, "!", "is not a field selector", "as in spec.nodeName"},
	} {
		problem, hint := c.check(c.text, "")
		if !strings.Contains(problem, c.problem) || !strings.Contains(hint, c.hint) {
			t.Errorf("%s: %q, %q", c.text, problem, hint)
		}
		for _, word := range []string{"expected", "parse", "regex", "unescaped", "nil"} {
			if strings.Contains(problem, word) {
				t.Errorf("%s: %q", c.text, problem)
			}
		}
	}
}
