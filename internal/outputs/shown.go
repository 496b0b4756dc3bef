package outputs

import (
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/kafka"
	"github.com/informerd/informerd/internal/sink/kubernetesevent"
	"github.com/informerd/informerd/internal/sink/nats"
	"github.com/informerd/informerd/internal/sink/patch"
)

// newShown makes a sink that shows what the output would send.
func (m *Maker) newShown(cfg *config.Config, o *config.Output, x Expressions) (sink.Sink, error) {
	of := sink.ShowOf{Clusters: cfg.Fleet(), Together: o.Alertmanager != nil ||
		o.Webhook != nil && o.Webhook.Mode == config.WebhookBatched}
	return m.DryRun.Sink(o.Name, kindOf(o), of, func(show sink.Show) (sink.Sink, error) {
		switch {
		case o.Stdout != nil:
			return sink.NewShown(show, line("write", "stdout")), nil
		case o.File != nil:
			return sink.NewShown(show, line("append", cfg.Path(o.File.Path))), nil
		case o.NATS != nil:
			return nats.Shown(m.natsConfig(cfg, o, textOf(x.Subject)), show), nil
		case o.Kafka != nil:
			return kafka.Shown(m.kafkaConfig(cfg, o.Kafka), show), nil
		case o.KubernetesEvent != nil:
			return kubernetesevent.New(kubernetesevent.Config{API: sink.KubeDryRun{Show: show}})
		case o.Patch != nil:
			return patch.New(patch.Config{API: sink.KubeDryRun{Show: show},
				Type: patchTypes[o.Patch.Type], Patch: jsonOf(x.Patch), DryRun: o.Patch.DryRun})
		}
		return m.make(cfg, o, x, show)
	})
}

// kindOf returns the name of an output's kind.
func kindOf(o *config.Output) string {
	for kind, is := range map[string]bool{"stdout": o.Stdout != nil, "file": o.File != nil,
		"webhook": o.Webhook != nil, "slack": o.Slack != nil,
		"alertmanager": o.Alertmanager != nil, "nats": o.NATS != nil, "kafka": o.Kafka != nil,
		"kubernetesEvent": o.KubernetesEvent != nil, "patch": o.Patch != nil} {
		if is {
			return kind
		}
	}
	return ""
}

// line returns what an output writes that takes lines.
func line(do, to string) func(*sink.Message) (sink.Unsent, error) {
	return func(m *sink.Message) (sink.Unsent, error) {
		return sink.Unsent{Do: do, To: to, Body: cloudevent.Append(nil, *m)}, nil
	}
}
