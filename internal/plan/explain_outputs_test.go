package plan

import (
	"strings"
	"testing"
)

// Each output's when is evaluated, and what its data yields is shown.
func TestExplainOfOutputs(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {stdout: {}}
  high: {stdout: {}, when: severity == "high", data: '{rule: rule, name: name, op: op}'}
  adds: {stdout: {}, when: op == "add" && type == "dev.informerd.object.added" && resource == "deployments.apps"}
  text: {stdout: {}, data: '{text: listener + " " + subject}'}
  fails: {stdout: {}, when: object.spec.n > 1}
  alerts: {alertmanager: {url: http://127.0.0.1:9093}}
listeners:
  plain: {informer: {resource: deploy}, outputs: [out, high, adds, text]}
  filtered: {informer: {resource: deploy}, filter: "true", outputs: [high]}
  handled: {informer: {resource: deploy}, handler: {wasm: my.wasm}, outputs: [high]}
  fails: {informer: {resource: deploy}, filter: "true", rules: [{name: never, deny: "false"}], outputs: [fails, out, alerts]}
  rules: {informer: {resource: deploy}, rules: [{name: r, severity: high, deny: "true"}, {name: s, severity: low, for: 1m, deny: "true"}], outputs: [out, high]}
`)
	const object = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"web"},"spec":{"n":"a"}}`
	const refuses = "\noutput high, when:\nfalse  severity == \"high\"\n└─ severity = nil\n"
	for listener, want := range map[string][]string{
		"plain": {"\nThere is no filter: the event goes to the outputs out, adds, text; high does not take it.\n" +
			refuses + "\noutput adds, when:\ntrue ",
			"\noutput text, data:\n{\"text\":\"plain deployments.apps/shop/web\"}\n"},
		"filtered": {"The event matches: it goes to no output; high does not take it.\n" + refuses},
		"handled":  {"the event goes to the handler my.wasm. What that emits goes to the output high; to see it: informerd plugin run -c " + cfg.File() + " -l handled --event OBJECT\n"},
		"fails": {"goes to the output out; the when of fails fails, which makes a dead letter; alerts takes only reports of rules.\n" +
			"\noutput fails, when:\nerror "},
		"rules": {"reported at once: \"r\"\nThe report goes to the outputs out, high.\n\noutput high, when:\ntrue ",
			"\noutput high, data:\n{\"name\":\"web\",\"op\":\"add\",\"rule\":\"r\"}\n",
			"The report goes to the output out; high does not take it.\n"},
	} {
		got := explain(t, cfg, listener, question(t, "add", object, ""))
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s:\n%s\nwant %s", listener, got, part)
			}
		}
		if strings.Contains(got, "data:\n{\"name") != (listener == "rules") {
			t.Errorf("%s:\n%s", listener, got)
		}
	}
}

