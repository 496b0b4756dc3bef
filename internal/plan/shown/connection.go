package shown

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// usualTimeout is the default timeout of all outputs that have one.
const usualTimeout = 10 * time.Second

// Connection returns the settings of how an output sends that are not the default. Of headers and
// secrets it has the names alone.
func Connection(o *config.Output) (all []Setting) {
	add := func(name, text string) { all = append(all, Setting{name, text}) }
	shared := func(timeout time.Duration, tls *config.TLS) {
		if timeout != usualTimeout {
			add("timeout", document.Short(timeout))
		}
		if text := trusts(tls); text != "" {
			add("tls", text)
		}
	}
	headers := func(values map[string]config.Value) {
		if len(values) > 0 {
			add("headers", strings.Join(slices.Sorted(maps.Keys(values)), ", "))
		}
	}
	switch {
	case o.File != nil:
		fileSettings(o.File, add)
	case o.Webhook != nil:
		w := o.Webhook
		headers(w.Headers)
		if w.Sign != nil {
			add("signed", "as Standard Webhooks has it")
		}
		if w.Mode == config.WebhookBatched {
			add("batch", fmt.Sprintf("up to %d messages, which wait for up to %s", w.Batch.Events,
				document.Short(w.Batch.Wait.Duration)))
		}
		shared(w.Timeout.Duration, w.TLS)
	case o.NATS != nil:
		if o.NATS.Credentials != nil {
			add("credentials", "given")
		}
		shared(o.NATS.Timeout.Duration, o.NATS.TLS)
	case o.Kafka != nil:
		if s := o.Kafka.SASL; s != nil {
			add("sasl", s.Mechanism)
		}
		shared(o.Kafka.Timeout.Duration, o.Kafka.TLS)
	case o.Slack != nil:
		shared(o.Slack.Timeout.Duration, nil)
	case o.Alertmanager != nil:
		headers(o.Alertmanager.Headers)
		shared(o.Alertmanager.Timeout.Duration, o.Alertmanager.TLS)
	}
	return all
}

func fileSettings(f *config.File, add func(name, text string)) {
	var usual config.File
	document.SetDefaults(&usual)
	if r := f.Rotate; r != usual.Rotate {
		when := "at any size"
		if r.Size > 0 {
			when = "at " + r.Size.String()
		}
		if r.Age.Duration > 0 {
			when += ", after " + document.Short(r.Age.Duration)
		}
		add("rotate", fmt.Sprintf("%s; %d old files are kept", when, r.Keep))
	}
	if f.Sync != usual.Sync {
		add("sync", f.Sync)
	}
}

// trusts returns the files of a connection's TLS.
func trusts(t *config.TLS) string {
	if t == nil {
		return ""
	}
	var parts []string
	for _, part := range []struct{ word, value string }{{"trusts", t.CAFile},
		{"has the certificate", t.CertFile}, {"expects", t.ServerName}} {
		if part.value != "" {
			parts = append(parts, part.word+" "+part.value)
		}
	}
	return strings.Join(parts, ", ")
}
