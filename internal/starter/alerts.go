package starter

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The kinds of outputs that the package treats differently from others.
const (
	kindStdout       = "stdout"
	kindFile         = "file"
	kindSlack        = "slack"
	kindAlertmanager = "alertmanager"
	kindEvent        = "kubernetesEvent"
)

// Alert is where messages go.
type Alert struct {
	Kind string // of Kinds
	// Address is where the output is: a URL, a host and port or a path, by the kind; or where its
	// URL is: the name of an environment variable, or the path of a file. Empty is the kind's
	// default.
	Address string

	name string // of the output
}

// outputKind is what is known of a kind of outputs.
type outputKind struct {
	name    string
	what    string // the comment above it
	field   string // of the address, "" if it has none
	list    bool   // the field is a list
	value   bool   // the address may be in a variable or in a file
	secret  bool   // it must be
	address string // the default
	asked   string // what the dialogue asks for
	rest    string // further fields, as YAML
}

var outputKinds = []outputKind{
	{name: kindStdout, what: "One line of JSON, a CloudEvent, for each message."},
	{name: kindFile, what: "One line of JSON for each message. The path counts from the folder of" +
		" this file.", field: "path", address: "events.jsonl", asked: "the path of the file"},
	{name: kindSlack, what: "The URL of an incoming webhook is a secret, so only where it is is" +
		" said here.", field: "url", value: true, secret: true, address: "SLACK_URL",
		asked: "the environment variable that has the URL, or a file that has it"},
	{name: "webhook", what: "A CloudEvent is posted for each message.", field: "url", value: true,
		address: "WEBHOOK_URL",
		asked:   "the URL, or the environment variable or the file that has it"},
	{name: kindAlertmanager, what: "A violation is a firing alert, and its resolution ends it." +
		" Changes are not sent.", field: "url", value: true,
		address: "http://alertmanager.monitoring.svc:9093", asked: "the URL"},
	{name: kindEvent, what: "A Kubernetes Event about the object, which kubectl describe shows."},
	{name: "nats", what: "The subject is an expression.", field: "servers", list: true,
		address: "nats://nats.nats.svc:4222", asked: "the URL of the server",
		rest: "subject: '\"k8s.\" + listener'\n"},
	{name: "kafka", what: "The topic must exist. The key of each message is the object.",
		field: "brokers", list: true, address: "kafka.kafka.svc:9092",
		asked: "the host and port of a broker", rest: "topic: k8s-changes\n"},
}

// Kinds are the kinds of outputs that there are.
func Kinds() (names []string) {
	for _, k := range outputKinds {
		names = append(names, k.name)
	}
	return names
}

func kindOf(name string) (outputKind, bool) {
	i := slices.IndexFunc(outputKinds, func(k outputKind) bool {
		return strings.EqualFold(k.name, name)
	})
	if i < 0 {
		return outputKind{}, false
	}
	return outputKinds[i], true
}

// ParseAlert reads an output as flags have it: KIND or KIND=ADDRESS.
func ParseAlert(text string) (Alert, error) {
	name, address, has := strings.Cut(text, "=")
	name, address = strings.TrimSpace(name), strings.TrimSpace(address)
	k, ok := kindOf(name)
	switch {
	case !ok:
		return Alert{}, unknownWord("--alert", "output", name, Kinds())
	case has && k.field == "":
		return Alert{}, fmt.Errorf("--alert: %s has no address", k.name)
	case has && address == "":
		return Alert{}, fmt.Errorf("--alert: the address of %s is empty", k.name)
	}
	a := Alert{Kind: k.name, Address: address}
	if k.secret && strings.Contains(address, "://") {
		return Alert{}, fmt.Errorf("--alert: the URL of %s is a secret: name the environment"+
			" variable or the file that has it, as in %s=%s", k.name, k.name, k.address)
	}
	return a, nil
}

// variable matches what is meant as the name of an environment variable.
var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// place returns where an address is: fromEnv, fromFile, or "" if it is the address itself.
func (k *outputKind) place(address string) string {
	switch {
	case !k.value:
		return ""
	case variable.MatchString(address):
		return "fromEnv"
	case k.secret, strings.Contains(address, "/") && !strings.Contains(address, "://"):
		return "fromFile"
	}
	return ""
}

// alerts returns the outputs with their names and addresses, each once.
func (w *Wishes) alerts() (all []Alert, err error) {
	wished := w.Alerts
	if len(wished) == 0 {
		wished = []Alert{{Kind: kindStdout}}
	}
	names := map[string]bool{}
	for _, a := range wished {
		k, ok := kindOf(a.Kind)
		if !ok {
			return nil, unknownWord("--alert", "output", a.Kind, Kinds())
		}
		a = Alert{Kind: k.name, Address: cmp.Or(a.Address, k.address)}
		if slices.ContainsFunc(all, func(b Alert) bool {
			return b.Kind == a.Kind && b.Address == a.Address
		}) {
			continue
		}
		name := k.name
		if name == kindEvent {
			name = "event"
		}
		a.name = freeName(name, names)
		all = append(all, a)
	}
	return all, nil
}

// Variables returns the environment variables that the configuration needs.
func (w *Wishes) Variables() (names []string) {
	alerts, err := w.alerts()
	if err != nil {
		return nil
	}
	for _, a := range alerts {
		if k, _ := kindOf(a.Kind); k.place(a.Address) == "fromEnv" {
			names = append(names, a.Address)
		}
	}
	return unique(names)
}
