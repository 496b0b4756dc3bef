package filters

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// What excludes itself is never true, and what might be true is not called so.
func TestNever(t *testing.T) {
	for text, want := range map[string]bool{
		`object.spec.x > 5 && object.spec.x < 3`:                                         true,
		`object.spec.x > 5 && label("a") == "b" && 3 > object.spec.x`:                    true,
		`age() > "1h" && age() < "30m"`:                                                  true,
		`object.spec.x == "a" && object.spec.x == "b"`:                                   true,
		`object.spec.x in ["a", "b"] && object.spec.x in ["c"]`:                          true,
		`object.spec.x == nil && object.spec.x > 1`:                                      true,
		`object.spec.x == nil && object.spec.x == "a"`:                                   true,
		`object.spec.x in [1, 2] && object.spec.x >= 3`:                                  true,
		`object.spec.x == "1" && object.spec.x > 0`:                                      true,
		`(object.spec.x > 5 && object.spec.x < 3) || false`:                              true,
		`any(object.spec.list, .a > 5 && .a < 3)`:                                        true,
		`became(object.spec.x > 5 && object.spec.x < 3)`:                                 true,
		`op == "add" ? object.spec.x == 1 && object.spec.x == 2 : false`:                 true,
		`let x = object.spec.x; x > 5 && x < 3`:                                          true,
		`len(object.spec.list) > 5 && len(object.spec.list) < 3`:                         true,
		`object.spec.x == "ab" && object.spec.x startsWith "b"`:                          true,
		`object.spec.x in ["a", "b"] && label("a") == "b" && object.spec.x contains "c"`: true,
		`object.spec.x startsWith "a" && object.spec.x startsWith "b"`:                   true,
		`object.spec.x == "ab" && not (object.spec.x endsWith "b")`:                      true,
		`object.spec.x == "ab" && object.spec.x startsWith "a"`:                          false,
		`object.spec.x startsWith "a" && object.spec.x contains "b"`:                     false,
		`object.spec.x startsWith "a" && old.spec.x startsWith "b"`:                      false,
		`not (object.spec.x startsWith "a") && not (object.spec.x startsWith "b")`:       false,
		`object.spec.x > 5 || object.spec.x < 3`:                                         false,
		`object.spec.x >= 5 && object.spec.x <= 5`:                                       false,
		`object.spec.x in [2, 3] && object.spec.x >= 3`:                                  false,
		`object.spec.x > 5 && old.spec.x < 3`:                                            false,
		`object.spec.x == nil && old.spec.x == "a"`:                                      false,
		`became(object.spec.x > 5) && object.spec.y < 3`:                                 false,
		`quantity(object.spec.x) == "1Gi" && quantity(object.spec.x) == "1024Mi"`:        false,
		`quantity(object.spec.x) >= 1 && quantity(object.spec.x) < 1`:                    false,
		`let q = quantity(object.spec.x); q == "1" && q == "1000m"`:                      false,
		`object.spec.x == 1000000 && object.spec.x == 1e6`:                               false,
		`object.spec.x > 9007199254740992 && object.spec.x <= 9007199254740993`:          false,
		`cached("pods", "a", "b").spec.x > 5 && cached("pods", "a", "b").spec.x < 3`:     false,
		`any(object.spec.list, .a > 5) && any(object.spec.list, .a < 3)`:                 false,
		`not (object.spec.x > 5 && object.spec.x < 3)`:                                   false,
		`all(object.spec.list, .a > 5 && .a < 3)`:                                        false,
		`object.spec.x == 1 && object.spec.x == 2 ? true : object.spec.y`:                false,
		`semver(object.spec.x) == "1.0" && semver(object.spec.x) == "v1.0.0"`:            false,
		`object.spec.x == nil && (object.spec.x ?? 7) > 1`:                               false,
		`(object.spec.x > 5 && object.spec.x < 3) || object.metadata.name == "webapp"`:   false,
	} {
		f, err := Compile(Expression{Text: text, Informers: map[string][]string{"pods": nil}})
		if err != nil {
			t.Error(text, err)
			continue
		}
		if f.Never() != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
	if (*Filter)(nil).Never() {
		t.Error("no filter is one that is never true")
	}
}

// What is never true is true of no event, whatever the fields of its objects are.
func TestNeverIsNeverTrue(t *testing.T) {
	comparison := rapid.Custom(func(t *rapid.T) string {
		constant := func() string {
			return rapid.SampledFrom([]string{"0", "1", "2", "2.0", "1.5", `"1"`, `"a"`, `"2"`,
				"nil"}).Draw(t, "constant")
		}
		of := rapid.SampledFrom([]string{"object.a", "object.a", "object.b", "old.a", "label(\"a\")",
			"quantity(object.a)", "len(object.l)", "object.l[0]"}).Draw(t, "value")
		op := rapid.SampledFrom([]string{"==", "==", "!=", "<", ">", "<=", ">=", "in",
			"not in", "first", "startsWith", "not endsWith"}).Draw(t, "operator")
		switch op {
		case "in", "not in":
			return fmt.Sprintf("(%s %s [%s, %s])", of, op, constant(), constant())
		case "first":
			return fmt.Sprintf("(%s < %s)", constant(), of)
		}
		return fmt.Sprintf("(%s %s %s)", of, op, constant())
	})
	var expression func(depth int) *rapid.Generator[string]
	expression = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return comparison
		}
		part := expression(depth - 1)
		return rapid.Custom(func(t *rapid.T) string {
			a, b := part.Draw(t, "a"), part.Draw(t, "b")
			switch rapid.IntRange(0, 9).Draw(t, "form") {
			case 0:
				return fmt.Sprintf("(%s || %s)", a, b)
			case 1:
				return fmt.Sprintf("not %s", a)
			case 2:
				return fmt.Sprintf("(%s ? %s : %s)", a, b, part.Draw(t, "c"))
			case 3:
				return fmt.Sprintf("became(%s)", strings.ReplaceAll(a, "old.", "object."))
			}
			return fmt.Sprintf("(%s && %s)", a, b)
		})
	}
	var events []event.Event
	var parser object.Parser
	var objects []*object.Object
	for _, a := range []string{"", "0", "1", "1.5", "2", `"a"`, `"1"`, `"1500m"`, "null", "[1]"} {
		for _, b := range []string{"1", `"2"`} {
			text := `{"apiVersion":"v1","kind":"X","metadata":{"name":"x","labels":{"a":"1"}},"l":[2],"b":` + b
			if a != "" {
				text += `,"a":` + a
			}
			o, err := parser.Parse([]byte(text + "}"))
			if err != nil {
				t.Fatal(err)
			}
			objects = append(objects, o)
		}
	}
	for _, o := range objects {
		events = append(events, event.Event{Op: event.Add, Object: o})
		for _, old := range objects {
			events = append(events, event.Event{Op: event.Update, Object: o, Old: old})
		}
	}
	found := 0
	check := func(fatal func(string, ...any), text string) {
		f, err := Compile(Expression{Text: text})
		if err != nil || !f.Never() { // it may not compile
			return
		}
		found++
		evaluator := f.Evaluator()
		for _, ev := range events {
			if is, err := evaluator.Match(ev); is && err == nil {
				fatal("%s is true of %s of %s, old %v", text, ev.Op, ev.Object.JSON(), ev.Old)
			}
		}
	}
	check(t.Fatalf, `object.a > 1 && object.a < 1`)
	if found == 0 {
		t.Error("nothing is found to be never true")
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			check(t.Fatalf, expression(rapid.IntRange(1, 3).Draw(t, "depth")).Draw(t, "expression"))
		}
	})
}
