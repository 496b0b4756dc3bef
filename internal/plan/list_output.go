package plan

import (
	"net/url"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// destination returns where an output sends messages. Of a URL it has only the scheme and the host:
// the rest may be a secret, and so may all that is in a variable or a file.
func destination(o *config.Output) string {
	switch {
	case o.File != nil:
		return "the file " + o.File.Path
	case o.Webhook != nil:
		return "a webhook, mode " + o.Webhook.Mode + ", " + to(o.Webhook.URL)
	case o.NATS != nil:
		text := "NATS"
		if o.NATS.Stream != "" {
			text += ", the stream " + o.NATS.Stream
		}
		var servers []string
		for _, server := range o.NATS.Servers {
			servers = append(servers, host(server))
		}
		return text + ", " + many("server", servers)
	case o.Kafka != nil:
		return "Kafka, the topic " + o.Kafka.Topic + ", " + many("broker", o.Kafka.Brokers)
	case o.KubernetesEvent != nil:
		return "Events on the API server"
	case o.Patch != nil && o.Patch.DryRun:
		return "patches of type " + o.Patch.Type + ", without effect"
	case o.Patch != nil:
		return "patches of type " + o.Patch.Type
	case o.Slack != nil:
		return "Slack, " + to(o.Slack.URL)
	case o.Alertmanager != nil:
		return "an Alertmanager, " + to(o.Alertmanager.URL)
	}
	return "standard output"
}

// to returns where a URL leads, or where it is.
func to(v config.Value) string {
	switch {
	case v.FromEnv != "":
		return "to the URL in $" + v.FromEnv
	case v.FromFile != "":
		return "to the URL in the file " + v.FromFile
	}
	return "to " + host(v.Text)
}

// host returns the scheme and the host of a URL. What comes after them may be a secret: it is "/…".
func host(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "a URL that is not shown"
	}
	rest := ""
	if strings.TrimSuffix(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		rest = "/…"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() + rest
}

func many(name string, all []string) string {
	if len(all) != 1 {
		name += "s"
	}
	return name + " " + strings.Join(all, ", ")
}

// expressionsOf returns the expressions of an output, by their fields.
func expressionsOf(o *config.Output) map[string]string {
	all := map[string]config.Expression{"when": o.When, "data": o.Data}
	switch {
	case o.NATS != nil:
		all["subject"] = o.NATS.Subject
	case o.Patch != nil:
		all["patch"] = o.Patch.Patch
	case o.Slack != nil:
		all["text"] = o.Slack.Text
	case o.Alertmanager != nil:
		for name, label := range o.Alertmanager.Labels {
			all["label "+name] = label
		}
	}
	texts := map[string]string{}
	for name, x := range all {
		if !x.IsZero() {
			texts[name] = x.Text
		}
	}
	return texts
}

// grants returns what a handler may do, each grant as a few words. Of URLs only the hosts are
// shown.
func grants(g config.Grants) (all []string) {
	add := func(granted bool, words ...string) {
		if granted {
			all = append(all, strings.Join(words, " "))
		}
	}
	if g.Log != nil {
		add(true, "log", g.Log.Level)
	}
	if g.KV != nil {
		add(!g.KV.Persist, "kv")
		add(g.KV.Persist, "kv persistent")
	}
	add(g.Clock != nil, "clock")
	add(g.Random != nil, "random")
	if g.HTTP != nil {
		var hosts []string
		for _, text := range g.HTTP.Allow {
			if u, err := url.Parse(text); err == nil && !slices.Contains(hosts, u.Host) {
				hosts = append(hosts, u.Host)
			}
		}
		add(true, "http", strings.Join(g.HTTP.Methods, ", "), "to", strings.Join(hosts, ", "))
	}
	if g.Cache != nil {
		add(true, "cache of", strings.Join(g.Cache.Informers, ", "))
	}
	if g.Emit != nil {
		words := []string{"emit", strings.Join(g.Emit.Kinds, ", ")}
		if len(g.Emit.Types) > 0 {
			words = append(words, "of types", strings.Join(g.Emit.Types, ", "))
		}
		add(len(g.Emit.Kinds) > 0, words...)
		add(len(g.Emit.Kinds) == 0, "emit nothing")
	}
	return all
}
