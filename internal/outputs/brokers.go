package outputs

import (
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kafka"
	"github.com/informerd/informerd/internal/sink/nats"
)

func (m *Maker) natsConfig(cfg *config.Config, o *config.Output,
	subject func(*sink.Message) (string, error)) nats.Config {
	n := o.NATS
	return nats.Config{Output: o.Name, Servers: n.Servers, Subject: subject,
		Stream:      n.Stream,
		Credentials: secretOf(cfg, n.Credentials), TLS: tlsOf(cfg, n.TLS),
		Timeout: n.Timeout.Duration, Fence: m.Fence}
}

// NATSAccess returns the credentials and TLS with which replicas reach what they have in common.
func NATSAccess(cfg *config.Config, n *config.SharedState) ([]nats.Option, error) {
	return nats.Access(secretOf(cfg, n.Credentials), tlsOf(cfg, n.TLS))
}

func (m *Maker) kafkaConfig(cfg *config.Config, k *config.Kafka) kafka.Config {
	c := kafka.Config{Brokers: k.Brokers, Topic: k.Topic, TLS: tlsOf(cfg, k.TLS),
		Timeout: k.Timeout.Duration, Clusters: cfg.Fleet(), Fence: m.Fence}
	if s := k.SASL; s != nil {
		c.SASL = &kafka.SASL{Mechanism: s.Mechanism, Username: s.Username,
			Password: secretOf(cfg, &s.Password)}
	}
	return c
}
