package migrate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// sink converts one receiver of event-exporter.
type sink struct {
	*exporter
	n           *node
	field, name string
}

// sinks are the kinds of receivers that informerd has an output for.
var sinks = []struct {
	kind    string
	convert func(*sink) fields
}{
	{"webhook", (*sink).webhook}, {"file", (*sink).file}, {"pipe", (*sink).pipe},
	{"stdout", (*sink).stdout}, {"elasticsearch", (*sink).search}, {"opensearch", (*sink).search},
	{"opsgenie", (*sink).opsgenie}, {"slack", (*sink).slack}, {"kafka", (*sink).kafka},
	{"teams", (*sink).teams},
}

// receiver converts a receiver to an output.
func (e *exporter) receiver(r *node, field, name string) fields {
	for _, known := range sinks {
		if n := r.get(known.kind); n != nil {
			return known.convert(&sink{exporter: e, n: n, field: field + "." + known.kind, name: name})
		}
	}
	s := sink{exporter: e, n: r, field: field, name: name}
	for _, m := range r.members {
		if m.name != "name" {
			s.n, s.field = m.value, field+"."+m.name
		}
	}
	e.lost(s.n, s.field, "informerd has no such output")
	return e.placeholder(name, s.data())
}

// data returns the expression for what the receiver is sent.
func (s *sink) data() string {
	layout := s.n.get("layout")
	if !layout.isMapping() {
		return "object"
	}
	return s.layout(layout, s.field+".layout")
}

// layout returns the expression of a layout's value.
func (s *sink) layout(n *node, field string) string {
	var parts []string
	switch {
	case n.isMapping():
		for _, m := range n.members {
			at, value := document.Join(field, m.name), "nil"
			if config.NamesCredential(m.name) && m.value.isText() &&
				!strings.Contains(m.value.text, "{{") {
				s.lost(m.value, at, "a credential must not be in the configuration, and a body has none from elsewhere")
			} else {
				value = s.layout(m.value, at)
			}
			parts = append(parts, quoted(m.name)+": "+value)
		}
		return mapOf(parts...)
	case n.isList():
		for i, item := range n.items {
			parts = append(parts, s.layout(item, document.Item(field, i)))
		}
		return bracketed("[", "]", parts...)
	case !n.isText():
		return "nil"
	case n.isPlain() && jsonScalar.MatchString(n.text):
		return n.text
	}
	return s.template(n, field)
}

var jsonScalar = regexp.MustCompile(`^(?:true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)$`)

// template returns the expression of a text with templates, nil if it has none.
func (s *sink) template(n *node, field string) string {
	text, err := expression(n.text)
	if strings.Contains(n.text, "${") {
		err = fmt.Errorf("expressions have no environment variables: write the value")
	}
	if err != nil {
		s.lost(n, field, "%v", err)
		return "nil"
	}
	return text
}

// members returns members of an object, for those settings that the receiver has.
func (s *sink) members(names ...string) (all []string) {
	for _, name := range names {
		if n := s.n.get(name); n.isText() && n.text != "" {
			all = append(all, quoted(name)+": "+s.template(n, s.field+"."+name))
		}
	}
	return all
}

func (s *sink) stdout() fields { return dataTo(s.data(), "stdout", struct{}{}) }

func (s *sink) pipe() fields {
	path := s.n.textOf("path")
	if strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") {
		return s.stdout()
	}
	return dataTo(s.data(), "file", fields{{"path", path}})
}

func (s *sink) file() fields {
	f := fields{{"path", s.n.textOf("path")}}
	var rotate fields
	if size, err := strconv.Atoi(s.n.textOf("maxsize")); err == nil && size > 0 {
		rotate = rotate.with("size", fmt.Sprintf("%dMi", size))
	}
	if keep, err := strconv.Atoi(s.n.textOf("maxbackups")); err == nil && keep > 0 {
		rotate = rotate.with("keep", keep)
	}
	if n := s.n.get("maxage"); n != nil && n.text != "0" {
		s.lost(n, s.field+".maxage", "renamed files are removed by their number, rotate.keep")
	}
	return dataTo(s.data(), "file", f.withSome("rotate", rotate))
}

func (s *sink) kafka() fields {
	if n := s.n.get("avro"); n.isMapping() {
		s.lost(n, s.field+".avro", "informerd writes JSON")
	}
	var brokers []string
	for _, b := range s.n.list("brokers") {
		brokers = append(brokers, b.text)
	}
	k := fields{{"brokers", brokers}, {"topic", s.n.textOf("topic")}}
	if tls := s.n.get("tls"); tls.get("enable").isTrue() {
		k = k.with("tls", s.tls(tls, s.field+".tls"))
	}
	if sasl := s.n.get("sasl"); sasl.get("enable").isTrue() {
		mechanism := map[string]string{"sha512": "scram-sha-512",
			"sha256": "scram-sha-256"}[sasl.textOf("mechanism")]
		k = k.with("sasl", fields{{"mechanism", cmp.Or(mechanism, "plain")},
			{"username", sasl.textOf("username")},
			{"password", s.secret(sasl.get("password"), s.name+"_password", "the password of Kafka")}})
	}
	return dataTo(s.data(), "kafka", k)
}

