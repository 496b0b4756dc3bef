package plan

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// A destination has hosts, and the names of variables and files, but nothing that may be a secret.
func TestDestination(t *testing.T) {
	env := config.Value{FromEnv: "PATH"}
	text := config.Value{Text: "https://me:secret@a.example.com:8443/secret?key=secret#secret"}
	for want, o := range map[string]*config.Output{
		"standard output": {Stdout: &config.Stdout{}},
		"the file a/b":    {File: &config.File{Path: "a/b"}},
		"a webhook, mode batch, to https://a.example.com:8443/…": {
			Webhook: &config.Webhook{Mode: "batch", URL: text}},
		"a webhook, mode binary, to the URL in the file x/url": {
			Webhook: &config.Webhook{Mode: "binary", URL: config.Value{FromFile: "x/url"}}},
		"a webhook, mode , to a URL that is not shown": {
			Webhook: &config.Webhook{URL: config.Value{Text: "secret"}}},
		"Slack, to the URL in $PATH":                       {Slack: &config.Slack{URL: env}},
		"an Alertmanager, to https://a.example.com:8443/…": {Alertmanager: &config.Alertmanager{URL: text}},
		"NATS, server nats://n:4222": {
			NATS: &config.NATS{Servers: []string{"nats://me:secret@n:4222"}}},
		"NATS, the stream S, servers nats://n, tls://m": {
			NATS: &config.NATS{Servers: []string{"nats://n", "tls://m"}, Stream: "S"}},
		"Kafka, the topic t, brokers k:1, l:2": {
			Kafka: &config.Kafka{Topic: "t", Brokers: []string{"k:1", "l:2"}}},
		"Events on the API server": {KubernetesEvent: &config.KubernetesEvent{}},
		"patches of type json":     {Patch: &config.Patch{Type: "json"}},
		"patches of type apply, without effect": {
			Patch: &config.Patch{Type: "apply", DryRun: true}},
	} {
		if got := destination(o); got != want || strings.Contains(got, "secret") {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
