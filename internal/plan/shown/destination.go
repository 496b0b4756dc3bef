package shown

import (
	"net/url"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// Destination returns where an output sends messages. Of a URL it has only the scheme and the host:
// the rest may be a secret, and so may all that is in a variable or a file.
func Destination(o *config.Output) string {
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
