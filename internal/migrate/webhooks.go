package migrate

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/urls"
)

// wholeVariable is a value that is one environment variable.
var wholeVariable = regexp.MustCompile(`^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))$`)

// secretHosts have URLs that are secrets.
var secretHosts = regexp.MustCompile(`^https://(hooks\.slack(-gov)?\.com|[a-z0-9.-]*webhook\.office\.com|outlook\.office(365)?\.com|open\.(feishu\.cn|larksuite\.com)|api\.flock\.com)/`)

// url returns where a webhook is. What informerd does not take, and what is a secret, is an
// environment variable.
func (c *converter) url(n *document.Node, field, output string) any {
	text := ""
	if n.IsText() {
		text = n.Text
	}
	if m := wholeVariable.FindStringSubmatch(text); m != nil {
		return c.existing(m[1]+m[2], "the URL")
	}
	problem, _ := urls.HTTP(text)
	switch {
	case text == "":
		return c.variable(output+"_url", "the URL of %s, which the original does not have", output)
	case strings.Contains(text, "${"):
		c.find(Differs, n, field, "there is an environment variable in the URL; informerd takes the whole URL from one")
	case problem != "":
		c.find(Differs, n, field, "the URL%s; set it by the environment", problem)
	case !secretHosts.MatchString(text):
		return text
	}
	return c.variable(output+"_url", "the URL of %s, as it is in the original", output)
}

// existing is an environment variable that the original has, too.
func (c *converter) existing(name, what string) fields {
	if key := "variable " + name; !c.names[key] {
		c.names[key] = true
		c.report.Placeholders = append(c.report.Placeholders,
			Placeholder{name, "variable", "it has " + what + ", as in the original"})
	}
	return fields{{"fromEnv", name}}
}

// secret returns where a secret is.
func (c *converter) secret(n *document.Node, variable, what string) fields {
	if n.IsText() {
		if m := wholeVariable.FindStringSubmatch(n.Text); m != nil {
			return c.existing(m[1]+m[2], what)
		}
	}
	return c.variable(variable, "%s", what)
}

// headers returns the headers of requests.
func (s *sink) headers(n *document.Node, field string) (all fields) {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		at := document.Join(field, m.Name)
		variable := wholeVariable.FindStringSubmatch(m.Value.Text)
		switch text := m.Value.Text; {
		case config.FramesRequest(m.Name):
			s.findAt(Lost, m.Place, at, "this header cannot be set")
		case strings.EqualFold(m.Name, "content-type"):
			s.findAt(Note, m.Place, at, "it is application/json in any case")
		case strings.Contains(text, "{{"):
			s.findAt(Lost, m.Place, at, "headers have no expressions here")
		case variable != nil:
			all = append(all, another(m.Name, s.existing(variable[1]+variable[2],
				"the header "+m.Name)))
		case config.HoldsCredential(m.Name), strings.Contains(text, "${"):
			all = append(all, another(m.Name, s.variable(s.name+"_"+m.Name,
				"the header %s of %s, as it is in the original", m.Name, s.name)))
		case text != "":
			all = append(all, another(m.Name, text))
		}
	}
	return all
}

// tls returns whom the connection trusts.
func (c *converter) tls(n *document.Node, field string) (all fields) {
	all = fields{}
	if n == nil {
		return all
	}
	for _, name := range []string{"caFile", "certFile", "keyFile", "serverName"} {
		if text := n.String(name); text != "" {
			all = append(all, another(name, text))
		}
	}
	if skip := n.Get("insecureSkipVerify"); skip.IsTrue() {
		c.find(Lost, skip, field+".insecureSkipVerify", "informerd always checks certificates: give it the CA as caFile")
	}
	return all
}

// post is an output that posts the data as the body, as other tools do.
func post(url any, data string, headers, tls fields) fields {
	w := fields{{"url", url}, {"mode", "binary"}}
	if len(headers) > 0 {
		w = append(w, another("headers", headers))
	}
	if len(tls) > 0 {
		w = append(w, another("tls", tls))
	}
	return fields{{"data", data}, {"webhook", w}}
}

