package config

import (
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
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
	// Sign adds a signature as Standard Webhooks has it.
	Sign *Sign `json:"sign,omitempty"`
}

// WebhookBatched has requests with several messages.
const WebhookBatched = "batch"

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
	// Previous is the key before that, with which requests are signed as well. Default: none.
	Previous *Secret `json:"previous,omitempty"`
}

func checkWebhook(w *Webhook, path string, r *document.Report) {
	checkURL(w.URL, path+".url", r)
	checkHeaders(w.Headers, path+".headers", r)
	checkURLTLS(w.URL, w.TLS, path, r)
	batch := path + ".batch"
	if r.Good(batch) && w.Mode != WebhookBatched && !r.Failed(path+".mode") {
		r.BadField(batch, "%s is set, but the mode is %s", batch, w.Mode)
	}
}

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

var apiOfAlerts = regexp.MustCompile(`/api/v[12](/alerts)?/*$`)

func checkAlertmanager(a *Alertmanager, path string, r *document.Report) {
	field := path + ".url"
	checkURL(a.URL, field, r)
	if r.Good(field) && apiOfAlerts.MatchString(a.URL.Text) {
		r.BadValue(field, "%s must be the Alertmanager's, without the path that informerd adds",
			field)
	}
	checkHeaders(a.Headers, path+".headers", r)
	checkURLTLS(a.URL, a.TLS, path, r)
}
