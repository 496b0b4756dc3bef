package advice

import (
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/urls"
	"github.com/informerd/informerd/pkg/filters"
)

// field returns what writes a lone value into a field.
func field(name string) func(is document.Shape) string {
	return func(is document.Shape) string {
		if len(is.Texts) != 1 {
			return ""
		}
		return "{" + name + ": " + document.Flow(is.Texts[0]) + "}"
	}
}

// plain is field for a number.
func plain(name string) func(is document.Shape) string {
	return func(is document.Shape) string {
		if len(is.Texts) != 1 {
			return ""
		}
		return "{" + name + ": " + is.Texts[0] + "}"
	}
}

var (
	amount    = regexp.MustCompile(`^([0-9]+)(?: ?(k|K|m|M|Ki|Mi))?(?: ?[a-z]+)?$`)
	separator = strings.NewReplacer("_", "", ",", "", "'", "")
	factors   = map[string]int{"": 1, "k": 1000, "K": 1000, "Ki": 1 << 10, "m": 1_000_000,
		"M": 1_000_000, "Mi": 1 << 20}
)

// count returns the number that a text such as 10k, 1_000 or 500 events has, "" if it has none.
func count(text string) string {
	part := amount.FindStringSubmatch(separator.Replace(text))
	if part == nil {
		return ""
	}
	n, err := strconv.Atoi(part[1])
	if err != nil || n > 1_000_000_000 {
		return ""
	}
	return strconv.Itoa(n * factors[part[2]])
}

// buffer is about a number of events, or what happens to those for which there is no room.
func buffer(is document.Shape) string {
	if len(is.Texts) != 1 {
		return ""
	}
	if n := count(is.Texts[0]); n != "" {
		return "{capacity: " + n + "}"
	}
	switch word := strings.ToLower(is.Texts[0]); word {
	case "latest", "block", "drop", "spill":
		return "{overflow: " + word + "}"
	case "unlimited", "unbounded", "infinite", "infinity", "disk", "file":
		return "{overflow: spill}"
	case "wait", "blocking":
		return "{overflow: block}"
	}
	return ""
}

var (
	tries  = regexp.MustCompile(`^([0-9]+) ?(?:x|times|attempts|retries|tries)$`)
	always = []string{"forever", "infinite", "unlimited", "always", "infinity"}
)

// retry is about how often, or after which pause.
func retry(is document.Shape) string {
	if len(is.Texts) != 1 {
		return ""
	}
	if part := tries.FindStringSubmatch(is.Texts[0]); part != nil {
		return "{attempts: " + part[1] + "}"
	}
	if slices.Contains(always, strings.ToLower(is.Texts[0])) {
		return "{attempts: 1000}"
	}
	if _, isNumber := strconv.Atoi(is.Texts[0]); isNumber != nil {
		if _, duration := filters.ParseDuration(is.Texts[0]); duration {
			return "{minBackoff: " + is.Texts[0] + "}"
		}
	}
	return plain("attempts")(is)
}

// kafka is about brokers.
func kafka(is document.Shape) string {
	if len(is.Texts) == 0 {
		return ""
	}
	return strings.TrimSuffix(listOf("brokers")(is), "}") + ", topic: events}"
}

// nats is about servers, whose URLs may have a password in them.
func nats(is document.Shape) string {
	if len(is.Texts) == 0 || strings.Contains(strings.Join(is.Texts, " "), "@") {
		return ""
	}
	return strings.TrimSuffix(listOf("servers")(is), "}") + `, subject: '"k8s." + resource'}`
}

// address is field for an address to listen on, of which one that is only a port gets a host.
func address(host string) func(is document.Shape) string {
	return func(is document.Shape) string {
		if len(is.Texts) != 1 {
			return ""
		}
		text := is.Texts[0]
		if _, port, err := net.SplitHostPort(text); err == nil {
			text = port
		} else if strings.Trim(text, "0123456789") != "" {
			return ""
		}
		return `{address: "` + host + ":" + text + `"}`
	}
}