func (s *sink) webhook() fields {
	return s.post("endpoint", s.n.get("endpoint"), s.data(), "")
}

// post is an output that posts the data as the body to where a setting says, with a credential that is
// not among the receiver's headers, "" if there is none.
func (s *sink) post(setting string, url *node, data, credential string) fields {
	to, hasUser := s.url(url, s.field+"."+setting, s.name)
	if hasUser {
		credential = cmp.Or(credential, basic)
	}
	headers := s.headers()
	if credential != "" && !slices.ContainsFunc(headers, func(f field) bool {
		return strings.EqualFold(f.name, "Authorization")
	}) {
		headers = append(headers, s.authorization(s.name, credential)...)
	}
	return postTo(to, data, headers, s.tls(s.n.get("tls"), s.field+".tls"))
}

// authorized is an output that posts to the API of a service.
func (s *sink) authorized(url, data, credential string) fields {
	return postTo(url, data, s.authorization(s.name, credential), nil)
}

func postTo(url any, data string, headers, tls fields) fields {
	w := fields{{"url", url}, {"mode", "binary"}}
	return dataTo(data, "webhook", w.withSome("headers", headers).withSome("tls", tls))
}

func (s *sink) slack() fields {
	parts := s.members("channel", "message")
	for i := range parts {
		parts[i] = strings.Replace(parts[i], `"message":`, `"text":`, 1)
	}
	if f := s.n.get("fields"); f.isMapping() {
		attachment := s.members("author_name", "color", "title", "footer")
		var list []string
		for _, m := range f.members {
			list = append(list, mapOf(`"title": `+quoted(m.name),
				`"value": `+s.template(m.value, document.Join(s.field+".fields", m.name))))
		}
		attachment = append(attachment, `"fields": `+bracketed("[", "]", list...))
		parts = append(parts, `"attachments": [`+mapOf(attachment...)+"]")
	}
	return s.authorized(slackAPI, mapOf(parts...), slackToken)
}

const (
	slackAPI   = "https://slack.com/api/chat.postMessage"
	slackToken = "Bearer, a space and the token of Slack"
)

// search posts documents to Elasticsearch or OpenSearch.
func (s *sink) search() fields {
	if n := s.n.get("indexFormat"); n.isText() && n.text != "" {
		s.lost(n, s.field+".indexFormat", "the index has no date")
	}
	if n := s.n.get("useEventID"); n.isTrue() {
		s.lost(n, s.field+".useEventID", "each message is a new document")
	}
	if n := s.n.get("cloudID"); n.isText() {
		s.lost(n, s.field+".cloudID", "write the URL of the deployment as webhook.url")
	}
	var host *node
	for i, n := range s.n.list("hosts") {
		if i > 0 {
			s.lost(n, document.Item(s.field+".hosts", i), "a webhook has one URL")
			continue
		}
		first := *n
		if !wholeVariable.MatchString(n.text) {
			first.text = strings.TrimSuffix(n.text, "/") + "/" +
				cmp.Or(s.n.textOf("index"), "kube-events") + "/_doc"
		}
		host = &first
	}
	for _, c := range [][2]string{{"apiKey", "ApiKey, a space and the key"},
		{"username", basic}} {
		if s.n.textOf(c[0]) != "" {
			return s.post("hosts", host, s.data(), c[1])
		}
	}
	return s.post("hosts", host, s.data(), "")
}

func (s *sink) opsgenie() fields {
	parts := append([]string{`"priority": ` + quoted(cmp.Or(s.n.textOf("priority"), "P3"))},
		s.members("message", "alias", "description")...)
	for _, name := range []string{"tags", "details"} {
		if n := s.n.get(name); n.isList() || n.isMapping() {
			parts = append(parts, quoted(name)+": "+s.layout(n, s.field+"."+name))
		}
	}
	return s.authorized("https://"+cmp.Or(s.n.textOf("URL"), "api.opsgenie.com")+"/v2/alerts",
		mapOf(parts...), "GenieKey, a space and the key of Opsgenie")
}

// teams posts the members message and reason.
func (s *sink) teams() fields {
	text := map[string]string{"message": `object.message ?? ""`, "reason": `object.reason ?? ""`}
	for name := range text {
		if n := s.n.get("layout").get(name); n != nil {
			text[name] = s.layout(n, s.field+".layout."+name)
		}
	}
	return s.post("endpoint", s.n.get("endpoint"), fmt.Sprintf(
		`{"summary": "event", "text": "Event: " + (%s) + " \nStatus: " + (%s)}`,
		text["message"], text["reason"]), "")
}
