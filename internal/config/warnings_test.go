package config

import (
	"strings"
	"testing"
)

// hinted is a valid configuration. Each test replaces a part of it.
const hinted = `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: ./state}
informers:
  pods: {resource: pods}
listeners:
  a:
    informer: pods
    outputs: [out]
outputs:
  out: {stdout: {}}
`

// The path of Alertmanager's API is added to its URL.
func TestURLOfAlertmanager(t *testing.T) {
	const api = "url must be the Alertmanager's, without the path that informerd adds"
	for path, want := range map[string]string{"": "", "/alerts": "", "/api/v2/alerts": api,
		"/x/api/v1/alerts/": api, "/api/v2": api} {
		_, err := Parse("x.yaml", []byte(strings.NewReplacer("out: {stdout: {}}", "out: {alertmanager: {url: 'http://a:9093"+
			path+"'}}", "outputs: [out]", "rules: [{name: r, deny: x}]\n    outputs: [out]").Replace(hinted)))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// A secret is not shown, in whatever place it is.
func TestHintsShowNoSecret(t *testing.T) {
	const url = "https://hooks.slack.com/services/T0/B0/abcdef"
	for _, text := range []string{"out: {slack: " + url + "}", "out: {webhook: " + url + "}",
		"out: " + url, "out: {slack: {url: [" + url + "]}}", "out: {slack: {webhook: " + url + "}}",
		"out: {file: {path: [" + url + "]}}", "out: {slack: {url: " + url + "?a=b}}",
		"out: {nats: {credentials: abcdef?x}}", "out: {nats: {credentials: :abcdef}}", "out: {webhook: {endpoint: " + url + "}}"} {
		_, err := Parse("x.yaml", []byte(strings.Replace(hinted, "out: {stdout: {}}", text, 1)))
		if err == nil || strings.Contains(err.Error(), "abcdef") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// With replicas, a checkpoint is kept nowhere, which is an error only if there is no folder either.
func TestCheckpointsOfReplicas(t *testing.T) {
	c, err := Parse("x.yaml", []byte(strings.Replace(hinted, "    informer: pods\n",
		"    informer: pods\n    checkpoint: true\n", 1)+"leaderElection: {namespace: n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "x.yaml:9:17: listeners.a.checkpoint has no effect with leaderElection, where the next leader goes on"
	if got := Errors(c.Warnings()).Error(); got != want {
		t.Errorf("got %q", got)
	}
}
