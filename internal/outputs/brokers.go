package outputs

import (
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kafka"
	"github.com/informerd/informerd/internal/sink/nats"
)

func (m *Maker) newNATS(cfg *config.Config, o *config.Output,
	subject func(*sink.Message) (string, error)) (sink.Sink, error) {
	n := o.NATS
	return nats.New(nats.Config{Output: o.Name, Servers: n.Servers, Subject: subject,
		Stream:      n.Stream,
		Credentials: secretOf(cfg, n.Credentials), TLS: tlsOf(cfg, n.TLS),
		Timeout: n.Timeout.Duration, Fence: m.Fence})
}

func (m *Maker) newKafka(cfg *config.Config, k *config.Kafka) (sink.Sink, error) {
	c := kafka.Config{Brokers: k.Brokers, Topic: k.Topic, TLS: tlsOf(cfg, k.TLS),
		Timeout: k.Timeout.Duration, Fence: m.Fence}
	if s := k.SASL; s != nil {
		c.SASL = &kafka.SASL{Mechanism: s.Mechanism, Username: s.Username,
			Password: secretOf(cfg, &s.Password)}
	}
	return kafka.New(c)
}
