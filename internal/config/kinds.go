package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The kinds of files that are read here.
var (
	configuration = headed(newKind("configuration"))
	policy        = headed(newKind("policy"))
	eventFile     = newKind("event")
)

func newKind(noun string) *document.Kind {
	return &document.Kind{Noun: noun, Types: types, Formats: formats, Secret: SecretURL,
		SecretLine: mayHoldSecret, Elsewhere: elsewhere}
}

// headed returns a kind of file that says what it is.
func headed(k *document.Kind) *document.Kind {
	k.Same = []string{"apiVersion", "kind"}
	k.Joined = []string{"informers", "listeners", "outputs", "policies"}
	return k
}

// types decode the values that have a form of their own.
var types = map[reflect.Type]func(document.Value, any){
	reflect.TypeFor[event.Op](): func(v document.Value, into any) {
		decodeOp(v, into.(*event.Op))
	},
	reflect.TypeFor[Value](): func(v document.Value, into any) {
		decodeValue(v, into.(*Value))
	},
	reflect.TypeFor[Secret](): func(v document.Value, into any) {
		decodeSecret(v, into.(*Secret))
	},
	reflect.TypeFor[*Secret](): func(v document.Value, into any) {
		s := &Secret{}
		*into.(**Secret) = s
		decodeSecret(v, s)
	},
	reflect.TypeFor[InformerRef](): func(v document.Value, into any) {
		decodeRef(v, into.(*InformerRef))
	},
}

// elsewhere are names that other programs have for fields, with what they are here.
var elsewhere = map[string]string{
	"Config.metadata":            "a configuration is a file, whose fields are at the top",
	"Config.spec":                "a configuration is a file, whose fields are at the top",
	"Config.metrics":             "metrics are at http.address",
	"Config.logLevel":            "the log has the flags --log-level and --log-format",
	"Config.rules":               "rules belong to a listener or a policy file",
	"Config.receivers":           "where events go is in outputs",
	"Config.sinks":               "where events go is in outputs",
	"Config.resources":           "what is watched is in informers",
	"Config.replicas":            "replicas need leaderElection, and share the work with sharding",
	"Config.include":             "files are read as one with several -c",
	"Informer.kind":              "resource has the plural and the group, as in deployments.apps",
	"Informer.apiVersion":        "resource has the plural and the group, as in deployments.apps",
	"Informer.selector":          "objects are chosen by labelSelector, as in app=web",
	"Informer.matchLabels":       "objects are chosen by labelSelector, as in app=web",
	"Informer.name":              "one object is chosen by fieldSelector: metadata.name=NAME",
	"Informer.filter":            "filter belongs to the listener",
	"Informer.on":                "on belongs to the listener",
	"Listener.true":              "a program that reads YAML 1.1 makes it of on, without quotes",
	"Listener.resource":          "resource belongs to informer",
	"Listener.kind":              "what is watched is in informer",
	"Listener.namespaces":        "namespaces belong to informer",
	"Listener.labelSelector":     "labelSelector belongs to informer",
	"Listener.events":            "on has the events, as in [add, update, delete]",
	"Listener.when":              "filter is the expression about an event, select about an object",
	"Listener.condition":         "filter is the expression about an event, select about an object",
	"Listener.deny":              "deny belongs to a rule",
	"Listener.for":               "for belongs to a rule",
	"Listener.interval":          "resync is the period",
	"Listener.webhook":           "outputs has names, and the outputs are at the top",
	"Listener.command":           "a listener runs a WASM module, in handler",
	"Listener.concurrency":       "workers is how many events are processed at once",
	"Rule.expr":                  "deny is the expression that is true for a violation",
	"Rule.condition":             "deny is the expression that is true for a violation",
	"Rule.annotations":           "message is the expression for the text",
	"Rule.labels":                "severity is how bad it is, and labels belong to an output alertmanager",
	"Rule.alert":                 "name is the rule's name",
	"Policy.outputs":             "outputs belong to the entry of policies that names the file",
	"Policy.filter":              "a policy has select, an expression about the object",
	"Output.type":                "the kind is a field with its settings, as in stdout: {}",
	"Output.url":                 "the kind is a field with its settings, as in webhook: {url: URL}",
	"Output.http":                "webhook posts messages over HTTP",
	"Output.teams":               "webhook posts the output's data over HTTP",
	"Output.elasticsearch":       "webhook posts the output's data over HTTP",
	"Output.filter":              "when is the expression about a message",
	"Output.template":            "data is the expression for what is sent",
	"Output.retry":               "retry belongs to the listener",
	"Webhook.method":             "requests are always POST",
	"Webhook.token":              "credentials are headers, as in Authorization: {fromEnv: NAME}",
	"Webhook.insecureSkipVerify": "tls.caFile names the certificate to trust",
	"Webhook.body":               "what is posted is the output's data",
	"Slack.channel":              "the webhook's URL decides the channel",
	"Slack.message":              "text is the expression for the text",
	"Handler.image":              "wasm is the path of a file",
	"Handler.timeout":            "limits.deadline is the longest a call may take",
}

// rightFile reports whether a file is of the kind that is wanted.
func rightFile(d *document.File, apiVersion, kind, wanted string) bool {
	if rightKind(d.Report, apiVersion, kind, wanted) || meant(d, apiVersion, kind, wanted) {
		return true
	}
	// It is something else, such as a Deployment: its fields are all unknown, and that is not what
	// is wrong with it.
	d.Only("apiVersion", "kind")
	return false
}

// meant reports whether a file whose header is wrong has what only those of the wanted kind have:
// its other mistakes are then worth reading, unless it is of a version to come.
func meant(d *document.File, apiVersion, kind, wanted string) bool {
	if strings.HasPrefix(apiVersion, "informerd.dev/") && apiVersion != APIVersion ||
		kind != wanted && (kind == Kind || kind == PolicyKind) {
		return false
	}
	has := func(name string) bool { return slices.Contains(d.Members(), name) }
	return has("listeners") && has("outputs") || has("rules") && has("informer")
}

// rightKind reports an apiVersion or kind that is not that of the file.
func rightKind(r *document.Report, apiVersion, kind, wanted string) bool {
	right := true
	for _, header := range []struct{ field, is, want string }{
		{"apiVersion", apiVersion, APIVersion}, {"kind", kind, wanted},
	} {
		if r.Good(header.field) && header.is != header.want {
			right = false
			r.BadValue(header.field, "%s must be %s, is %s", header.field, header.want,
				document.Quote(header.is))
		}
	}
	return right
}