// Lone are the values that are meant where something else than a mapping is written, by the type.
var Lone = map[string]func(is document.Shape) string{
	"State": field("dir"), "Cluster": field("name"), "Handler": field("wasm"),
	"File": field("path"), "Informer": field("resource"), "Shutdown": field("drain"),
	"Buffer": buffer, "Spill": field("dir"), "Retry": retry, "DeadLetters": field("bytes"),
	"WebhookBatch": plain("events"), "Rotate": rotate, "HTTP": address("127.0.0.1"),
	"Health": address(""), "LogGrant": field("level"), "Patch": field("patch"), "KVGrant": field("bytes"),
	"CacheGrant": listOf("informers"), "HTTPGrant": listOf("allow"),
	"Grants": grants, "Webhook": url, "Alertmanager": url, "Tracing": url, "TLS": field("caFile"),
	"Kafka": kafka, "NATS": nats,
	"Policies": policies,
	"Listener": listener, "Output": output,
}

// rotate is about when a file is rotated.
func rotate(is document.Shape) string {
	if len(is.Texts) != 1 {
		return ""
	}
	ages := map[string]string{"hourly": "1h", "daily": "24h", "day": "24h", "weekly": "168h",
		"monthly": "720h"}
	if age := ages[strings.ToLower(is.Texts[0])]; age != "" {
		return "{age: " + age + "}"
	}
	if _, duration := filters.ParseDuration(is.Texts[0]); duration {
		return field("age")(is)
	}
	return field("size")(is)
}

// url is field for a URL.
func url(is document.Shape) string {
	if len(is.Texts) != 1 {
		return ""
	}
	if problem, _ := urls.HTTP(is.Texts[0]); problem != "" {
		return ""
	}
	return "{url: " + is.Texts[0] + "}"
}

// listOf is field for a list.
func listOf(name string) func(is document.Shape) string {
	return func(is document.Shape) string {
		var items []string
		for _, text := range is.Texts {
			items = append(items, document.Flow(text))
		}
		return "{" + name + ": [" + strings.Join(items, ", ") + "]}"
	}
}

func grants(is document.Shape) string {
	var items []string
	for _, name := range is.Texts {
		switch name {
		case "http":
			items = append(items, "http: {allow: [https://hooks.example.com/x]}")
		case "cache":
			items = append(items, "cache: {informers: [pods]}")
		default:
			items = append(items, name+": {}")
		}
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// firstOutput is the name of an output that the file has.
func firstOutput(is document.Shape) string {
	if defined := is.Defined("outputs"); len(defined) > 0 {
		return document.Flow(defined[0])
	}
	return "NAME"
}

func policies(is document.Shape) string {
	if len(is.Texts) != 1 {
		return ""
	}
	return "{files: " + document.Flow(is.Texts[0]) + ", outputs: [" + firstOutput(is) + "]}"
}

func listener(is document.Shape) string {
	if len(is.Texts) != 1 || !aResource.MatchString(is.Texts[0]) {
		return ""
	}
	informer := "{resource: " + is.Texts[0] + "}"
	if slices.Contains(is.Defined("informers"), is.Texts[0]) {
		informer = is.Texts[0]
	}
	return "{informer: " + informer + ", outputs: [" + firstOutput(is) + "]}"
}

// output is about an output in place of which its kind, its URL or its file is written.
func output(is document.Shape) string {
	if len(is.Texts) != 1 {
		return ""
	}
	switch text := is.Texts[0]; {
	case text == "stdout" || text == "kubernetesEvent":
		return "{" + text + ": {}}"
	case Kinds[text] != "":
		return "{" + text + ": " + Kinds[text] + "}"
	case url(is) != "":
		return "{webhook: " + url(is) + "}"
	case aFile.MatchString(text):
		return "{file: {path: " + document.Flow(text) + "}}"
	}
	return ""
}

var aFile = regexp.MustCompile(`^[A-Za-z0-9._/~-]+(\.[a-z]{1,5}|/[a-z0-9_-]+)$`)
