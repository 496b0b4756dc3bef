package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

var answering = regexp.MustCompile(
	`msg="answering requests" address=(\S+) paths="\[/ /`)

// ask returns an answer of the daemon's endpoint.
func (d *started) ask(t *testing.T, path string) string {
	t.Helper()
	d.log.waitFor(t, "answering requests")
	address := answering.FindStringSubmatch(d.log.String())
	if address == nil {
		t.Fatal(d.log.String())
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://"+address[1]+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, body)
}

func TestWhatIsGoingOnCanBeAskedFor(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {
		named("shop", "web", `"team":"a"`, `,"status":{"phase":"Pending"}`), named("shop", "till",
			"", `,"status":{"phase":"Running"}`), named("pay", "job", "",
			`,"status":{"phase":"Failed"}`),
	}})
	d := start(t, parse(t, `http: {address: "127.0.0.1:0"}
cluster: {name: home}
`+head+`
  stuck:
    informer: {resource: pods}
    rules:
      - {name: not-running, severity: high, deny: object.status.phase != "Running", message: '"is " + object.status.phase'}
      - {name: mistaken, deny: object.metadata.name > 1}
    outputs: [out]
  plain: {informer: {resource: pods}, filter: 'object.metadata.name == "web"', outputs: [out]}
`), k)
	d.out.waitForLines(t, 2, "dev.informerd.rule.violated")
	d.out.waitForLines(t, 1, "/listeners/plain")
	if got := d.ask(t, "/healthz"); got != "200 ok" {
		t.Errorf("got %q", got)
	}
	violations := regexp.MustCompile(`"since":"[^"]+"`).ReplaceAllString(d.ask(t, "/violations"),
		`"since":"…"`)
	const want = `200 {"items":[
{"listener":"stuck","resource":"pods","rule":"not-running","severity":"high","namespace":"pay","name":"job","uid":"pay-job","message":"is Failed","since":"…"},
{"listener":"stuck","resource":"pods","rule":"not-running","severity":"high","namespace":"shop","name":"web","uid":"shop-web","message":"is Pending","since":"…"}],"total":2}
`
	if violations != want {
		t.Errorf("got\n%s\nwant\n%s", violations, want)
	}
	metrics := d.ask(t, "/metrics")
	for _, line := range []string{
		`informerd_build_info{version="test"} 1`,
		`informerd_cluster_info{cluster="home"} 1`,
		`informerd_events_total{listener="stuck",op="add"} 3`,
		`informerd_messages_written_total{listener="stuck"} 2`,
		`informerd_rule_violations{listener="stuck",namespace="shop",rule="not-running",severity="high"} 1`,
		`informerd_listener_violations{listener="stuck"} 2`,
		`informerd_rule_errors_total{listener="stuck"} 3`,
		`informerd_dead_letters_total{listener="stuck",reason="rule-failed"} 3`,
		`informerd_filter_errors_total{listener="stuck"} 0`,
		`informerd_events_refused_total{listener="plain"} 2`,
		`informerd_informer_objects{namespace="",resource="pods"} 3`,
	} {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("there is no %s in\n%s", line, metrics)
		}
	}
	// A listener without rules has nothing to say of violations.
	for _, name := range []string{"informerd_listener_violations", "informerd_rule_errors_total"} {
		if strings.Contains(metrics, name+`{listener="plain"}`) {
			t.Errorf("there is %s of a listener without rules", name)
		}
	}
	d.stop(t)
}

// Without an address nothing listens.
func TestNobodyIsAnsweredUnlessAsked(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", "")}})
	d := start(t, parse(t, head+`
  pods: {informer: {resource: pods}, outputs: [out]}
`), k)
	d.out.waitForLines(t, 1, "/listeners/pods")
	d.stop(t)
	if log := d.log.String(); strings.Contains(log, "answering") {
		t.Error(log)
	}
}

func TestAnAddressThatIsTakenIsSaidBeforeAnythingRuns(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	k := kubernetesWith(t, map[string][]string{"pods": nil})
	cfg := parse(t, fmt.Sprintf("http: {address: %q}\n", taken.Addr())+head+`
  pods: {informer: {resource: pods}, outputs: [out]}
`)
	var log lockedBuffer
	err = Run(t.Context(), cfg, Options{Kubeconfig: kubeconfig(t, k.url), Stdout: io.Discard,
		Log: plain(&log, 0)})
	var mistakes config.Errors
	if err == nil || !strings.Contains(err.Error(), taken.Addr().String()) ||
		errors.As(err, &mistakes) || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if log.String() != "" {
		t.Error(log.String())
	}
}
