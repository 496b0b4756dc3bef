package kafka

import (
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

// DefaultTimeout is the timeout of a Config without one.
const DefaultTimeout = 10 * time.Second

// Config is what a Sink needs to know.
type Config struct {
	// Brokers are hosts with ports. One that answers is enough.
	Brokers []string
	// Topic is the name of the topic, which must exist.
	Topic string
	// TLS is how connections are secured. Nil: not at all.
	TLS *secret.TLSFiles
	// SASL is how informerd identifies itself. Nil: not at all.
	SASL *SASL
	// Timeout is the longest that a Write may take. 0: DefaultTimeout.
	Timeout time.Duration
	// Fence is what records have to pass. Nil: none.
	Fence *sink.Fence
}

// The mechanisms of SASL.
const (
	Plain       = "plain"
	ScramSHA256 = "scram-sha-256"
	ScramSHA512 = "scram-sha-512"
)

// SASL is the identity of the client.
type SASL struct {
	Mechanism string
	Username  string
	Password  secret.Value
}

func (c *Config) check() error {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	switch {
	case len(c.Brokers) == 0:
		return errors.New("kafka: no brokers: write at least one, such as kafka:9092")
	case c.Topic == "":
		return errors.New("kafka: no topic")
	case c.SASL == nil:
		return nil
	}
	switch c.SASL.Mechanism {
	case Plain, ScramSHA256, ScramSHA512:
		return nil
	}
	return fmt.Errorf("kafka: unknown mechanism %q: write %s, %s or %s", c.SASL.Mechanism,
		ScramSHA512, ScramSHA256, Plain)
}