func (s *sink) webhook() fields {
	s.unknown(s.n, s.field, "endpoint", "tls", "layout", "headers")
	return post(s.url(s.n.Get("endpoint"), s.field+".endpoint", s.name), s.data(),
		s.headers(s.n.Get("headers"), s.field+".headers"), s.tls(s.n.Get("tls"), s.field+".tls"))
}

// slack posts as a client of Slack's API does, as a channel can be an expression so.
func (s *sink) slack() fields {
	s.unknown(s.n, s.field, "token", "channel", "message", "color", "footer", "title",
		"author_name", "fields")
	var parts []string
	for _, m := range []struct{ name, as string }{{"channel", "channel"}, {"message", "text"}} {
		if text := s.text(m.name); text != "" {
			parts = append(parts, quoted(m.as)+": "+text)
		}
	}
	if f := s.n.Get("fields"); f.IsMapping() {
		var attachment, list []string
		for _, name := range []string{"author_name", "color", "title", "footer"} {
			if text := s.text(name); text != "" {
				attachment = append(attachment, quoted(name)+": "+text)
			}
		}
		members := slices.Clone(f.Members)
		sort.SliceStable(members, func(i, j int) bool { return members[i].Name < members[j].Name })
		for _, m := range members {
			list = append(list, bracketed("{", []string{`"title": ` + quoted(m.Name),
				`"value": ` + s.template(m.Value, document.Join(s.field+".fields", m.Name))}, "}"))
		}
		attachment = append(attachment, `"fields": `+bracketed("[", list, "]"))
		parts = append(parts, `"attachments": [`+bracketed("{", attachment, "}")+"]")
	} else {
		for _, name := range []string{"author_name", "color", "title", "footer"} {
			if n := s.n.Get(name); n.IsText() && n.Text != "" {
				s.find(Note, n, s.field+"."+name, "%s ignores it without fields", s.peer)
			}
		}
	}
	s.find(Differs, s.n, s.field, "Slack answers with 200 to messages that it does not take, such as those for unknown channels: nobody sees that")
	return post("https://slack.com/api/chat.postMessage", bracketed("{", parts, "}"),
		fields{{"Authorization", s.variable(s.name+"_authorization", "Bearer, a space and the token of Slack")}}, nil)
}

var goDates = strings.NewReplacer("2006", "yyyy", "01", "MM", "02", "dd", "15", "HH")

// indexName is an index with a date in it.
var (
	datedIndex = regexp.MustCompile(`^([a-z0-9_.-]*)\{([^{}]*)\}([a-z0-9_.-]*)$`)
	datePart   = regexp.MustCompile(`^(?:yyyy|MM|dd|HH|[._-])*$`)
)

