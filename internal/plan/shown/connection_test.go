package shown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config"
)

// How an output sends is shown where it is not the default, and without what may be a secret.
func TestConnection(t *testing.T) {
	ten := metav1.Duration{Duration: 10 * time.Second}
	three := metav1.Duration{Duration: 3 * time.Second}
	secret := config.Value{Text: "secret"}
	tls := &config.TLS{CAFile: "ca.pem", CertFile: "me.pem", KeyFile: "key.pem", ServerName: "s"}
	kept := config.Rotate{Size: 100 << 20, Keep: 7}
	for want, o := range map[string]*config.Output{
		"": {Stdout: &config.Stdout{}},
		"headers: Authorization, X-Team; signed: as Standard Webhooks has it; timeout: 3s": {
			Webhook: &config.Webhook{Timeout: three, Sign: &config.Sign{},
				Headers: map[string]config.Value{"X-Team": secret, "Authorization": secret}}},
		"batch: up to 5 messages, which wait for up to 3s": {Webhook: &config.Webhook{
			Mode: "batch", Timeout: ten, Batch: config.WebhookBatch{Events: 5, Wait: three}}},
		"credentials: given; tls: trusts ca.pem, has the certificate me.pem, expects s": {
			NATS: &config.NATS{Timeout: ten, Credentials: &config.Secret{}, TLS: tls}},
		"sasl: plain; timeout: 3s": {
			Kafka: &config.Kafka{Timeout: three, SASL: &config.SASL{Mechanism: "plain", Username: "secret"}}},
		"timeout: 3s": {Slack: &config.Slack{Timeout: three}},
		"headers: X": {Alertmanager: &config.Alertmanager{Timeout: ten,
			Headers: map[string]config.Value{"X": secret}}},
		"rotate: at 1Mi, after 3s; 2 old files are kept; sync: always": {File: &config.File{
			Sync: "always", Rotate: config.Rotate{Size: 1 << 20, Age: three, Keep: 2}}},
		"rotate: at any size; 7 old files are kept": {File: &config.File{Sync: "interval",
			Rotate: config.Rotate{Keep: 7}}},
		"sync: never": {File: &config.File{Sync: "never", Rotate: kept}},
	} {
		var all []string
		for _, s := range Connection(o) {
			all = append(all, s.Name+": "+s.Text)
		}
		if got := strings.Join(all, "; "); got != want || strings.Contains(fmt.Sprint(all), "secret") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
