package nats

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

// DefaultTimeout is the timeout of a Config without one.
const DefaultTimeout = 10 * time.Second

// Config is what a Sink needs to know.
type Config struct {
	// Output is its name in the configuration.
	Output string
	// Servers are URLs, such as nats://nats:4222 or tls://nats:4222.
	Servers []string
	// Subject returns the subject of a message.
	Subject func(*sink.Message) (string, error)
	// Stream is the JetStream stream that must take the messages. Empty: none, the server itself
	// takes them.
	Stream string
	// Credentials is the text of a credentials file, as nsc makes it. Unset: none.
	Credentials secret.Value
	// TLS is how the connection is secured. Nil: as the server asks for.
	TLS *secret.TLSFiles
	// Timeout is the longest that a Write may take. 0: DefaultTimeout.
	Timeout time.Duration
	// Fence is what messages have to pass. Nil: none.
	Fence *sink.Fence
}

func (c *Config) check() error {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if len(c.Servers) == 0 {
		return errors.New("nats: no servers: write at least one, such as nats://nats:4222")
	}
	for i, server := range c.Servers {
		u, err := url.Parse(server)
		switch {
		case err != nil || u.Hostname() == "":
			// Neither the text nor the parser's error is shown: there may be a password in it.
			return fmt.Errorf(
				"nats: server %d of %d cannot be read as a URL: write it as nats://nats:4222",
				i+1, len(c.Servers))
		case u.User != nil:
			return fmt.Errorf(
				"nats: server %d of %d has a user in its URL: use credentials instead",
				i+1, len(c.Servers))
		}
	}
	if c.Subject == nil {
		return errors.New("nats: no subject: write an expression for it")
	}
	return nil
}
