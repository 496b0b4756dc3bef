package migrate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// absent are receivers of event-exporter without an output here, with what may take its place.
var absent = map[string]string{
	"syslog": "a syslog daemon can read a file", "sns": "", "sqs": "", "kinesis": "", "firehose": "",
	"pubsub": "", "bigquery": "", "eventbridge": "", "opscenter": "",
	"inMemory": "it is for tests of event-exporter",
}

// receiverKinds are the kinds of receivers, in the order in which event-exporter looks for them.
var receiverKinds = []string{"inMemory", "pipe", "webhook", "file", "syslog", "stdout",
	"elasticsearch", "kinesis", "firehose", "opensearch", "opsgenie", "sqs", "sns", "slack", "kafka",
	"pubsub", "opscenter", "teams", "bigquery", "eventbridge", "loki"}

// receiver converts a receiver to an output.
func (e *exporter) receiver(r *document.Node, field string) *part {
	name := r.String("name")
	out := e.label("output", name)
	for _, kind := range receiverKinds {
		n := r.Get(kind)
		if n == nil {
			continue
		}
		field := field + "." + kind
		if n.IsNull() {
			n = &document.Node{Place: n.Place}
		}
		s := sink{exporter: e, n: n, field: field, name: out}
		if convert := sinks[kind]; convert != nil {
			return &part{name: out, value: convert(&s)}
		}
		p := e.noOutput(n, field, out, kind)
		if n.Get("layout").IsMapping() {
			p.value = append(fields{{"data", s.data()}}, p.value.(fields)...)
		}
		return p
	}
	return e.noOutput(r, field, out, "receiver of no known kind")
}

// noOutput makes a placeholder.
func (e *exporter) noOutput(n *document.Node, field, name, kind string) *part {
	hint := absent[kind]
	if hint == "" {
		hint = "a webhook or a topic of Kafka that something else reads may do"
	}
	e.find(Lost, n, field, "informerd has no %s; %s", kind, hint)
	return e.instead(name, "It was a "+kind+", which informerd does not have: choose an output.",
		"choose an output in place of %s; it writes to stdout until then", kind)
}

// sink converts one receiver.
type sink struct {
	*exporter
	n           *document.Node
	field, name string
}

var sinks = map[string]func(*sink) fields{
	"webhook": (*sink).webhook, "file": (*sink).file, "stdout": (*sink).stdout,
	"pipe": (*sink).pipe, "slack": (*sink).slack, "kafka": (*sink).kafka,
	"elasticsearch": (*sink).search, "opensearch": (*sink).search, "opsgenie": (*sink).opsgenie,
	"teams": (*sink).teams, "loki": (*sink).loki,
}

// data returns the expression for what the receiver is sent.
func (s *sink) data() string {
	if s.n.Get("deDot").IsTrue() {
		s.find(Lost, s.n.Get("deDot"), s.field+".deDot", "keys of labels keep their dots")
	}
	layout := s.n.Get("layout")
	if !layout.IsMapping() {
		s.find(Differs, s.n, s.field, "without a layout, what is sent is the Event as the API server has it, without clusterName and the labels of the involved object")
		return "object"
	}
	return s.layout(layout, s.field+".layout")
}

// layout returns the expression of a layout's value.
func (s *sink) layout(n *document.Node, field string) string {
	switch {
	case n.IsMapping():
		parts := make([]string, 0, len(n.Members))
		for _, m := range n.Members {
			parts = append(parts,
				quoted(m.Name)+": "+s.layout(m.Value, document.Join(field, m.Name)))
		}
		return bracketed("{", parts, "}")
	case n.IsList():
		parts := make([]string, 0, len(n.Items))
		for i, item := range n.Items {
			parts = append(parts, s.layout(item, document.Item(field, i)))
		}
		return bracketed("[", parts, "]")
	case !n.IsText():
		return "nil"
	case n.IsPlain() && jsonScalar.MatchString(n.Text):
		return n.Text
	}
	return s.template(n, field)
}

var jsonScalar = regexp.MustCompile(`^(?:true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)$`)

func bracketed(open string, parts []string, end string) string {
	text := strings.Join(parts, ", ")
	if len(text) < 76 && !strings.Contains(text, "\n") {
		return open + text + end
	}
	for i, part := range parts {
		parts[i] = "  " + strings.ReplaceAll(part, "\n", "\n  ")
	}
	return open + "\n" + strings.Join(parts, ",\n") + "\n" + end
}

