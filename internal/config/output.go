package config

import (
	"net/url"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
)

// Output is one place events go to. Exactly one of its fields other than when and data is set.
type Output struct {
	// Name is the output's key in Config.Outputs.
	Name string `json:"-"`
	// When is an expression; messages for which it is false do not go to this output. Default:
	// none, all messages do.
	When Expression `json:"when,omitzero" jsonschema:"minLength=1"`
	// Data is an expression that makes the message's data, of any type that JSON has. Default:
	// none, the data is what the handler made, or the object and its old state.
	Data Expression `json:"data,omitzero" jsonschema:"minLength=1"`
	// Stdout writes each message as one line of JSON to standard output.
	Stdout *Stdout `json:"stdout,omitempty" jsonschema:"oneof_required=kind"`
	// File writes each message as one line of JSON to a file.
	File *File `json:"file,omitempty" jsonschema:"oneof_required=kind"`
	// Webhook posts messages as CloudEvents over HTTP.
	Webhook *Webhook `json:"webhook,omitempty" jsonschema:"oneof_required=kind"`
	// NATS publishes messages to NATS, in a JetStream stream or without one.
	NATS *NATS `json:"nats,omitempty" jsonschema:"oneof_required=kind"`
	// Kafka produces messages to a topic of Kafka, with the object as the key.
	Kafka *Kafka `json:"kafka,omitempty" jsonschema:"oneof_required=kind"`
	// KubernetesEvent writes Events about the objects to the API server.
	KubernetesEvent *KubernetesEvent `json:"kubernetesEvent,omitempty" jsonschema:"oneof_required=kind"`
	// Patch changes the objects on the API server.
	Patch *Patch `json:"patch,omitempty" jsonschema:"oneof_required=kind"`
	// Slack posts messages to a channel of Slack.
	Slack *Slack `json:"slack,omitempty" jsonschema:"oneof_required=kind"`
	// Alertmanager posts what rules report to an Alertmanager: violated as firing, resolved as
	// resolved.
	Alertmanager *Alertmanager `json:"alertmanager,omitempty" jsonschema:"oneof_required=kind"`
}

// Stdout has no settings: write {}.
type Stdout struct{}

// KubernetesEvent has no settings: write {}.
type KubernetesEvent struct{}

// DeadLetters bound what is kept of events and messages that could not be delivered, in state.dir
// or in memory without it.
type DeadLetters struct {
	// Bytes is how large all of them may be together. Those of one namespace have a quarter of that.
	Bytes Bytes `json:"bytes" jsonschema:"default=256Mi,minimum=1Mi,maximum=1Ti"`
	// Age is how long one is kept.
	Age metav1.Duration `json:"age" jsonschema:"default=168h,zero=without end,minimum=1m"`
	// WhenFull is what happens when there is no room for another one. wait: its object waits until
	// there is. drop: it is lost, and counted.
	WhenFull string `json:"whenFull" jsonschema:"default=wait,enum=wait,enum=drop"`
}

// TLS says whom a connection trusts, and how informerd identifies itself. The files are read again
// when they change.
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

// checkOutput checks what the tags of an output's fields cannot say.
func checkOutput(o *Output, path string, r *document.Report) {
	switch {
	case o.Webhook != nil:
		checkWebhook(o.Webhook, path+".webhook", r)
	case o.NATS != nil:
		checkTLS(o.NATS.TLS, path+".nats.tls", r)
	case o.Kafka != nil:
		checkKafka(o.Kafka, path+".kafka", r)
	case o.Slack != nil:
		checkURL(o.Slack.URL, path+".slack.url", r)
	case o.Alertmanager != nil:
		checkAlertmanager(o.Alertmanager, path+".alertmanager", r)
	}
}

// checkURL checks a URL that is in the configuration. What it reports never shows it.
func checkURL(v Value, path string, r *document.Report) {
	if !r.Good(path) || v.FromEnv != "" || v.FromFile != "" || r.Has(path+".fromEnv") ||
		r.Has(path+".fromFile") || v.Text == "" && r.Broken(path) {
		return
	}
	if problem := CheckURL(v.Text); problem != "" {
		r.BadValue(path, "%s%s", path, problem)
	} else if SecretURL(v.Text) {
		r.BadValue(path, "%s: %s", path, noCredential)
	}
}