// search posts documents to Elasticsearch or OpenSearch.
func (s *sink) search() fields {
	index, at := s.n.String("index"), s.n.Get("index")
	if format := s.n.Get("indexFormat"); format.IsText() && format.Text != "" {
		index, at = format.Text, format
		if m := datedIndex.FindStringSubmatch(index); m != nil {
			if date := goDates.Replace(m[2]); datePart.MatchString(date) && date != "" {
				index = "%3C" + m[1] + "%7Bnow%2Fd%7B" + date + "%7D%7D" + m[3] + "%3E"
			}
		}
	}
	if strings.ContainsAny(index, "{}") || index == "" {
		if at == nil {
			at = s.n
		}
		s.find(Lost, at, s.field+".indexFormat", "the index has no form that a URL can have; it is kube-events")
		index = "kube-events"
	}
	for _, name := range []string{"useEventID", "type", "cloudID"} {
		if n := s.n.Get(name); n.IsTrue() || n.IsText() && n.Text != "" && n.Text != "false" {
			s.find(Lost, n, s.field+"."+name, "%s", map[string]string{
				"useEventID": "the URL is the same for all messages, so each is a new document",
				"type":       "it is for Elasticsearch 6 and before",
				"cloudID":    "write the URL of the deployment as hosts"}[name])
		}
	}
	hosts := s.n.List("hosts")
	var host *document.Node
	if len(hosts) > 0 {
		host = &document.Node{Place: hosts[0].Place}
		*host = *hosts[0]
		if wholeVariable.FindString(host.Text) == "" {
			host.Text = strings.TrimSuffix(host.Text, "/") + "/" + index + "/_doc"
		} else {
			s.find(Differs, host, s.field+".hosts", "informerd takes the whole URL from the environment, which ends in /%s/_doc", index)
		}
	}
	for i := 1; i < len(hosts); i++ {
		s.find(Lost, hosts[i], document.Item(s.field+".hosts", i), "a webhook has one URL")
	}
	headers := s.headers(s.n.Get("headers"), s.field+".headers")
	switch {
	case s.n.String("apiKey") != "":
		headers = append(headers, another("Authorization", s.variable(s.name+"_authorization", "ApiKey, a space and the key")))
	case s.n.String("username") != "":
		headers = append(headers, another("Authorization", s.variable(s.name+"_authorization", "Basic, a space and user:password as base64")))
	}
	return post(s.url(host, s.field+".hosts", s.name), s.data(), headers, s.tls(s.n.Get("tls"), s.field+".tls"))
}

func (s *sink) opsgenie() fields {
	s.unknown(s.n, s.field, "apiKey", "URL", "priority", "message", "alias", "description", "tags",
		"details")
	host := s.n.String("URL")
	if host == "" {
		host = "api.opsgenie.com"
	}
	priority := s.n.String("priority")
	if priority == "" {
		priority = "P3"
	}
	parts := []string{`"priority": ` + quoted(priority)}
	for _, name := range []string{"message", "alias", "description"} {
		if text := s.text(name); text != "" && text != "nil" {
			parts = append(parts, quoted(name)+": "+text)
		}
	}
	for _, name := range []string{"tags", "details"} {
		if n := s.n.Get(name); n.IsList() || n.IsMapping() {
			parts = append(parts, quoted(name)+": "+s.layout(n, s.field+"."+name))
		}
	}
	return post("https://"+host+"/v2/alerts", bracketed("{", parts, "}"),
		fields{{"Authorization", s.variable(s.name+"_authorization", "GenieKey, a space and the key of Opsgenie")}}, nil)
}

// teams posts what event-exporter makes of the members message, reason and metadata.
func (s *sink) teams() fields {
	s.unknown(s.n, s.field, "endpoint", "layout", "headers")
	message, reason := `object.message ?? ""`, `object.reason ?? ""`
	if layout := s.n.Get("layout"); layout.IsMapping() {
		message, reason = `"%!s(<nil>)"`, `"%!s(<nil>)"`
		for _, m := range layout.Members {
			switch at := document.Join(s.field+".layout", m.Name); m.Name {
			case "message":
				message = s.layout(m.Value, at)
			case "reason":
				reason = s.layout(m.Value, at)
			}
		}
	}
	s.find(Differs, s.n, s.field, "the text is without metadata, which event-exporter writes as Go does")
	return post(s.url(s.n.Get("endpoint"), s.field+".endpoint", s.name),
		`{"summary": "event", "text": "Event: " + (`+message+`) + " \nStatus: " + (`+reason+`)}`,
		s.headers(s.n.Get("headers"), s.field+".headers"), nil)
}

// loki cannot post: its lines have a time in nanoseconds, and JSON in a text.
func (s *sink) loki() fields {
	s.find(Lost, s.n, s.field, "Loki wants the time as a number and the Event as a text, which expressions do not have; write to stdout or a file, which an agent of Loki reads, or post with a handler")
	p := s.instead(s.name, "", "choose how an agent of Loki reads it; it writes to stdout")
	return append(fields{{"data", s.data()}}, p.value.(fields)...)
}
