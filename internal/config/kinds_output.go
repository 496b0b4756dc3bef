package config

import (
	"maps"
	"reflect"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

const (
	webhookExample = "{url: " + urlExample + "}"
	serversExample = "[nats://nats:4222]"
	brokersExample = "[kafka:9092]"
	urlHint        = "add url, as in " + urlExample + ", or " + whereURL
	whereURL       = "{fromEnv: NAME} or {fromFile: PATH}"
)

// withOutputs adds what to do about mistakes in the values of outputs' types.
func withOutputs(help map[reflect.Type]document.Help) map[reflect.Type]document.Help {
	maps.Copy(help, map[reflect.Type]document.Help{
		reflect.TypeFor[Value]():  {Missing: hints{"value": whereHint + ", or remove it"}},
		reflect.TypeFor[Secret](): {Missing: hints{"value": whereHint}},
		reflect.TypeFor[Output](): {
			Example: "{stdout: {}}", Elsewhere: advice.Output(),
			Missing: hints{"kind": "write what kind it is below it, as in stdout: {} or webhook: " +
				webhookExample},
			Empty: hints{"when": "remove it to send all messages",
				"data": "remove it for the object and its old state"}},
		reflect.TypeFor[map[string]*Output](): {
			Example: "a name and an output, as in stdout: {stdout: {}}"},
		reflect.TypeFor[Stdout](): {
			Example: "{}: it takes no settings, each event is a line of JSON"},
		reflect.TypeFor[File](): {
			Example: "{path: events.jsonl}",
			Missing: hints{"path": "add path, as in /var/log/informerd/events.jsonl"}},
		reflect.TypeFor[Webhook](): {
			Example: webhookExample, Elsewhere: advice.Webhook(), Missing: hints{"url": urlHint}},
		reflect.TypeFor[Sign](): {
			Example: "{secret: {fromFile: PATH}}",
			Missing: hints{"secret": "add secret, as in secret: {fromFile: PATH}"}},
		reflect.TypeFor[NATS](): {
			Missing: hints{"servers": "add servers, as in " + serversExample,
				"subject": `add subject, as in '"k8s." + cluster + "." + resource'`},
			Empty: hints{"servers": "name one, as in " + serversExample,
				"subject": `write an expression, as in '"k8s." + cluster + "." + resource'`}},
		reflect.TypeFor[Kafka](): {
			Missing: hints{"brokers": "add brokers, as in " + brokersExample,
				"topic": "add topic, the name of one"},
			Empty: hints{"brokers": "name one, as in " + brokersExample}},
		reflect.TypeFor[SASL](): {
			Example: "{username: NAME, password: {fromFile: PATH}}",
			Missing: hints{"username": "add username",
				"password": "add password, as in password: {fromFile: PATH}"}},
		reflect.TypeFor[KubernetesEvent](): {Example: "{}: it takes no settings"},
		reflect.TypeFor[Patch](): {
			Empty: hints{"patch": "remove it if the message's data is the patch"}},
		reflect.TypeFor[Slack](): {
			Example: "{url: {fromEnv: NAME}}", Elsewhere: advice.Slack(),
			Missing: hints{"url": "add url, as in url: {fromEnv: NAME}"},
			Empty:   hints{"text": "remove it for a line about the rule or the event"}},
		reflect.TypeFor[Alertmanager](): {
			Example: "{url: http://alertmanager:9093}",
			Missing: hints{"url": "add url, as in http://alertmanager:9093"}},
	})
	return help
}
