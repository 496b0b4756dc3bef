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
		"wasm: a.wasm":                        ":1:1: the case has no events; add events, or refused if the module is to be refused",
		"events: []":                          ":1:9: events is an empty list",
		"evnets: []":                          `:1:1: unknown field "evnets"; did you mean "events"?`,
		"events: [{object: POD}]\nrefused: x": ":2:10: refused is set, and there are events, which a module that is refused does not get; remove it or the events",
		"events: [{op: add}]":                 ":1:10: events[0] has no object; add object, or file with the path of one",
		"events: [{object: POD, file: pod.yaml}]":                                                    ":1:10: events[0] has both object and file; keep one of them",
		"events: [{file: none.yaml}]":                                                                ":1:17: events[0].file: @/none.yaml: the object cannot be read: no such file or directory",
		"events: [{file: list.yaml}]":                                                                ":1:17: events[0].file: @/list.yaml: there is no object in it",
		"events: [{file: pod.yaml, op: update}]":                                                     ":1:10: events[0]: op is update, but there is no old object: add old, the object before",
		"events: [{file: pod.yaml, op: delete, old: POD}]":                                           ":1:10: events[0]: op is delete, but there is an old object, which only an update has",
		"events: [{object: {kind: Pod}}]":                                                            ":1:10: events[0]: this is not a Kubernetes object: offset 0: object has no metadata.name",
		"events: [{object: 1}]":                                                                      ":1:10: events[0]: this is not a Kubernetes object: offset 0: expected an object, found '1'",
		"events: [{object: POD, expect: {verdict: dropped}}]":                                        `:1:152: events[0].expect.verdict must be done, drop, retry or fail, is "dropped"`,
		"events: [{object: POD, expect: {crash: boom}}]":                                             `:1:150: events[0].expect.crash must be trap, deadline, fuel, memory, exit or protocol, is "boom"`,
		"events: [{object: POD, expect: {crash: trap, verdict: done}}]":                              ":1:142: events[0].expect has a crash, and what only a verdict brings",
		"events: [{object: POD, expect: {verdict: fail, emitted: [{data: 1}]}}]":                     ":1:167: events[0].expect.emitted is set, but nothing is emitted with the verdict fail",
		"events: [{object: POD, expect: {fuel: 0}}]":                                                 ":1:149: events[0].expect.fuel must be at least 1, is 0",
		"events: [{object: POD, expect: {kv: {a: 'base64:%'}}}]":                                     `:1:147: events[0].expect.kv has the value "base64:%", which is not base64`,
		"events: [{object: POD}]\nkv: {a: 1}":                                                        ":2:9: kv.a must be a string, is the number 1; put it in quotes",
		"events: [{object: POD}]\nnow: yesterday":                                                    `:2:6: now must be a time with a zone, is "yesterday"; write it as in 2026-01-01T00:00:00Z`,
		"events: [{object: POD}]\nlimits: {deadline: 2h}":                                            ":2:20: limits.deadline must be 1ms to 1m, is 2h",
		"events: [{object: POD}]\ngrants: {http: {}}":                                                ":2:10: grants.http has no allow; add allow, a list of URLs, as in [https://hooks.example.com/x]",
		"events: [{object: POD}]\ngrants: {teleport: {}}":                                            `:2:10: unknown field "teleport" in grants; its fields are `,
		"events: [{object: POD}]\ncache: {pods: [POD, POD]}":                                         ":2:131: cache.pods[1]: duplicate object shop/web-1",
		"events: [{object: POD}]\ncache: {pods: [{}]}":                                               ":2:16: cache.pods[0]: offset 0: object has no metadata.name",
		"events: [{object: POD}]\nindexes: {pods: {app: 'a..b'}}":                                    ":2:23: indexes.pods.app: ",
		"events: [{object: POD}]\nhttp: [{answer: {}}]":                                              ":2:8: http[0] has no request.url; add request: {url: https://…}",
		"events: [{object: POD}]\nhttp: [{request: {url: x}, answer: {status: 99}}]":                 ":2:45: http[0].answer.status must be 200 to 599, is 99",
		"events: [{object: POD}]\nhttp: [{request: {url: x}, answer: {unavailable: true, body: x}}]": ":2:36: http[0].answer is unavailable, and so has no status, headers or body",
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

func TestEventsOfCases(t *testing.T) {
	c, err := readCase("case.yaml", []byte("events: [{object: "+pod+`, op: delete, initial: true,
  finalStateUnknown: true, missed: 3, resumed: true}, {object: `+pod+"}]"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"delete Pod shop/web-1, initial, final state unknown, 3 missed, resumed",
		"add Pod shop/web-1"} {
		if got := title(c.events[i]); got != want {
			t.Errorf("event %d is %s, want %s", i, got, want)
		}
	}
}

func TestValueText(t *testing.T) {
	c := &loadedCase{}
	for value, want := range map[string]string{"": "", "text": "text", "\xff\x00": "base64:/wA=",
		"base64:x": "base64:YmFzZTY0Ong=", "a\x00": "base64:YQA="} {
		got := valueText(value)
		if back := c.values("kv", map[string]string{"k": got})["k"]; got != want || back != value {
			t.Errorf("%q: got %q and back %q", value, got, back)
		}
	}
}

// Whatever a case says, it is read or refused, and a case that was read can be compared with
// anything.
func FuzzReadCase(f *testing.F) {
	for _, text := range []string{
		"events: [{object: POD, expect: {verdict: done, emitted: [{type: a, data: {b: 1}}, {}], log: [a], kv: {a: b}, fuel: 1}}]\nkv: {a: 'base64:AA=='}",
		"http: [{request: {url: x, body: [1]}, answer: {status: 200, body: a}}, 1]\nrefused: x\ncache: {a: [POD]}\nindexes: {a: {b: c}}",
		"grants: {http: {allow: [https://a/], headers: {A: {fromEnv: B}}}, cache: {informers: [a]}}\nlimits: {memory: 1Mi}\nnow: 2026-01-01T00:00:00Z",
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
				e.Expect.compare(
					happened{Outcome: Outcome{Verdict: "done",
						Emitted: []Emission{{Type: "a", Data: []byte(`{"b":2}`)}, {
							Data: []byte("[]")}}}})
			}
		}
	})
}
