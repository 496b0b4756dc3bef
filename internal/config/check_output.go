package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/subjects"
	"github.com/informerd/informerd/internal/config/urls"
)

// checkOutput checks what the tags of an output's fields cannot say.
func checkOutput(o *Output, path string, r *document.Report) {
	if w := o.Webhook; w != nil {
		checkWebhook(w, document.Join(path, "webhook"), r)
	}
	if n := o.NATS; n != nil {
		checkTLS(n.TLS, path+".nats.tls", r)
		field := path + ".nats.subject"
		if problem, hint := subjects.Check(n.Subject.Text); r.Good(field) && problem != "" {
			r.BadValue(field, hint, "%s%s", field, problem)
		}
	}
	if k := o.Kafka; k != nil {
		checkKafka(k, document.Join(path, "kafka"), r)
	}
	if s := o.Slack; s != nil {
		checkURL(s.URL, path+".slack.url", r)
	}
	if o.Patch != nil {
		warnPatch(o, path, r)
	}
	if a := o.Alertmanager; a != nil {
		at := document.Join(path, "alertmanager")
		checkURL(a.URL, document.Join(at, "url"), r)
		if field := document.Join(at, "url"); r.Good(field) && apiOfAlerts.MatchString(a.URL.Text) {
			r.BadValue(field, "remove "+strings.TrimRight(apiOfAlerts.FindString(a.URL.Text), "/"),
				"%s must be the Alertmanager's, without the path that informerd adds", field)
		}
		checkHeaders(a.Headers, document.Join(at, "headers"), r)
		checkURLTLS(a.URL, a.TLS, at, r)
	}
}

var apiOfAlerts = regexp.MustCompile(`/api/v[12](/alerts)?/*$`)

func checkWebhook(w *Webhook, path string, r *document.Report) {
	checkURL(w.URL, document.Join(path, "url"), r)
	checkHeaders(w.Headers, document.Join(path, "headers"), r)
	checkURLTLS(w.URL, w.TLS, path, r)
	mode, batch := document.Join(path, "mode"), document.Join(path, "batch")
	if r.Good(batch) && w.Mode != WebhookBatched && !r.Failed(mode) {
		r.BadField(batch, "set mode: batch, or remove it", "%s is set, but the mode is %s", batch,
			w.Mode)
	}
}

func checkKafka(k *Kafka, path string, r *document.Report) {
	checkTLS(k.TLS, document.Join(path, "tls"), r)
	if k.SASL != nil {
		warnVariable(k.SASL.Username, path+".sasl.username", r)
	}
	mechanism := path + ".sasl.mechanism"
	if s := k.SASL; s != nil && s.Mechanism == SASLPlain && k.TLS == nil && r.Good(mechanism) {
		r.Warn(r.Value(mechanism), mechanism, "add tls: {}, or use scram-sha-512",
			"%s is plain, and the connection has no TLS: everybody on the way can read the password",
			mechanism)
	}
}

// checkURL checks a URL that is in the configuration. What it reports never shows it.
func checkURL(v Value, path string, r *document.Report) {
	if !r.Good(path) || v.FromEnv != "" || v.FromFile != "" ||
		r.Has(document.Join(path, "fromEnv")) || r.Has(document.Join(path, "fromFile")) ||
		v.Text == "" && r.Broken(path) {
		return
	}
	if problem, hint := checkHTTPURL(v.Text, ""); problem != "" {
		r.BadValue(path, hint, "%s%s", path, problem)
		return
	}
	if urls.Secret(v.Text) {
		r.BadValue(path, whereHint, "%s: the credential must not be in the configuration", path)
	}
}

// checkURLTLS refuses the settings of TLS for a URL without it.
func checkURLTLS(v Value, t *TLS, path string, r *document.Report) {
	at := document.Join(path, "tls")
	checkTLS(t, at, r)
	if u, err := url.Parse(v.Text); t != nil && err == nil && u.Scheme == "http" &&
		r.Good(document.Join(path, "url")) {
		r.BadField(at, "write https:// in the URL, or remove it",
			"%s is set, but the URL begins with http://", at)
	}
}

// checkTLS refuses a certificate without its key, and a key without its certificate.
func checkTLS(t *TLS, path string, r *document.Report) {
	if t == nil {
		return
	}
	for _, pair := range [][2]string{{"certFile", "keyFile"}, {"keyFile", "certFile"}} {
		has := document.Join(path, pair[0])
		if r.Good(has) && r.Missing(path, pair[1]) {
			r.BadField(has, "add "+pair[1], "%s is set, but %s has no %s", has, path, pair[1])
		}
	}
}

// checkFiles refuses two outputs that write the same file.
func checkFiles(c *Config, r *document.Report) {
	first := map[string]string{}
	for name, o := range document.Sorted(c.Outputs) {
		at := document.Join("outputs", name)
		if o == nil || o.File == nil || !r.Good(at+".file.path") {
			continue
		}
		path := filepath.Clean(c.Path(o.File.Path))
		if path == "/dev/stdout" {
			field := at + ".file.path"
			r.BadValue(field, "write stdout: {} in place of file", "%s is %s, and not a file", field, path)
			continue
		}
		if other, twice := first[path]; twice {
			field := at + ".file.path"
			r.BadValue(field, "name the first output in the listeners of both, or choose another file",
				"%s is the file of %s", field, other)
			continue
		}
		first[path] = at
	}
}

// checkUses checks what the outputs of a listener, or of policies if it is nil, need of it.
func checkUses(c *Config, l *Listener, outputs []string, path string, r *document.Report) {
	checkApplies(c, outputs, path, r)
	for i, name := range outputs {
		at := document.Item(document.Join(path, "outputs"), i)
		o := c.Outputs[name]
		if o == nil || !r.Good(at) || !r.Good(document.Join("outputs", name)) {
			continue
		}
		shown := document.Join("outputs", name)
		switch {
		case l != nil && o.Alertmanager != nil && len(l.Rules) == 0 && r.Missing(path, "rules"):
			r.BadValue(at, "add rules to the listener, or send its events to another output",
				"%s: %s only takes what rules report, and %s has no rules", at, shown, path)
		case o.Patch != nil && o.Patch.Patch.IsZero() && o.Data.IsZero() &&
			(l == nil || l.Handler == nil && r.Missing(path, "handler")) &&
			r.Missing(document.Join(shown, "patch"), "patch") && r.Missing(shown, "data"):
			from := path
			if l == nil {
				from = "a policy"
			}
			r.BadValue(at, fmt.Sprintf("add patch, an expression, to %s.patch", shown),
				"%s: nothing makes the patch: %s has no expression for it, and %s no handler", at,
				shown, from)
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
	const message = "%s can make dead letters, which are kept in memory and lost when informerd ends"
	const hint = "add state: {dir: FOLDER} to the configuration"
	for name, o := range document.Sorted(c.Outputs) {
		at := document.Join("outputs", name)
		if o != nil && r.Good(at) && o.remote() {
			r.Warn(r.Key(at), at, hint, message, at)
			return
		}
	}
}

// remote reports whether the output is one that can refuse a message.
func (o *Output) remote() bool {
	return o.Webhook != nil || o.NATS != nil || o.Kafka != nil || o.KubernetesEvent != nil ||
		o.Patch != nil || o.Slack != nil || o.Alertmanager != nil
}
