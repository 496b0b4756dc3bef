package shown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

func conditions(t testing.TB, text string) condition.Set {
	t.Helper()
	f, err := filters.Compile(filters.Expression{Text: text, Kind: filters.KindFilter})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f.Conditions()
}

// Conditions are written as expressions, which ask the same if they are compiled.
func TestConditionsAreExpressions(t *testing.T) {
	for text, want := range map[string]string{
		`label("a") == "x"`:                                             "",
		`label("a") != "x"`:                                             "",
		`label("a") in ["x", "y"]`:                                      "",
		`label("a") not in ["x", "y"]`:                                  "",
		`label("a") != nil`:                                             "",
		`label("a") == nil`:                                             "",
		`old.metadata.labels["a/b"] == "x"`:                             "",
		`"a/b" not in object.metadata.labels`:                           `label("a/b") == nil`,
		`object.metadata.namespace == "shop"`:                           "",
		`object.metadata.name startsWith "web-"`:                        "",
		`!(object.metadata.name endsWith "-0")`:                         "",
		`object.spec.nodeName contains "a\"b"`:                          "",
		`object.spec.replicas == 3`:                                     "",
		`object.spec.replicas > 100000000`:                              "",
		`!(object.spec.replicas >= 1.5)`:                                "",
		`object.spec.paused`:                                            "object.spec.paused == true",
		`!object.spec.paused`:                                           "object.spec.paused != true",
		`"x" in object.metadata.finalizers`:                             "",
		`"x" not in object.metadata.finalizers`:                         "",
		`changed("spec.replicas")`:                                      `old.spec.replicas != object.spec.replicas`,
		`quantity(object.spec.memory) > "1Gi"`:                          "",
		`semver(object.spec.version) <= "1.2"`:                          "",
		`any(object.spec.list, .a == "x" && .b > 3)`:                    "",
		`any(object.spec.list, # == "x")`:                               "",
		`all(object.spec.list, .a == "x" || .b != nil)`:                 "",
		`label("a") == "x" && label("b") == "y"`:                        "",
		`label("a") == "x" && (label("b") == "y" || label("c") == nil)`: "",
		`op == "delete" || op == "update" && changed("spec")`:           "",
	} {
		if want == "" {
			want = text
		}
		set := conditions(t, text)
		got := all(set.List, false)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
			continue
		}
		if again := all(conditions(t, got).List, false); again != got {
			t.Errorf("%s is read as %s", got, again)
		}
	}
}

// What no expression is compiled to still says what it is.
func TestOtherConditions(t *testing.T) {
	for want, c := range map[string]condition.Condition{
		"object.metadata.name in []": {Of: condition.OfName},
		`op == "add"`:                {Of: condition.OfOp, Ops: event.OpSet(0).With(event.Add)},
		"true":                       {Of: condition.OfField, Key: "a", Test: condition.NotDiffers},
		`#["a.b"] != nil`: {
			Of: condition.OfItem, Key: `["a.b"]`, Test: condition.Exists},
		`object["a.b"] == true`: {
			Of: condition.OfField, Key: `["a.b"]`, Bools: []bool{true}},
	} {
		if got := Condition(c); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A long expression is broken between its conditions, and only there.
func TestLongConditionsAreBroken(t *testing.T) {
	const long = `any(object.status.conditions, .type == "Available" && .status == "False && so on" || ` +
		`.other == "Progressing" && .reason == "ProgressDeadlineExceeded" || .third == "x")`
	lines := Conditions(condition.EveryOp, conditions(t, `label("a") == "x" && `+long).List)
	const want = `label("a") == "x" &&
any(object.status.conditions, .type == "Available" && .status == "False && so on" ||
  .other == "Progressing" && .reason == "ProgressDeadlineExceeded" || .third == "x")`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > width {
			t.Errorf("too long: %s", line)
		}
	}
	if got := Conditions(condition.EveryOp, conditions(t, `label("a") == "x"`).List); len(got) != 1 {
		t.Errorf("a short one is broken: %q", got)
	}
	if got := Joined([]string{"add", "x", "y"}); len(got) != 1 || got[0] != "add; x; y" {
		t.Errorf("short items are %q", got)
	}
	if got := Joined([]string{"add", long, "y"}); len(got) != 3 {
		t.Errorf("long items are %q", got)
	}
}
