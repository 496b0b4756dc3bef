package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
)

// NATS publishes messages to NATS.
type NATS struct {
	// Servers are the URLs of the servers, tried in any order.
	Servers []string `json:"servers" jsonschema:"required,minItems=1,maxItems=100,uniqueItems,writeOnly,format=nats-url" item:"server"`
	// Subject is an expression that returns the subject. A message with characters that a subject
	// cannot have is a dead letter.
	Subject Expression `json:"subject" jsonschema:"required,minLength=1"`
	// Stream is the name of the JetStream stream that must take the message. Default: none, the
	// server takes a message whether anybody subscribes or not.
	Stream string `json:"stream,omitempty" jsonschema:"format=stream-name"`
	// Credentials is a credentials file as nsc makes it, read again when it changes. Default: none.
	Credentials *Secret `json:"credentials,omitempty"`
	// Timeout is the longest that publishing one message may take.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=10s,minimum=10ms,maximum=10m"`
	// TLS says whom the connection trusts, and how informerd identifies itself. Default: as the
	// server asks for.
	TLS *TLS `json:"tls,omitempty"`
}

// Kafka produces messages to a topic, in order per object.
type Kafka struct {
	// Brokers are the hosts and ports of brokers; one that answers is enough.
	Brokers []string `json:"brokers" jsonschema:"required,minItems=1,maxItems=100,uniqueItems,format=broker" item:"broker"`
	// Topic is the name of the topic. It must exist.
	Topic string `json:"topic" jsonschema:"required,format=topic"`
	// Timeout is the longest that producing one message may take.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=10s,minimum=10ms,maximum=10m"`
	// TLS says whom the connection trusts, and how informerd identifies itself; {} is TLS with the
	// certificates of the system. Default: none, a connection without TLS.
	TLS *TLS `json:"tls,omitempty"`
	// SASL is how informerd identifies itself. Default: not at all.
	SASL *SASL `json:"sasl,omitempty"`
}

// SASL is the identity of a client of Kafka.
type SASL struct {
	// Mechanism is how the password is proved.
	Mechanism string `json:"mechanism" jsonschema:"default=scram-sha-512,enum=scram-sha-512,enum=scram-sha-256,enum=plain"`
	// Username is the name of the client.
	Username string `json:"username" jsonschema:"required,minLength=1"`
	// Password is the client's password, read again when it changes.
	Password Secret `json:"password" jsonschema:"required"`
}

func checkKafka(k *Kafka, path string, r *document.Report) {
	checkTLS(k.TLS, path+".tls", r)
	mechanism := path + ".sasl.mechanism"
	if k.SASL != nil && k.SASL.Mechanism == "plain" && k.TLS == nil && r.Good(mechanism) {
		r.Warn(r.Value(mechanism), mechanism, "%s is plain, and without TLS everybody on the way can read the password",
			mechanism)
	}
}
