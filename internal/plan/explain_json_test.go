package plan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// What a rule reports of an event has a word of its own, for each thing that it may be.
func TestWhatAnAnswerReports(t *testing.T) {
	cfg := parse(t, head+`
  rules:
    informer: {resource: pods}
    resync: 1m
    rules:
      - {name: once, deny: object.n > 1}
      - {name: slow, for: 1m, deny: object.n > 1}
      - {name: often, repeat: 1h, deny: object.n > 1}
      - {name: clock, deny: 'object.n > 1 && age("2020-01-01T00:00:00Z") > "1h"'}
    outputs: [out]
`)
	pod := func(n string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":` + n + `}`
	}
	for _, c := range []struct{ op, is, was, want string }{
		{"add", "2", "", "violated/now violated/later violated/now violated/now"},
		{"add", "1", "", "kept/no kept/no kept/no kept/no"},
		{"add", `"a"`, "", "unknown/unknown unknown/unknown unknown/unknown unknown/unknown"},
		{"update", "3", "2", "violated/no violated/later violated/again violated/now-if-new"},
		{"update", "1", "2", "kept/resolved kept/resolved kept/resolved kept/resolved-if-open"},
		{"update", "2", `"a"`, "violated/now-if-new violated/later violated/now-if-new violated/now-if-new"},
		{"delete", "2", "", "violated/resolved violated/resolved violated/resolved violated/resolved-if-open"},
		{"resync", "2", "", "violated/now-if-new violated/later violated/now-if-new violated/now-if-new"},
		{"resync", "1", "", "kept/no kept/no kept/no kept/resolved-if-open"},
		{"delete", "1", "", "kept/no kept/no kept/no kept/resolved-if-open"},
	} {
		old := ""
		if c.was != "" {
			old = pod(c.was)
		}
		a, err := Answer(cfg, nil, "rules", question(t, c.op, pod(c.is), old))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.Rules {
			got = append(got, r.Result+"/"+r.Reported)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s of %s, before %s: %s, want %s", c.op, c.is, c.was, got, c.want)
		}
	}
}

// Select and filter have words too, and all that the text says is in the JSON.
func TestAnswersSayWhatTheTextSays(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {stdout: {}, when: object.n < 5, data: '{n: object.n, nothing: nil}'}
  slack: {slack: {url: "http://127.0.0.1/"}, data: '{text: "n is " + string(object.n)}'}
  events: {kubernetesEvent: {}, data: '{note: "n: " + string(object.n)}'}
  fails: {file: {path: x}, data: object.n + "a"}
listeners:
  set: {informer: {resource: pods}, select: object.n > 1, filter: object.n != 7, outputs: [out, slack, events, fails]}
  plain: {informer: {resource: pods}, on: [delete], outputs: [out]}
  rules: {informer: {resource: pods}, rules: [{name: r, severity: low, deny: object.n > 1}], outputs: [events]}
`)
	pod := func(n string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"n":` + n + `}`
	}
	for _, c := range []struct{ listener, op, is, was, selects, event string }{
		{"set", "add", "2", "", "selected", "matches"},
		{"set", "add", "1", "", "not-selected", ""},
		{"set", "add", "7", "", "selected", "does-not-match"},
		{"set", "add", `"a"`, "", "failed", ""},
		{"set", "update", "2", "1", "enters", "matches"},
		{"set", "update", "1", "2", "leaves", "matches"},
		{"set", "update", "3", "2", "selected", "matches"},
		{"set", "update", "0", "1", "not-selected", ""},
		{"plain", "add", "2", "", "", "not-wanted"},
		{"rules", "add", "2", "", "", "not-sent"},
	} {
		old := ""
		if c.was != "" {
			old = pod(c.was)
		}
		a, err := Answer(cfg, nil, c.listener, question(t, c.op, pod(c.is), old))
		if err != nil {
			t.Fatal(err)
		}
		selects, event, says := "", "", []string{}
		if a.Select != nil {
			selects, says = a.Select.Result, append(says, a.Select.Says...)
		}
		for _, r := range a.Rules {
			says = append(says, r.Says...)
		}
		if a.Event != nil {
			event, says = a.Event.Result, append(says, a.Event.Says...)
		}
		if selects != c.selects || event != c.event {
			t.Errorf("%+v: %s, %s", c, selects, event)
		}
		var text bytes.Buffer
		if err := a.Write(&text); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) { // sentences end so, trees do not
			line = strings.TrimSpace(line)
			if strings.HasSuffix(line, ".") && !strings.HasPrefix(line, "Note: ") &&
				!strings.Contains(strings.Join(says, "\n"), line) &&
				line != "The message becomes a dead letter." {
				t.Errorf("%+v: the JSON does not say %q\n%q", c, line, says)
			}
		}
	}
	a, err := Answer(cfg, nil, "set", question(t, "add", pod("6"), ""))
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, o := range a.Event.Outputs {
		text, err := json.Marshal(o.Made)
		if err != nil {
			t.Fatal(err)
		}
		made[o.Name] = o.Takes + " " + string(text)
	}
	for name, want := range map[string]string{
		"out":    "no null",
		"slack":  `yes {"data":{"text":"n is 6"},"slack.text":"n is 6 (`,
		"events": `yes {"data":{"note":"n: 6"},"kubernetesEvent":{"namespace":"shop","type":"Normal","reason":"ObjectAdded","action":"Added","note":"n: 6","regarding":{"apiVersion":"v1","kind":"Pod","namespace":"shop","name":"web"}}}`,
		"fails":  `no {"data":{"error":"`,
	} {
		if !strings.HasPrefix(made[name], want) {
			t.Errorf("%s: %s, want %s", name, made[name], want)
		}
	}
	if when := a.Event.Outputs[0].When; when == nil || when.Matched == nil || *when.Matched {
		t.Errorf("when: %+v", when)
	}
}

// An Event about an Event of informerd is not created, and not shown.
func TestExplainOfEventsOfInformerd(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {events: {kubernetesEvent: {}}}
listeners:
  all: {informer: {resource: events}, outputs: [events]}
`)
	for controller, want := range map[string]string{"kubelet": "yes", "informerd.dev/informerd": "no"} {
		a, err := Answer(cfg, nil, "all", question(t, "add",
			`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"n"},"reportingController":"`+controller+`"}`, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Event.Outputs[0]; got.Takes != want || (got.Made != nil) != (want == "yes") {
			t.Errorf("%s: %+v", controller, got)
		}
	}
}
