package daemon

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// The page says of an event what the listener knows of the object by its rules, besides how the
// event is judged now.
func TestThePageSaysWhatRulesRemember(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {
		named("shop", "web", "", `,"status":{"phase":"Pending"}`)}})
	d := start(t, parse(t, `http: {address: "127.0.0.1:0"}
apiVersion: informerd.dev/v1alpha1
kind: Config
shutdown: {drain: 100ms}
outputs: {out: {stdout: {}}, away: {webhook: {url: "http://127.0.0.1:1/"}}}
listeners:
  half:
    informer: {resource: pods}
    resync: 1s
    rules: [{name: partly, deny: object.status.phase != "Running"}]
    outputs: [away, out]
  stuck:
    informer: {resource: pods}
    resync: 1s
    rules:
      - {name: not-running, deny: object.status.phase != "Running"}
      - {name: for-long, for: 1h, deny: object.status.phase != "Running"}
      - {name: hourly, repeat: 1h, deny: object.status.phase != "Running"}
      - {name: failed, deny: object.status.phase == "Failed"}
    outputs: [out]
`), k)
	d.out.waitForLines(t, 3, "dev.informerd.rule.violated")
	explained := func(listener string) string {
		look := "/events?listener=" + listener
		d.askUntil(t, look, `.*"resync".*`)
		events := regexp.MustCompile(`"number":(\d+)`).FindStringSubmatch(d.ask(t, look))
		if events == nil {
			t.Fatal(d.ask(t, look))
		}
		_, body, _ := strings.Cut(
			d.ask(t, "/explain?listener="+listener+"&event="+events[1]), " ")
		var answer struct{ Text string }
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		return answer.Text
	}
	text := explained("stuck") + explained("half")
	for _, want := range []string{
		`\n  rule partly: violated since 20\S+Z; reported to out; waits for away\n`,
		`\n  rule not-running: violated since 20\S+Z; reported to out\n`,
		`\n  rule for-long: pending since 20\S+Z; next report at 20\S+Z\n`,
		`\n  rule hourly: violated since 20\S+Z; reported to out; next report at 20\S+Z\n`,
		`\nrule not-running, deny:\ntrue   object\.status\.phase != "Running"\n`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "rule failed: ") {
		t.Error(text)
	}
	d.stop(t)
}
