package daemon

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
)

// trapGuest has an on_event that is unreachable.
const trapGuest = preamble + "010c0260000060047f7f7f7f017f0303020001050301000107280" +
	"3066d656d6f7279020010696e666f726d6572645f6162695f76310000086f6e5f6576656e7400010a080202000b0300000b"

// A handler that keeps crashing pauses its listener and no other; metrics and /healthz say so, and
// stopping does not wait.
func TestAHandlerThatKeepsCrashing(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	d := start(t, parse(t, `http: {address: "127.0.0.1:0"}
`+head+`
  traps:
    informer: {resource: pods}
    handler: {wasm: `+writeGuest(t, trapGuest)+`, pauseAfter: 2, limits: {deadline: 10s}}
    retry: {attempts: 1}
    outputs: [out]
  alone: {informer: {resource: pods}, outputs: [out]}
`), k)
	d.out.waitForLines(t, 3, "/listeners/alone")
	d.log.waitFor(t, `level=ERROR msg="the handler keeps crashing, so the listener pauses" listener=traps crashes=3 for=2s error=`)
	health := regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(
		d.ask(t, "/healthz"), "…")
	const want = "200 ok\nlistener \"traps\": paused since …, now until …: its handler has crashed 3 times in a row, at last with " +
		`"listener \"traps\": handler crashed in on_event (add of \"shop/web-3\"): trap: wasm error: unreachable`
	if !strings.HasPrefix(health, want) || strings.Count(health, "\n") != 1 {
		t.Errorf("got\n%s\nwant\n%s", health, want)
	}
	metrics := d.ask(t, "/metrics")
	for _, line := range []string{
		`informerd_handler_paused{listener="traps"} 1`,
		`informerd_handler_pauses_total{listener="traps"} 2`,
		`informerd_handler_crashes_total{listener="traps",reason="trap"} 3`,
	} {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("there is no %s in\n%s", line, metrics)
		}
	}
	if strings.Contains(metrics, `informerd_handler_paused{listener="alone"}`) {
		t.Error("there is a metric of a handler that there is not")
	}
	d.stop(t)
	d.log.waitFor(t, `msg="listener stopped" listener=traps`)
}

func TestWarningsOfSettings(t *testing.T) {
	var log bytes.Buffer
	cfg := parse(t, head+`
  hook:
    informer: {resource: pods}
    handler:
      wasm: `+writeGuest(t, trapGuest)+`
      grants: {http: {allow: ["https://hooks.example.com/x"]}}
    outputs: [out]
state: {dir: state}
`)
	if err := Check(t.Context(), cfg, Options{Log: plain(&log, slog.LevelWarn)}); err != nil {
		t.Fatal(err)
	}
	const field = "listeners.hook.handler."
	want := `level=WARN msg="suspicious setting" at=` + cfg.File() + `:10:16 reason="` + field +
		"grants.http: a request must fit in " + field +
		`limits.deadline, which is 100ms unless it is set"` +
		"\n"
	if log.String() != want {
		t.Errorf("got  %s\nwant %s", log.String(), want)
	}
}
