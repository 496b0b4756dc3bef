package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// answer is an expression with what is expected to be said about it, or the beginning of that, and
// the text that is proposed.
type answer struct {
	kind       lang.Kind
	text, want string // "": nothing
	fixed      string // "": nothing is proposed, or the answer is a warning
}

// expectAnswers compiles each expression, and what is proposed in its place: that must be right.
func expectAnswers(t *testing.T, schema *lang.Schema, all []answer) {
	t.Helper()
	for _, a := range all {
		source := lang.Expression{Text: a.text, Kind: a.kind, Schema: schema,
			Texts: map[string][]string{"severity": {"info", "low", "medium", "high", "critical"},
				"rule": {"restarts"}, "resource": {"deployments.apps", "pods"}}}
		f, err := filters.Compile(source)
		got, fixed := "", ""
		for _, mistake := range lang.Mistakes(err) {
			got += mistake.Message
			if text, ok := mistake.Fixed(); ok {
				fixed += text
			}
		}
		if err == nil {
			for _, w := range f.Warnings() {
				got += w.Message
			}
		}
		if !strings.HasPrefix(got, a.want) || a.want == "" && got != "" || fixed != a.fixed {
			t.Errorf("%s: %s\n got %s\nwant %s\n got %s\nwant %s", source.Kind.Word().Name, a.text,
				got, a.want, fixed, a.fixed)
		}
		if fixed == "" {
			continue
		}
		source.Text = fixed
		if f, err := filters.Compile(source); err != nil {
			t.Errorf("%s\n-> %s\n%v", a.text, fixed, err)
		} else if w := f.Warnings(); len(w) > 0 {
			t.Errorf("%s\n-> %s\n%v", a.text, fixed, w[0].Message)
		}
	}
}

// Text is joined with text. Next to an age and the like a text is read as one, so that a sentence
// would be nil without a word.
func TestJoins(t *testing.T) {
	var all []answer
	kinds := []lang.Kind{lang.KindMessage, lang.KindText, lang.KindData, lang.KindFilter}
	for _, kind := range kinds {
		for value, is := range map[string]string{"age()": "a duration",
			`quantity("1Gi")`: "a quantity", "semver(object.metadata.name)": "a semver",
			`ip("::1")`: "an IP address", `image("a")`: "an image", `cidr("::/1")`: "a cidr",
			`date("2026-01-02T15:04:05Z")`: "a date", "5": "an integer", "0.5": "a number",
			"true": "a boolean", "len(object.spec.containers)": "an integer",
			"max(age(), age())":    "a duration",
			"object.spec.replicas": "an integer",
			"sum(object.spec.containers, quantity(.resources.limits.memory))": "a quantity",
			`age() + "1h"`: "a duration",
		} {
			compared, bracketed := "", value
			if kind == lang.KindFilter {
				compared = ` != "x"`
			}
			if strings.Contains(value, " + ") {
				bracketed = "(" + value + ")"
			}
			hint := fmt.Sprintf(`"+" cannot join a string and %s; put string(…) around %s`, is, value)
			all = append(all,
				answer{kind: kind, text: `object.metadata.name + " is " + ` + bracketed + compared,
					want: hint, fixed: `object.metadata.name + " is " + ` + strings.Replace(bracketed,
						value, "string("+value+")", 1) + compared},
				answer{kind: kind, text: bracketed + ` + (" is " + object.metadata.name)` + compared,
					want: hint, fixed: strings.Replace(bracketed, value, "string("+value+")", 1) +
						` + (" is " + object.metadata.name)` + compared})
		}
	}
	all = append(all,
		answer{kind: lang.KindMessage, text: `"age " + age()`,
			want:  `"+" cannot join a string and a duration; put string(…) around age()`,
			fixed: `"age " + string(age())`},
		answer{kind: lang.KindMessage, text: `let a = age(); "age " + a`,
			want:  `"+" cannot join a string and a duration; put string(…) around a`,
			fixed: `let a = age(); "age " + string(a)`},
		answer{kind: lang.KindMessage, text: `object.metadata.name + age()`,
			want: `object.metadata.name is read as a duration next to age(), so this is nil unless it is one; put string(…) around age()`},
		answer{kind: lang.KindText, text: `"in " + namespace + " since " + since`,
			want:  `"+" cannot join a string and a date; put string(…) around since`,
			fixed: `"in " + namespace + " since " + string(since)`},
		answer{kind: lang.KindText, text: `name + ": " + violated`,
			want:  `"+" cannot join a string and a boolean; put string(…) around violated`,
			fixed: `name + ": " + string(violated)`},
		answer{kind: lang.KindText, text: `missed + " missed"`,
			want:  `"+" cannot join a string and an integer; put string(…) around missed`,
			fixed: `string(missed) + " missed"`},
		answer{kind: lang.KindMessage, text: `"a" + object.spec.containers`,
			want: `"+" cannot join a string and a list (object.spec.containers); name a field of an item, as in first(object.spec.containers).name, or write string(len(object.spec.containers))`},
		answer{kind: lang.KindMessage, text: `"a" + map(object.spec.containers, .image)`,
			want: `"+" cannot join a string and a list; join one item, as in string(first(map(object.spec.containers, .image))), or write string(len(map(object.spec.containers, .image)))`},
		answer{kind: lang.KindMessage, text: `"a" + object.metadata.labels`,
			want: `"+" cannot join a string and an object (object.metadata.labels); name a field of it`},
		answer{kind: lang.KindFilter, text: `age() + "ten minutes" > "1h"`,
			want: `"ten minutes" is not a valid duration; write it as`},
		answer{kind: lang.KindFilter, text: `semver(object.metadata.name) + 1 == nil`,
			want: `"+" cannot take a semver`},
		// a text that is an amount, or may be, is added
		answer{kind: lang.KindFilter, text: `age() + "10m" > "1h" && annotation("a") + age() > "1h"`},
		answer{kind: lang.KindFilter, text: `quantity("1Gi") + 5 > "1" && "1" + quantity("2") > 2`},
		answer{kind: lang.KindMessage, text: `age() + "10m"`},
		answer{kind: lang.KindMessage, text: `object.metadata.name + string(age() + "10m")`},
		answer{kind: lang.KindData, text: `{"late": age() > annotation("example.com/ttl") + duration("1m")}`},
		answer{kind: lang.KindFilter, text: `date(object.metadata.name) + duration("1h") < date("2026-01-02T15:04:05Z")`},
	)
	expectAnswers(t, podSchema(), all)
}
