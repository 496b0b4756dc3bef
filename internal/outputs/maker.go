package outputs

import (
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/alertmanager"
	"github.com/informerd/informerd/internal/sink/file"
	"github.com/informerd/informerd/internal/sink/kafka"
	"github.com/informerd/informerd/internal/sink/kubernetesevent"
	"github.com/informerd/informerd/internal/sink/nats"
	"github.com/informerd/informerd/internal/sink/slack"
	"github.com/informerd/informerd/internal/sink/webhook"
	"github.com/informerd/informerd/pkg/filters"
)

// Maker makes sinks, and has what one of them leaves to the next one of its name. Set its fields.
type Maker struct {
	Stdout io.Writer
	API    *API
	// Fence is what everything has to pass that the sinks send, but for those of API, whose writer
	// has it. Nil: none.
	Fence *sink.Fence
	// DryRun shows what sinks would send. Nil: they send it.
	DryRun *sink.DryRun

	alerts sync.Map // from the names of outputs to what Alertmanager has of them
}

// Expressions are those of an output that its sink evaluates. Those that it does not have are nil.
type Expressions struct {
	Subject, Patch, Text *filters.Filter
	Labels               map[string]*filters.Filter
}

// New makes the sink of an output. The configuration is for paths.
func (m *Maker) New(cfg *config.Config, o *config.Output, x Expressions) (sink.Sink, error) {
	if m.DryRun != nil {
		return m.newShown(cfg, o, x)
	}
	return m.make(cfg, o, x, nil)
}

// make makes a sink, which shows requests over HTTP in place of sending them if there is a show.
func (m *Maker) make(cfg *config.Config, o *config.Output, x Expressions, show sink.Show) (
	sink.Sink, error) {
	switch {
	case o.Stdout != nil:
		return file.NewStdout(m.Fence.Writer(m.Stdout)), nil
	case o.File != nil:
		return m.newFile(cfg, o.File)
	case o.Webhook != nil:
		return m.newWebhook(cfg, o, show)
	case o.Slack != nil:
		return slack.New(slack.Config{URL: value(cfg, o.Slack.URL), Text: textOf(x.Text),
			Notifies: strings.Contains(o.Slack.Text.Text, "<!"),
			Timeout:  o.Slack.Timeout.Duration, Fence: m.Fence, Show: show})
	case o.Alertmanager != nil:
		return m.newAlertmanager(cfg, o, x.Labels, show)
	case o.NATS != nil:
		return nats.New(m.natsConfig(cfg, o, textOf(x.Subject)))
	case o.Kafka != nil:
		return kafka.New(m.kafkaConfig(cfg, o.Kafka))
	case o.KubernetesEvent != nil:
		return kubernetesevent.New(kubernetesevent.Config{API: &m.API.api})
	case o.Patch != nil:
		return m.API.patch(o, jsonOf(x.Patch))
	}
	return nil, errors.New("this version does not have outputs of its kind")
}

func (m *Maker) newFile(cfg *config.Config, f *config.File) (sink.Sink, error) {
	return file.New(file.Config{Path: cfg.Path(f.Path), Sync: file.Sync(f.Sync),
		Rotate: file.Rotate{Size: int64(f.Rotate.Size), Age: f.Rotate.Age.Duration,
			Keep: f.Rotate.Keep}, Fence: m.Fence})
}

var webhookModes = map[string]webhook.Mode{
	"structured": webhook.Structured, "binary": webhook.Binary,
	config.WebhookBatched: webhook.Batch,
}

func (m *Maker) newWebhook(cfg *config.Config, o *config.Output, show sink.Show) (sink.Sink,
	error) {
	w := o.Webhook
	c := webhook.Config{Output: o.Name, URL: value(cfg, w.URL), Mode: webhookModes[w.Mode],
		Events: w.Batch.Events, Wait: w.Batch.Wait.Duration, Timeout: w.Timeout.Duration,
		Headers: headers(cfg, w.Headers), TLS: tlsOf(cfg, w.TLS), Fence: m.Fence, Show: show}
	if w.Sign != nil {
		c.Sign.Secret, c.Sign.Previous = secretOf(cfg, &w.Sign.Secret),
			secretOf(cfg, w.Sign.Previous)
	}
	return webhook.New(c)
}

// Sent returns what an Alertmanager that is an output has, or would have.
func (m *Maker) Sent(output string) *alertmanager.Sent {
	sent, has := m.alerts.Load(output)
	if !has { // each cut of each listener asks
		sent, _ = m.alerts.LoadOrStore(output, &alertmanager.Sent{})
	}
	return sent.(*alertmanager.Sent)
}

func (m *Maker) newAlertmanager(cfg *config.Config, o *config.Output,
	labels map[string]*filters.Filter, show sink.Show) (sink.Sink, error) {
	a := o.Alertmanager
	c := alertmanager.Config{Sent: m.Sent(o.Name), URL: value(cfg, a.URL),
		Headers: headers(cfg, a.Headers), TLS: tlsOf(cfg, a.TLS), Fence: m.Fence, Show: show,
		Timeout: a.Timeout.Duration,
		Labels:  make(map[string]func(*sink.Message) (string, error), len(labels))}
	for name, f := range labels {
		c.Labels[name] = textOf(f)
	}
	return alertmanager.New(c)
}

// value returns a value that may be in the environment or in a file.
func value(cfg *config.Config, v config.Value) secret.Value {
	switch {
	case v.FromEnv != "":
		return secret.FromEnv(v.FromEnv)
	case v.FromFile != "":
		return secret.FromFile(cfg.Path(v.FromFile))
	}
	return secret.Literal(v.Text)
}

// secretOf returns a secret, which is unset for nil.
func secretOf(cfg *config.Config, s *config.Secret) secret.Value {
	if s == nil {
		return secret.Value{}
	}
	return value(cfg, config.Value{FromEnv: s.FromEnv, FromFile: s.FromFile})
}

func headers(cfg *config.Config, values map[string]config.Value) map[string]secret.Value {
	all := make(map[string]secret.Value, len(values))
	for name, v := range values {
		all[name] = value(cfg, v)
	}
	return all
}

// tlsOf returns the files of a connection, nil for none.
func tlsOf(cfg *config.Config, t *config.TLS) *secret.TLSFiles {
	if t == nil {
		return nil
	}
	return &secret.TLSFiles{CAFile: cfg.Path(t.CAFile), CertFile: cfg.Path(t.CertFile),
		KeyFile: cfg.Path(t.KeyFile), ServerName: t.ServerName}
}
