package nats

import (
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

// DefaultTimeout is the timeout of a Config without one.
const DefaultTimeout = 10 * time.Second

// Config is what a Sink needs to know. The texts in it have been checked.
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