// checkURLTLS refuses the settings of TLS for a URL without it.
func checkURLTLS(v Value, t *TLS, path string, r *document.Report) {
	at := path + ".tls"
	checkTLS(t, at, r)
	if u, err := url.Parse(v.Text); t != nil && err == nil && u.Scheme == "http" &&
		r.Good(path+".url") {
		r.BadField(at, "%s is set, but the URL begins with http://", at)
	}
}

// checkTLS refuses a certificate without its key, and a key without its certificate.
func checkTLS(t *TLS, path string, r *document.Report) {
	if t == nil {
		return
	}
	for _, pair := range [][2]string{{"certFile", "keyFile"}, {"keyFile", "certFile"}} {
		has := path + "." + pair[0]
		if r.Good(has) && r.Missing(path, pair[1]) {
			r.BadField(has, "%s is set, but %s has no %s", has, path, pair[1])
		}
	}
}

// checkFiles refuses two outputs that write the same file.
func checkFiles(c *Config, r *document.Report) {
	first := map[string]string{}
	for name, o := range document.Sorted(c.Outputs) {
		at := document.Join("outputs", name)
		field := at + ".file.path"
		if o == nil || o.File == nil || !r.Good(field) {
			continue
		}
		path := filepath.Clean(c.Path(o.File.Path))
		other, twice := first[path]
		switch {
		case path == "/dev/stdout":
			r.BadValue(field, "%s is %s, for which there is stdout: {}", field, path)
		case twice:
			r.BadValue(field, "%s is the file of %s", field, other)
		default:
			first[path] = at
		}
	}
}

// checkOutputNames checks that the outputs which a mapping names exist.
func checkOutputNames(c *Config, outputs []string, path string, r *document.Report) {
	for i, name := range outputs {
		at := document.Item(document.Join(path, "outputs"), i)
		if r.Good(at) && !r.Has(document.Join("outputs", name)) && !r.Failed("outputs") &&
			!misnamed(name, c.Outputs) {
			r.BadValue(at, "%s: unknown output %s", at,
				document.Quote(name)).Hint = nameHint(r, name, "outputs", c.Outputs)
		}
	}
}

// checkUses checks what the outputs of a listener, or of policies if it is nil, need of it.
func checkUses(c *Config, l *Listener, outputs []string, path string, r *document.Report) {
	checkApplies(c, outputs, path, r)
	for i, name := range outputs {
		at, shown := document.Item(document.Join(path, "outputs"), i), document.Join("outputs", name)
		o := c.Outputs[name]
		if o == nil || !r.Good(at) || !r.Good(shown) {
			continue
		}
		switch {
		case c.Sharding != nil && c.Sharding.By == "object" && (o.Alertmanager != nil || o.Kafka != nil):
			r.BadValue(at, "%s: %s knows objects by their names, and with sharding.by: object one may end after another one of its name has come",
				at, shown)
		case l != nil && o.Alertmanager != nil && len(l.Rules) == 0 && r.Missing(path, "rules"):
			r.BadValue(at, "%s: %s only takes what rules report, and %s has no rules", at, shown,
				path)
		case o.Patch != nil && o.Patch.Patch.IsZero() && o.Data.IsZero() &&
			(l == nil || l.Handler == nil && r.Missing(path, "handler")) &&
			r.Missing(shown+".patch", "patch") && r.Missing(shown, "data"):
			r.BadValue(at, "%s: nothing makes the patch: %s has no expression for it, and %s no handler",
				at, shown, path)
		}
	}
}

// warnDeadLetters warns of dead letters that have no place on disk, if another program can refuse
// messages: nobody sees that coming. Of those that a handler makes, the daemon warns with the first
// one, see internal/daemon.
func warnDeadLetters(c *Config, r *document.Report) {
	if c.State.Dir != "" || r.Has("state") || r.Broken("") {
		return
	}
	for name, o := range document.Sorted(c.Outputs) {
		at := document.Join("outputs", name)
		if o != nil && r.Good(at) && o.Stdout == nil && o.File == nil {
			r.Warn(r.Key(at), at, "%s can make dead letters, which are lost when informerd ends without state: {dir: FOLDER}",
				at)
			return
		}
	}
}
