package kafka

import (
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

// DefaultTimeout is the timeout of a Config without one.
const DefaultTimeout = 10 * time.Second

// Config is what a Sink needs to know. The texts in it have been checked.
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
	// Clusters: the key of a record begins with the name of its object's cluster, as messages of
	// several come.
	Clusters bool
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