// template returns the expression of a text with templates, nil if it has none.
func (s *sink) template(n *document.Node, field string) string {
	if strings.Contains(n.Text, "${") {
		s.find(Lost, n, field, "there is an environment variable in it, and informerd has none in expressions: write its value")
		return "nil"
	}
	t := template{}
	t.event = t.eventField
	text := t.expression(n.Text)
	for _, why := range t.untranslated {
		s.find(Lost, n, field, "%s", why)
	}
	for _, why := range t.differs {
		s.find(Differs, n, field, "%s", why)
	}
	if text == "" {
		return "nil"
	}
	return text
}

// text is template for a member that may be missing.
func (s *sink) text(name string) string {
	if n := s.n.Get(name); n.IsText() && n.Text != "" {
		return s.template(n, s.field+"."+name)
	}
	return ""
}

func (s *sink) envelope() {
	s.find(Differs, s.n, s.field, "each message is a CloudEvent, whose data is what event-exporter writes")
}

func (s *sink) stdout() fields {
	s.envelope()
	s.unknown(s.n, s.field, "deDot", "layout", "path")
	return fields{{"data", s.data()}, {"stdout", struct{}{}}}
}

func (s *sink) pipe() fields {
	path := s.n.String("path")
	if path == "/dev/stdout" {
		return s.stdout()
	}
	s.envelope()
	if path == "/dev/stderr" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/") {
		s.find(Lost, s.n, s.field+".path", "informerd writes its log there; messages go to stdout")
		return fields{{"data", s.data()}, {"stdout", struct{}{}}}
	}
	s.find(Differs, s.n, s.field+".path", "the file is appended to, and begun again when it has 100 MiB")
	return fields{{"data", s.data()}, {"file", fields{{"path", path}}}}
}

func (s *sink) file() fields {
	s.envelope()
	s.unknown(s.n, s.field, "path", "layout", "maxsize", "maxage", "maxbackups", "deDot")
	var rotate fields
	if size, err := strconv.Atoi(s.n.String("maxsize")); err == nil && size > 0 {
		rotate = append(rotate, another("size", fmt.Sprintf("%dMi", size)))
	}
	switch keep, _ := strconv.Atoi(s.n.String("maxbackups")); {
	case keep > 0:
		rotate = append(rotate, another("keep", keep))
	default:
		s.find(Differs, s.n, s.field, "event-exporter keeps all renamed files without maxbackups; informerd the last 7, or as many as rotate.keep says")
	}
	if n := s.n.Get("maxage"); n != nil && n.Text != "0" {
		s.find(Lost, n, s.field+".maxage", "renamed files are removed by their number (rotate.keep), not by their age")
	}
	f := fields{{"path", s.n.String("path")}}
	if rotate != nil {
		f = append(f, another("rotate", rotate))
	}
	return fields{{"data", s.data()}, {"file", f}}
}

func (s *sink) kafka() fields {
	s.envelope()
	s.find(Differs, s.n, s.field, "the key is the path of the Event, such as events/shop/web.17f, and not its uid")
	s.unknown(s.n, s.field, "topic", "brokers", "layout", "clientId", "compressionCodec", "version",
		"tls", "sasl", "avro")
	for _, name := range []string{"clientId", "compressionCodec", "version"} {
		if n := s.n.Get(name); n.IsText() && n.Text != "" {
			s.find(Note, n, s.field+"."+name, "informerd chooses it by itself")
		}
	}
	if n := s.n.Get("avro"); n.IsMapping() {
		s.find(Lost, n, s.field+".avro", "informerd writes JSON")
	}
	var brokers []string
	for _, b := range s.n.List("brokers") {
		brokers = append(brokers, b.Text)
	}
	k := fields{{"brokers", brokers}, {"topic", s.n.String("topic")}}
	if tls := s.n.Get("tls"); tls.Get("enable").IsTrue() {
		k = append(k, another("tls", s.tls(tls, s.field+".tls")))
	}
	if sasl := s.n.Get("sasl"); sasl.Get("enable").IsTrue() {
		mechanism := map[string]string{"sha512": "scram-sha-512", "sha256": "scram-sha-256"}[sasl.String("mechanism")]
		if mechanism == "" {
			mechanism = "plain"
		}
		k = append(k, another("sasl", fields{{"mechanism", mechanism},
			{"username", sasl.String("username")},
			{"password", s.secret(sasl.Get("password"), s.name+"_password", "the password of Kafka")}}))
	}
	return fields{{"data", s.data()}, {"kafka", k}}
}
