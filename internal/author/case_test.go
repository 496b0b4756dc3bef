package author

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

func TestMistakesInCases(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
	write(t, dir, "list.yaml", "[]")
	for text, want := range map[string]string{
		"":                                    ": the case is empty",
		"[]":                                  ":1:1: the case must be a mapping, is a list",
		"events: []":                          ":1:9: events is an empty list",
		"evnets: []":                          `:1:1: unknown field "evnets"; did you mean "events"?`,
		"events: [{object: POD}]\nrefused: x": ":2:10: refused is set, and there are events, which a module that is refused does not get; remove it or the events",
		"events: [{op: add}]":                 ":1:10: events[0] has no object; add object, or file with the path of one",
		"events: [{object: POD, file: pod.yaml}]":                                ":1:10: events[0] has both object and file; keep one of them",
		"events: [{file: none.yaml}]":                                            ":1:17: events[0].file: @/none.yaml: the object cannot be read: no such file or directory",
		"events: [{file: list.yaml}]":                                            ":1:17: events[0].file: @/list.yaml: there is no object in it",
		"events: [{file: pod.yaml, op: update}]":                                 ":1:10: events[0]: op is update, but there is no old object: add old, the object before",
		"events: [{file: pod.yaml, op: delete, old: POD}]":                       ":1:10: events[0]: op is delete, but there is an old object, which only an update has",
		"events: [{object: {kind: Pod}}]":                                        ":1:10: events[0]: this is not a Kubernetes object: offset 0: object has no metadata.name",
		"events: [{object: 1}]":                                                  ":1:10: events[0]: this is not a Kubernetes object: offset 0: expected an object, found '1'",
		"events: [{object: POD, expect: {verdict: dropped}}]":                    `:1:152: events[0].expect.verdict must be done, drop, retry or fail, is "dropped"`,
		"events: [{object: POD, expect: {verdict: fail, emitted: [{data: 1}]}}]": ":1:167: events[0].expect.emitted is set, but nothing is emitted with the verdict fail",
		"events: [{object: POD, expect: {fuel: 0}}]":                             ":1:149: events[0].expect.fuel must be at least 1, is 0",
		"events: [{object: POD}]\nlimits: {deadline: 2h}":                        ":2:20: limits.deadline must be 1ms to 1m, is 2h",
		"events: [{object: POD}]\ngrants: {http: {}}":                            ":2:10: grants.http has no allow",
		"events: [{object: POD}]\ngrants: {teleport: {}}":                        `:2:10: unknown field "teleport" in grants; its fields are `,
	} {
		file := write(t, dir, "case.yaml", text)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = readCase(file, data)
		var mistakes config.Errors
		if !errors.As(err, &mistakes) {
			t.Errorf("%q: got %v", text, err)
			continue
		}
		got := strings.ReplaceAll(strings.ReplaceAll(err.Error(), file, ""), dir, "@")
		if got != want && !(strings.HasSuffix(want, " ") && strings.HasPrefix(got, want)) {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestSameJSON(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`1`, `1.0`, true},
		{`1e3`, `1000`, true},
		{`"1"`, `1`, false},
		{`null`, `false`, false},
		{`{"a":{"b":[1,2]},"c":"<x>"}`, `{"c":"<x>", "a": {"b": [1, 2]}}`, true},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[1,3]}}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{}`, `[]`, false},
		{``, ``, false},
	} {
		if got := sameJSON([]byte(c.a), []byte(c.b)); got != c.same {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

func TestEventsOfCases(t *testing.T) {
	c, err := readCase("case.yaml", []byte("events: [{object: "+pod+`, op: delete}, {object: `+pod+"}]"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"delete Pod shop/web-1",
		"add Pod shop/web-1"} {
		if got := title(c.events[i]); got != want {
			t.Errorf("event %d is %s, want %s", i, got, want)
		}
	}
}

// Whatever a case says, it is read or refused, and a case that was read can be compared with
// anything.
func FuzzReadCase(f *testing.F) {
	for _, text := range []string{
		"events: [{object: POD, expect: {verdict: done, emitted: [{type: a, data: {b: 1}}, {}], kv: {a: b}, fuel: 1}}]",
		"refused: x",
		"grants: {http: {allow: [https://a/], headers: {A: {fromEnv: B}}}, cache: {informers: [a]}}\nlimits: {memory: 1Mi}",
	} {
		f.Add(strings.ReplaceAll(text, "POD", pod))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readCase("case.yaml", []byte(text))
		var mistakes config.Errors
		if err != nil {
			if !errors.As(err, &mistakes) {
				t.Errorf("%v is no Errors", err)
			}
			return
		}
		if len(c.events) != len(c.Events) || c.Refused == nil && len(c.events) == 0 {
			t.Errorf("%d events of %d", len(c.events), len(c.Events))
		}
		for _, e := range c.Events {
			if e.Expect != nil {
				e.Expect.compare(outcome{Verdict: "done", Emitted: []emission{{Type: "a",
					Data: []byte(`{"b":2}`)}, {Data: []byte("[]")}}}, nil)
			}
		}
	})
}