// A patch that is null or empty patches nothing.
func TestExplainOfNoPatch(t *testing.T) {
	for patch, want := range map[string]string{
		`'label("a") == "b" ? {metadata: {labels: {c: "d"}}} : nil'`: "fix patches nothing: its patch is null",
		"'{}'":                               "fix patches nothing: its patch is {}",
		"'{metadata: {labels: {c: \"d\"}}}'": "it goes to the output fix",
	} {
		cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {fix: {patch: {patch: `+patch+`}}}
listeners: {a: {informer: {resource: pods}, filter: "true", outputs: [fix]}}
`)
		const object = `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"web"}}`
		if got := explain(t, cfg, "a", question(t, "add", object, "")); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s", patch, got)
		}
	}
}

// What the other expressions of outputs yield is shown too, for what begins and for what ends.
func TestExplainOfWhatOutputsSend(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  slack: {slack: {url: "http://127.0.0.1/", text: 'name + (violated ? " breaks\n" : " keeps ") + rule + ": " + message'}}
  nats: {nats: {servers: ["nats://127.0.0.1:4222"], subject: '"k8s." + severity'}}
  fix: {patch: {patch: '{metadata: {labels: {broken: violated ? "yes" : nil}}}'}}
  alerts: {alertmanager: {url: http://127.0.0.1:9093, labels: {team: 'label("team") ?? "none"', n: string(object.n)}}}
  fails: {slack: {url: "http://127.0.0.1/", text: 'object.spec > 1 ? "a" : "b"'}}
  empty: {slack: {url: "http://127.0.0.1/", text: label("none")}}
listeners:
  rules: {informer: {resource: pods}, rules: [{name: large, severity: high, deny: object.n > 1, message: '"n is " + string(object.n)'}], outputs: [slack, nats, fix, alerts]}
  fails: {informer: {resource: pods}, filter: "true", outputs: [fails, empty]}
`)
	pod := func(n string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":"x","n":` + n + `}`
	}
	for name, c := range map[string]struct {
		q    Question
		want []string
	}{
		"begins": {question(t, "update", pod("2"), pod("1")), []string{
			"The report goes to the outputs slack, nats, fix, alerts.\n",
			"\noutput slack, slack.text:\n\"web breaks\\nlarge: n is 2\"\n",
			"\noutput nats, nats.subject:\nk8s.high\n",
			"\noutput fix, patch.patch:\n{\"metadata\":{\"labels\":{\"broken\":\"yes\"}}}\n",
			"\noutput alerts, alertmanager.labels.n:\n2\n\noutput alerts, alertmanager.labels.team:\nnone\n"}},
		"ends": {question(t, "update", pod("0"), pod("7")), []string{
			"The report of its end goes to the outputs slack, nats, fix, alerts.\n",
			"\noutput slack, slack.text:\nweb keeps large: n is 7\n",
			"\noutput fix, patch.patch:\n{\"metadata\":{\"labels\":{\"broken\":null}}}\n",
			"alertmanager.labels.n:\n7\n"}},
	} {
		got := explain(t, cfg, "rules", c.q)
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s:\n%s\nwant %s", name, got, part)
			}
		}
	}
	got := explain(t, cfg, "fails", question(t, "add", pod("1"), ""))
	if !strings.Contains(got, "\noutput fails, slack.text:\nerror: ") ||
		!strings.Contains(got, "The message becomes a dead letter.\n") ||
		!strings.Contains(got, "empty, slack.text:\n(nothing: the value is nil or an empty text)\n") {
		t.Error(got)
	}
}

// A report caused by time is of no event: op is an empty text, as docs/filters.md says.
func TestExplainOfReportsCausedByTime(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}, data: '{op: op, nil: op ?? "nil", by: op != "" ? op : "time"}'}}
listeners:
  rules: {informer: {resource: pods}, rules: [{name: now, deny: "true"}, {name: later, for: 1h, deny: "true"}], outputs: [out]}
`)
	got := explain(t, cfg, "rules", question(t, "add",
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}`, ""))
	for _, want := range []string{`{"by":"add","nil":"add","op":"add"}`,
		`{"by":"time","nil":"","op":""}`} {
		if !strings.Contains(got, "\noutput out, data:\n"+want+"\n") {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// A rule that reports again says how often.
func TestExplainOfRepeats(t *testing.T) {
	cfg := parse(t, head+`
  rules: {informer: {resource: pods}, rules: [{name: large, repeat: 2h, deny: object.n > 1}, {name: old, for: 1h, deny: object.n > 1}], outputs: [out]}
`)
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":2}`
	got := explain(t, cfg, "rules", question(t, "update", pod, pod))
	for _, part := range []string{
		"before this update, too: it is reported again every 2h while that lasts.\n",
		"before this update, too, so its time goes on: it is reported when it has lasted for 1h, unless that was reported already: \"old\"\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s\nwant %s", got, part)
		}
	}
}

// A report about an object that leaves the set has its last state there, as the delete has.
func TestExplainOfAReportOfWhatLeaves(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}, data: '[message, object.n]'}}
listeners:
  set: {informer: {resource: pods}, select: object.n < 9, rules: [{name: large, deny: object.n > 1, message: string(object.n)}], outputs: [out]}
