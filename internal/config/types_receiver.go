package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Webhook posts messages as CloudEvents over HTTP. Requests do not follow redirects, and do not
// reach loopback, link-local and metadata addresses unless the URL has the very address.
type Webhook struct {
	// URL is where messages are posted to: https://…, or http://… for a loopback or private address
	// and for a service in the cluster, as in http://NAME.NAMESPACE.svc/PATH.
	URL Value `json:"url" jsonschema:"required,format=http-url"`
	// Mode is how messages are written. structured: the body is the CloudEvent. binary: the body is
	// its data, and headers have its attributes. batch: the body is a list of CloudEvents.
	Mode string `json:"mode" jsonschema:"default=structured,enum=structured,enum=binary,enum=batch"`
	// Batch bounds the requests of mode batch.
	Batch WebhookBatch `json:"batch,omitzero"`
	// Timeout is the longest one request may take.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=10s,minimum=10ms,maximum=10m"`
	// Headers go with every request. Their values are read again when they change. Default: none.
	Headers map[string]Value `json:"headers,omitempty" jsonschema:"maxProperties=64,propertyNames=header-name" item:"header"`
	// TLS says whom the connection trusts, and how informerd identifies itself.
	TLS *TLS `json:"tls,omitempty"`
	// Sign adds a signature as Standard Webhooks has it, so that the receiver knows who sent a
	// request.
	Sign *Sign `json:"sign,omitempty"`
}

// The modes of a webhook.
const (
	WebhookStructured = "structured"
	WebhookBinary     = "binary"
	WebhookBatched    = "batch"
)

// WebhookBatch bounds a list of CloudEvents in one request.
type WebhookBatch struct {
	// Events is how many messages a request may have.
	Events int `json:"events" jsonschema:"default=100,minimum=1,maximum=10000"`
	// Wait is how long the first message of a request may wait for others.
	Wait metav1.Duration `json:"wait" jsonschema:"default=50ms,minimum=0s,maximum=1m"`
}

// Sign is what requests are signed with: a key as Standard Webhooks has it, whsec_ and base64.
type Sign struct {
	// Secret is the key.
	Secret Secret `json:"secret" jsonschema:"required"`
	// Previous is the key before that, with which requests are signed as well, so that the receiver
	// can change to the new one at any time. Default: none.
	Previous *Secret `json:"previous,omitempty"`
}

// TLS says whom a connection trusts, and how informerd identifies itself. Paths are relative to the
// folder of this configuration; the files are read again when they change. Connections have TLS 1.2
// or a later version.
type TLS struct {
	// CAFile is a file with the certificates that are trusted, as PEM. Default: those of the
	// system.
	CAFile string `json:"caFile,omitempty" jsonschema:"format=path" item:"a file"`
	// CertFile is the file of informerd's own certificate, as PEM. Default: none.
	CertFile string `json:"certFile,omitempty" jsonschema:"format=path" item:"a file"`
	// KeyFile is the file of that certificate's key, as PEM. Default: none.
	KeyFile string `json:"keyFile,omitempty" jsonschema:"format=path" item:"a file"`
	// ServerName is the name that the server's certificate must have. Default: the host of its
	// address.
	ServerName string `json:"serverName,omitempty" jsonschema:"format=server-name"`
}

// NATS publishes messages to NATS.
type NATS struct {
	// Servers are the URLs of the servers, tried in any order.
	Servers []string `json:"servers" jsonschema:"required,minItems=1,maxItems=100,uniqueItems,writeOnly,format=nats-url" item:"server"`
	// Subject is an expression that returns the subject. Characters of names that a subject cannot
	// have are a mistake of the message, which becomes a dead letter.
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

// The mechanisms of SASL.
const (
	SASLPlain       = "plain"
	SASLScramSHA256 = "scram-sha-256"
	SASLScramSHA512 = "scram-sha-512"
)

// Slack posts messages to a channel of Slack, or of what takes the same requests.
type Slack struct {
	// URL is that of an incoming webhook. One of hooks.slack.com is a secret.
	URL Value `json:"url" jsonschema:"required,format=http-url"`
	// Text is an expression that returns the text. Default: none, one line with the rule's message
	// or the event, and the object.
	Text Expression `json:"text,omitzero" jsonschema:"minLength=1"`
	// Timeout is the longest one request may take.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=10s,minimum=10ms,maximum=10m"`
}

// Alertmanager posts what rules report to the API v2 of an Alertmanager. Events are not sent to it.
type Alertmanager struct {
	// URL is the Alertmanager's, without /api/v2/alerts.
	URL Value `json:"url" jsonschema:"required,format=http-url"`
	// Labels are further labels of the alerts, each with an expression that returns its value.
	// Default: none.
	Labels map[string]Expression `json:"labels,omitempty" jsonschema:"maxProperties=64,propertyNames=label-name,minLength=1" item:"label"`
	// Headers go with every request. Their values are read again when they change. Default: none.
	Headers map[string]Value `json:"headers,omitempty" jsonschema:"maxProperties=64,propertyNames=header-name" item:"header"`
	// Timeout is the longest one request may take.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=10s,minimum=10ms,maximum=10m"`
	// TLS says whom the connection trusts, and how informerd identifies itself.
	TLS *TLS `json:"tls,omitempty"`
}
