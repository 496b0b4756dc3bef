package filters

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// What an output's expression says of a message is decided by the variables that are known, and
// only if the others do not matter.
func TestKnown(t *testing.T) {
	known := map[string]any{"rule": "r", "severity": "low", "violated": true, "listener": "l",
		"since": nil, "object.metadata.labels.team": "a", "old.metadata.labels.team": nil,
		"object.spec.not": Not{"a", "b"}, "object.spec.neither": Not{"a", true},
		"object.spec.paused": true, "object.metadata.annotations.note": "c"}
	for text, want := range map[string]string{
		`severity != "low"`:                                  "false",
		`severity == "low"`:                                  "true",
		`"low" == severity && violated`:                      "true",
		`!violated`:                                          "false",
		`severity in ["high", "critical"]`:                   "false",
		`severity not in ["high", "critical"]`:               "true",
		`since in ["a", nil]`:                                "false",
		`since == nil`:                                       "true",
		`rule == "r" || op == "add"`:                         "true",
		`op == "add" && severity == "high"`:                  "false",
		`op == "add" && severity == "low"`:                   "unknown",
		`op == "add" || severity == "high"`:                  "unknown",
		`rule == "other" || severity == "high"`:              "false",
		`not (listener == "l" && rule == "r")`:               "false",
		`rule startsWith "x"`:                                "false",
		`listener endsWith "l" && severity contains "o"`:     "true",
		`message startsWith "x"`:                             "unknown",
		`violated ? severity == "high" : op == "add"`:        "false",
		`op == "add" ? rule == "x" : true`:                   "unknown",
		`(since ?? severity) == "low"`:                       "true",
		`(rule ?? name) == "r"`:                              "true",
		`(since ?? name) == "r"`:                             "unknown",
		`violated == (severity == "high")`:                   "false",
		`rule in [name, "x"]`:                                "unknown",
		`let x = "high"; severity == x`:                      "unknown",
		`any(object.spec.containers, severity == .name)`:     "unknown",
		`object.metadata.name == "a" && listener == "other"`: "false",
		`label("team") == "b"`:                               "false",
		`object.metadata?.labels["team"] in ["a", "b"]`:      "true",
		`old.metadata.labels.team == "b"`:                    "false",
		`(old.metadata.labels.team ?? "x") == "x"`:           "true",
		`annotation("note") == "d"`:                          "false",
		`object.spec.paused`:                                 "true",
		`not object.spec.paused`:                             "false",
		`label("other") == "b"`:                              "unknown",
		`object.metadata.labels == nil`:                      "unknown",
		`changed("spec")`:                                    "unknown",
		`object.spec.not == "a"`:                             "false",
		`"b" != object.spec.not`:                             "true",
		`object.spec.not == "c"`:                             "unknown",
		`object.spec.not == nil`:                             "unknown",
		`object.spec.not in ["b", "a"]`:                      "false",
		`object.spec.not in ["a", "c"]`:                      "unknown",
		`object.spec.not == object.spec.neither`:             "unknown",
		`object.spec.not in [object.spec.neither]`:           "unknown",
		`(object.spec.not ?? "a") == "a"`:                    "unknown",
		`object.spec.not startsWith "a"`:                     "unknown",
		`object.spec.neither`:                                "unknown",
		`object.spec.neither == true`:                        "false",
		`became(object.spec.paused)`:                         "unknown",
		`old == nil`:                                         "unknown",
		`old.metadata.name == "a"`:                           "unknown",
	} {
		f, err := Compile(Expression{Text: text, Kind: KindWhen})
		if err != nil {
			t.Fatal(text, err)
		}
		got := "unknown"
		if value, decided := f.Known(known); decided {
			got = map[bool]string{true: "true", false: "false"}[value]
		} else if value {
			t.Error(text, "is true and not decided")
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Without a state before, nothing has changed.
func TestKnownWithoutOld(t *testing.T) {
	for text, want := range map[string]bool{`changed("spec")`: false, `not changed("spec")`: true,
		`became(object.spec.paused)`: false, `old == nil`: true, `old.spec.n == "x"`: false,
		`old.spec.n == nil`: true, `(old.spec.n ?? "x") == "x"`: true, `old["spec"].n != nil`: false,
		`changed("spec") == false`: true} {
		f, err := Compile(Expression{Text: text, Kind: KindWhen})
		if err != nil {
			t.Fatal(text, err)
		}
		if value, decided := f.Known(map[string]any{"old": nil}); value != want || !decided {
			t.Errorf("%s: %v, decided %v", text, value, decided)
		}
		o, err := (&object.Parser{}).Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"n":1,"paused":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		m := &Message{Event: event.Event{Op: event.Add, Object: o}}
		if is, err := f.Evaluator().MatchMessage(m); err != nil || is != want {
			t.Errorf("%s: matches %v, %v", text, is, err)
		}
	}
}

// What is known of an expression is what it says of each message that has these values.
func TestKnownIsWhatMatches(t *testing.T) {
	values := []string{"rule", "severity", "message", "type", "listener", "op", "name", `nil`, `"a"`,
		`"dev.informerd.rule.violated"`, `"low"`, `"add"`, `""`}
	var expression func(depth int) *rapid.Generator[string]
	value := rapid.Custom(func(t *rapid.T) string {
		text := rapid.SampledFrom(values).Draw(t, "value")
		if rapid.IntRange(0, 5).Draw(t, "or") == 0 {
			text = "(" + text + " ?? " + rapid.SampledFrom(values).Draw(t, "else") + ")"
		}
		return text
	})
	comparison := rapid.Custom(func(t *rapid.T) string {
		op := rapid.SampledFrom([]string{"==", "!=", "in", "not in", "startsWith", "endsWith",
			"contains", "violated"}).Draw(t, "operator")
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		switch op {
		case "violated":
			return rapid.SampledFrom([]string{"(violated ?? false)", "violated"}).Draw(t, "as")
		case "in", "not in":
			return fmt.Sprintf("(%s %s [%s, %s])", a, op, b, value.Draw(t, "c"))
		case "==", "!=":
			return fmt.Sprintf("(%s %s %s)", a, op, b)
		}
		return fmt.Sprintf("((%s ?? \"\") %s (%s ?? \"\"))", a, op, b)
	})
	expression = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return comparison
		}
		part := expression(depth - 1)
		return rapid.Custom(func(t *rapid.T) string {
			a, b := part.Draw(t, "a"), part.Draw(t, "b")
			switch rapid.IntRange(0, 4).Draw(t, "form") {
			case 0:
				return fmt.Sprintf("(%s && %s)", a, b)
			case 1:
				return fmt.Sprintf("(%s || %s)", a, b)
			case 2:
				return fmt.Sprintf("not %s", a)
			case 3:
				return fmt.Sprintf("(%s ? %s : %s)", a, b, part.Draw(t, "c"))
			}
			return fmt.Sprintf("(%s == %s)", a, b)
		})
	}
	var parser object.Parser
	o, err := parser.Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}`))
	if err != nil {
		t.Fatal(err)
	}
	decidedOnce := false
	rapid.Check(t, func(t *rapid.T) {
		text := expression(rapid.IntRange(0, 3).Draw(t, "depth")).Draw(t, "expression")
		f, err := Compile(Expression{Text: text, Kind: KindWhen})
		if err != nil {
			t.Skip(err) // it compares op with what op never is
		}
		a := rapid.SampledFrom([]string{"", "a", "low", "add"})
		m := &Message{Event: event.Event{Op: event.Add, Object: o}, Listener: a.Draw(t, "listener"),
			Type: "dev.informerd.rule.violated", Name: a.Draw(t, "name")}
		all := map[string]any{"op": "add", "listener": m.Listener, "type": m.Type, "name": m.Name,
			"rule": nil, "severity": nil, "message": nil, "violated": nil, "since": nil}
		if rapid.Bool().Draw(t, "reports") {
			m.Rule, m.Severity, m.Message = "a", a.Draw(t, "severity"), a.Draw(t, "message")
			m.Violated, m.Since = rapid.Bool().Draw(t, "violated"), time.Unix(0, 0)
			all["rule"], all["severity"], all["message"] = m.Rule, m.Severity, m.Message
			all["violated"] = m.Violated
			delete(all, "since")
		}
		for name := range all {
			if rapid.Bool().Draw(t, "unknown "+name) {
				delete(all, name)
			}
		}
		value, decided := f.Known(all)
		if !decided {
			return
		}
		decidedOnce = true
		got, err := f.Evaluator().MatchMessage(m)
		if err != nil || got != value {
			t.Fatalf("%s of %+v: %t, %v; known is %t by %v", text, m, got, err, value, all)
		}
	})
	if !decidedOnce {
		t.Error("nothing was decided")
	}
}