`)
	pod := func(n string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":` + n + `}`
	}
	got := explain(t, cfg, "set", question(t, "update", pod("9"), pod("7")))
	if want := "output out, data:\n[\"7\",7]\n"; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The explanation of an event that a listener got has its outputs' expressions as well.
func TestExplainOfAnEventThatCame(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}, data: object.n}, few: {stdout: {}, when: object.n < 2}}
listeners:
  pods: {informer: {resource: pods}, outputs: [out, few]}
`)
	p, mistakes := Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	e, err := question(t, "add", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":7}`,
		"").event(cfg.Listeners["pods"].Informer())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = p.Explain(p.Listeners[0], e, nil, nil, &b)
	const want = `listener pods, add of Pod "web"

There is no filter: the event goes to the output out; few does not take it.

output out, data:
7

output few, when:
false  object.n < 2
└─ object.n = 7
`
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// The end of a violation goes to the outputs that took the violation and want its end. What cannot
// be made is no delivery.
func TestExplainOfWhoGetsAnEnd(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  both: {stdout: {}}
  later: {stdout: {}, when: label("team") == "shop", data: object.n}
  before: {stdout: {}, when: label("team") == "pay"}
  never: {stdout: {}, when: label("team") == "x"}
  fails: {stdout: {}, data: 'object.n + (violated ? 1 : "x")'}
listeners:
  rules: {informer: {resource: pods}, rules: [{name: large, deny: object.n > 1}], outputs: [both, later, before, never, fails]}
`)
	pod := func(n, team string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"team":"` + team +
			`"}},"n":` + n + `}`
	}
	got := explain(t, cfg, "rules", question(t, "update", pod("1", "shop"), pod("2", "pay")))
	const want = `The object violated the rule before this update, and does not any more: the violation is resolved, which is reported to the outputs that got it.
The report of its end goes to the output both; later does not take the violation, and does not get its end either; before has the violation and does not take its end; never does not take the violation, and does not get its end either; the data of fails fails, which makes a dead letter.

output later, when, of the violation:
false  label("team") == "shop"
└─ label("team") = "pay"

output before, when, of its end:
false  label("team") == "pay"
└─ label("team") = "shop"

output never, when, of the violation:
false  label("team") == "x"
└─ label("team") = "pay"

output fails, data:
error: `
	if !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A text that Slack gets by default is shown as well.
func TestExplainOfTheDefaultText(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
cluster: {name: dev}
outputs: {out: {slack: {url: "http://127.0.0.1/"}}}
listeners: {pods: {informer: {resource: pods}, outputs: [out]}}
`)
	got := explain(t, cfg, "pods", question(t, "add",
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}`, ""))
	if !strings.HasSuffix(got, "\noutput out, the text for Slack:\nadded (Pod web, dev)\n") {
		t.Error(got)
	}
}

// Whether an output took a violation may depend on the event that began it, which is not known.
func TestExplainOfAnEndThatDependsOnTheBegin(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}, when: op == "update"}}
listeners:
  rules: {informer: {resource: pods}, rules: [{name: large, deny: object.n > 1}, {name: slow, for: 1m, repeat: 2m, deny: object.n > 1}], outputs: [out]}
`)
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":`
	got := explain(t, cfg, "rules", question(t, "update", pod+"1}", pod+"2}"))
	for _, want := range []string{
		"The report of its end goes to no output; out takes it if it has the violation, which depends on the event that began it.\n\noutput out, when, of its end:\ntrue ",
		"The report of its end goes to no output; out does not take the violation, and does not get its end either.\n\noutput out, when, of the violation:\nfalse ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	got = explain(t, cfg, "rules", question(t, "update", pod+"3}", pod+"2}"))
	if want := `it is reported when it has lasted for 1m, unless that was reported already, and again every 2m while that lasts: "slow"`; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
