package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`

func TestReadEvents(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"f.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
			`1 add {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`},
		{"f.yaml", "---\n# nothing\n---\nobject: {kind: Pod, n: 1.50}\n---\nop: delete\nfinalStateUnknown: true\nmissed: 3\nresumed: true\nobject: {kind: Pod}\n",
			"4 add {\"kind\":\"Pod\",\"n\":1.50}\n6 delete {\"kind\":\"Pod\"} unknown 3 resumed"},
		{"f.yaml", "object: {a: 1}\nold: {a: 2}\ninitial: true\n",
			`1 update {"a":1} old {"a":2} initial`},
		{"stdin", pod + "\n\n" + pod + pod + "\n", "1 add " + pod + "\n3 add " + pod + "\n3 add " +
			pod},
		{"f.jsonl", `{"op":"resync","object":{"a":"\ud83d\ude00\/"}}`,
			`1 resync {"a":"\ud83d\ude00\/"}`},
		{"f.json", "\n{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"a\":1},{\"a\":2}]}",
			"2 add {\"a\":1}\n2 add {\"a\":2}"},
		{"f.yaml", "apiVersion: v1\nkind: PodList\nitems: [{a: 1}]\n", `1 add {"a":1}`},
		{"f.yaml", "{object: {a: 1}, op: add}\n", `1 add {"a":1}`},
	} {
		events, err := ReadEvents(c.file, []byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var lines []string
		for _, e := range events {
			line := fmt.Sprintf("%d %s %s", e.Line, e.Op, e.Object)
			if e.Old != nil {
				line += " old " + string(e.Old)
			}
			if e.Initial {
				line += " initial"
			}
			if e.FinalStateUnknown {
				line += " unknown"
			}
			if e.Missed > 0 {
				line += fmt.Sprint(" ", e.Missed)
			}
			if e.Resumed {
				line += " resumed"
			}
			lines = append(lines, line)
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

func TestMistakesInEvents(t *testing.T) {
	const neither = "this is neither an object, which has apiVersion and kind, nor an event, which has op and object"
	for _, c := range []struct{ file, text, want string }{
		{"f.yaml", "", "f.yaml: there is no event in it"},
		{"f.json", "", "f.json: there is no event in it"},
		{"f.yaml", "just text",
			"f.yaml:1:1: this is neither an object nor an event: it must be a mapping"},
		{"f.yaml", "- a\n- b\n",
			"f.yaml:1:1: this is neither an object nor an event: it must be a mapping"},
		{"f.yaml", "a: 1\n", "f.yaml:1:1: " + neither},
		{"f.json", "\n\n{}", "f.json:3: " + neither},
		{"f.json", "[]", "f.json:1: this is neither an object nor an event: it must be a mapping"},
		{"f.yaml", "object: {a: 1}\n---\nop: addd\nobject: {}\n",
			`f.yaml:3:5: op must be add, update, delete or resync, is "addd"; did you mean "add"?`},
		{"f.jsonl", pod + "\n{\"op\":\"addd\",\"object\":{}}",
			`f.jsonl:2: op must be add, update, delete or resync, is "addd"`},
		{"f.jsonl", pod + "\n{\"pp\":\"add\",\"object\":{}}",
			`f.jsonl:2: the event: unknown field "pp"`},
		{"f.jsonl", pod + "\n{\"object\":", "f.jsonl:2: not JSON: unexpected EOF"},
		{"f.jsonl", pod + "\n{\"object\" 1}",
			"f.jsonl:2:11: not JSON: invalid character '1' after object key"},
		{"f.yaml", "op: update\nobject: {}\n",
			"f.yaml:1:1: op is update, but there is no old object: add old, the object before"},
		{"f.yaml", "op: add\nobject: {}\nold: {}\n",
			"f.yaml:1:1: op is add, but there is an old object, which only an update has"},
		{"f.yaml", "object: {}\nfinalStateUnknown: true\n",
			"f.yaml:1:1: op is add, but finalStateUnknown is for a delete only"},
		{"f.yaml", "object: {}\nmissed: -1\n", "f.yaml:1:1: missed must not be negative, is -1"},
		{"f.yaml", "kind: Pod\nkind: Pod\n",
			"f.yaml:2:1: kind is defined twice, first on line 1"},
		{"f.yaml", "kind: [Pod\n", "f.yaml:1:1: not YAML: did not find expected ',' or ']'\n  kind: [Pod\n  ^"},
		{"f.yaml", "object: &a [*a]\n",
			"f.yaml:1:13: values are nested deeper than 100 levels"},
		{"f.yaml", "kind:" + bomb(25),
			"f.yaml:3:11: the event has more than 200000 values"},
		{"f.yaml", "\x7fELF\x02\x01",
			"f.yaml:1:1: the character U+007F is not allowed"},
		{"f.yaml", strings.Repeat("#\n", 8<<20) + "#",
			"f.yaml: the events have more than 16777216 bytes of YAML, and may have 67108864 of JSON"},
		{"f.yaml", strings.Repeat("#\n", 32<<20) + "#",
			"f.yaml: the events have more than 67108864 bytes"},
	} {
		_, err := ReadEvents(c.file, []byte(c.text))
		var mistakes Errors
		if !errors.As(err, &mistakes) || err.Error() != c.want {
			t.Errorf("%.60q: got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func FuzzReadEvents(f *testing.F) {
	for _, text := range []string{pod, pod + "\n" + pod, "object: {a: 1}\nold: {}\n",
		"a: &b [1, *b]\n---\n{}", "{\"object\":{},\"op\":\"delete\"}"} {
		f.Add("f.yaml", text)
		f.Add("f.json", text)
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		events, err := ReadEvents(file, []byte(text))
		var mistakes Errors
		if err != nil && !errors.As(err, &mistakes) {
			t.Errorf("%v is no Errors", err)
		}
		for _, e := range events {
			if e.Op == 0 || e.Object == nil || e.Line < 1 {
				t.Errorf("an event is not complete: %+v", e)
			}
		}
	})
}
