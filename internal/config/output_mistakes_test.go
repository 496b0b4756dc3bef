package config

import (
	"strings"
	"testing"
)

// outputWith is the output of the base with these lines instead of its kind.
func outputWith(lines ...string) string { return "    " + strings.Join(lines, "\n    ") + "\n" }

func TestOutputMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		{"two kinds", outputLine, outputWith("stdout: {}", "file: {path: x}"),
			"13:5: outputs.out has both stdout and file"},
		{"only when", outputLine, outputWith("when: op == 'add'"),
			"12:3: outputs.out must have stdout, file, webhook, nats, kafka, kubernetesEvent, patch, slack or alertmanager"},
		{"empty when and data", outputLine, outputWith("stdout: {}", "when: ' '", "data: ''"),
			"14:11: outputs.out.when is empty\n" +
				"15:11: outputs.out.data is empty"},
		{"data that is not text", outputLine, outputWith("stdout: {}", "data: {text: message}"),
			"14:11: outputs.out.data must be a string, is a mapping"},
		{"file without a path", outputLine, outputWith("file: {}"),
			"13:5: outputs.out.file has no path"},
		{"file by its name", outputLine, outputWith("file: events.jsonl"),
			`13:11: outputs.out.file must be a mapping, is the string "events.jsonl"`},
		{"path with a variable", outputLine, outputWith("file: {path: $HOME/x}"),
			`13:18: outputs.out.file.path must not have a variable in it, which is not expanded, is "$HOME/x"`},
		{"standard output as a file", outputLine, outputWith("file: {path: /dev/stdout}"),
			"13:18: outputs.out.file.path is /dev/stdout, for which there is stdout: {}"},
		{"one file twice", outputLine,
			outputWith("file: {path: a/../x}") + "  other: {file: {path: ./x}}\n",
			"13:18: outputs.out.file.path is the file of outputs.other"},
		{"rotation", outputLine,
			outputWith("file: {path: x, rotate: {size: 5, age: 24, keep: 0}, sync: yes}"),
			"13:36: outputs.out.file.rotate.size must be 0 (any size) or 1Ki to 1Ti, is 5\n" +
				"13:44: outputs.out.file.rotate.age must be a duration, as in 90s, 1h30m or 7d, is the number 24\n" +
				"13:54: outputs.out.file.rotate.keep must be 1 to 10000, is 0\n" +
				`13:64: outputs.out.file.sync must be interval, always or never, is "yes"`},
		{"negative age", outputLine, outputWith("file: {path: x, rotate: {age: -1h}}"),
			"13:35: outputs.out.file.rotate.age must not be negative, is -1h"},
		{"patch", outputLine, outputWith("patch: {type: strategic, patch: ' ', dryRun: 1}"),
			`13:19: outputs.out.patch.type must be apply, json or merge, is "strategic"` + "\n" +
				"13:37: outputs.out.patch.patch is empty\n" +
				"13:50: outputs.out.patch.dryRun must be true or false, is the number 1"},
		{"patch of nothing", outputLine, outputWith("patch: {}"),
			"10:15: listeners.a.outputs[0]: nothing makes the patch: outputs.out has no expression for it, and listeners.a no handler"},
		{"two that apply", "    outputs: [out]\n" + "outputs:\n  out:\n" + outputLine,
			"    outputs: [p, out, q]\n" + "outputs:\n  out: {stdout: {}}\n" +
				"  p: {patch: {patch: '{}'}}\n  q: {patch: {type: apply, patch: '{}'}}\n",
			"10:23: listeners.a.outputs[2]: outputs.p and outputs.q apply patches as one field manager, and each removes the fields of the other"},
		{"settings of an Event", outputLine, outputWith("kubernetesEvent: {type: Warning}"),
			`13:23: unknown field "type" in outputs.out.kubernetesEvent; it has no fields`},
		{"pager of no rules", outputLine,
			outputWith("alertmanager: {url: http://alertmanager:9093}"),
			"10:15: listeners.a.outputs[0]: outputs.out only takes what rules report, and listeners.a has no rules"},
		{"pager with the path", outputLine,
			outputWith("alertmanager: {url: http://alertmanager:9093/api/v2/alerts/}"),
			"10:15: listeners.a.outputs[0]: outputs.out only takes what rules report, and listeners.a has no rules\n" +
				"13:25: outputs.out.alertmanager.url must be the Alertmanager's, without the path that informerd adds"},
		{"labels", outputLine,
			outputWith("alertmanager: {url: http://alertmanager:9093, labels: {a-b: x, c: 1, d: ' '}}"),
			"10:15: listeners.a.outputs[0]: outputs.out only takes what rules report, and listeners.a has no rules\n" +
				`13:60: outputs.out.alertmanager.labels.a-b: the name "a-b" is not the name of a label, of letters, digits and "_", with no digit first` + "\n" +
				"13:71: outputs.out.alertmanager.labels.c must be a string, is the number 1\n" +
				"13:77: outputs.out.alertmanager.labels.d is empty"},
		{"dead letters", "cluster: {name: c}",
			"deadLetters: {bytes: 5, age: 1s, whenFull: block}",
			"3:22: deadLetters.bytes must be 1Mi to 1Ti, is 5\n" +
				"3:30: deadLetters.age must be 0 (without end) or at least 1m, is 1s\n" +
				`3:44: deadLetters.whenFull must be wait or drop, is "block"`},
		{"giving up", listenerLine, listenerWith("retry: {giveUpAfter: 10ms}"),
			"10:26: listeners.a.retry.giveUpAfter must be 0 (never) or at least 1s, is 10ms"},
	})
}

func TestReceiverMistakes(t *testing.T) {
	webhook := func(settings string) string {
		return outputWith("webhook: {url: https://h.example.com, " + settings + "}")
	}
	testMistakes(t, []mistake{
		{"no url", outputLine, outputWith("webhook: {}"),
			"13:5: outputs.out.webhook has no url"},
		{"misspelt url says it once", outputLine, outputWith("webhook: {uri: x}"),
			`13:15: unknown field "uri" in outputs.out.webhook; did you mean "url"?`},
		{"number for a url", outputLine, outputWith("webhook: {url: 5}"),
			"13:20: outputs.out.webhook.url must be a string, {fromEnv: NAME} or {fromFile: PATH}"},
		{"url from nowhere", outputLine, outputWith("webhook: {url: {}}"),
			"13:15: outputs.out.webhook.url must have fromEnv or fromFile"},
		{"url from two places", outputLine,
			outputWith("webhook: {url: {fromEnv: A, fromFile: b}}"),
			"13:20: outputs.out.webhook.url has both fromEnv and fromFile"},
		{"header from nowhere", outputLine, webhook("headers: {X-A: {fromEnv: ''}}"),
			`13:68: outputs.out.webhook.headers.X-A.fromEnv must be the name of an environment variable, is ""`},
		{"credential in a header", outputLine, webhook("headers: {Authorization: Bearer x}"),
			"13:68: outputs.out.webhook.headers.Authorization: a credential must not be in the configuration, but in {fromEnv: NAME} or {fromFile: PATH}"},
		{"own header", outputLine, webhook("headers: {Content-Length: '5'}"),
			"13:53: outputs.out.webhook.headers.Content-Length: the header Content-Length cannot be set"},
		{"mode", outputLine, webhook("mode: batched, timeout: 5"),
			`13:49: outputs.out.webhook.mode must be structured, binary or batch, is "batched"` + "\n" +
				"13:67: outputs.out.webhook.timeout must be a duration, as in 90s, 1h30m or 7d, is the number 5"},
		{"batch without the mode", outputLine, webhook("batch: {events: 10}"),
			"13:43: outputs.out.webhook.batch is set, but the mode is structured"},
		{"batch out of range", outputLine, webhook("mode: batch, batch: {events: 0, wait: 2m}"),
			"13:72: outputs.out.webhook.batch.events must be 1 to 10000, is 0\n" +
				"13:81: outputs.out.webhook.batch.wait must be 0s to 1m, is 2m"},
		{"certificate without a key", outputLine, webhook("tls: {certFile: a}"),
			"13:49: outputs.out.webhook.tls.certFile is set, but outputs.out.webhook.tls has no keyFile"},
		{"key without a certificate", outputLine, webhook("tls: {keyFile: a, serverName: '*'}"),
			"13:49: outputs.out.webhook.tls.keyFile is set, but outputs.out.webhook.tls has no certFile\n" +
				`13:73: outputs.out.webhook.tls.serverName must be the name of a server, is "*"`},
		{"tls without tls", outputLine, outputWith("webhook: {url: http://hook, tls: {}}"),
			"13:33: outputs.out.webhook.tls is set, but the URL begins with http://"},
		{"key in the configuration", outputLine, webhook("sign: {secret: whsec_MfKQ9r8GKYqrTwjU}"),
			"13:58: outputs.out.webhook.sign.secret: a credential must not be in the configuration, but in {fromEnv: NAME} or {fromFile: PATH}"},
		{"no key", outputLine, webhook("sign: {previous: 5}"),
			"13:43: outputs.out.webhook.sign has no secret\n" +
				"13:60: outputs.out.webhook.sign.previous must be {fromEnv: NAME} or {fromFile: PATH}"},
		{"key from nowhere", outputLine, webhook("sign: {secret: {}}"),
			"13:50: outputs.out.webhook.sign.secret must have fromEnv or fromFile"},
		{"secret of Slack", outputLine,
			outputWith("slack: {url: https://hooks.slack.com/services/T0/B0/x}"),
			"13:18: outputs.out.slack.url: a credential must not be in the configuration, but in {fromEnv: NAME} or {fromFile: PATH}"},
		{"secret in the query", outputLine,
			outputWith("webhook: {url: 'https://h.example.com/x?access_token=abc'}"),
			"13:20: outputs.out.webhook.url: a credential must not be in the configuration, but in {fromEnv: NAME} or {fromFile: PATH}"},
		{"nats", outputLine, outputWith("nats: {servers: [], stream: a.b}"),
			"13:5: outputs.out.nats has no subject\n" +
				"13:21: outputs.out.nats.servers must have at least one server\n" +
				`13:33: outputs.out.nats.stream must be the name of a stream, of at most 255 letters, digits, "-" and "_", is "a.b"`},
		{"nats credentials", outputLine,
			outputWith(`nats: {subject: "'a'", servers: ['nats://u:p@nats'], credentials: x}`),
			"13:38: outputs.out.nats.servers[0]: the credential must not be in the configuration, but in credentials: {fromFile: PATH}\n" +
				"13:71: outputs.out.nats.credentials: a credential must not be in the configuration, but in {fromEnv: NAME} or {fromFile: PATH}"},
		{"nats twice", outputLine,
			outputWith(`nats: {subject: "'a'", servers: ['nats://n', 'nats://n']}`),
			"13:50: outputs.out.nats.servers[1] repeats another server"},
		{"kafka", outputLine,
			outputWith("kafka: {brokers: [kafka, 'kafka:0'], topic: a b, sasl: {mechanism: md5, password: x}}"),
			`13:23: outputs.out.kafka.brokers[0] must be a host and a port, is "kafka"` + "\n" +
				`13:30: outputs.out.kafka.brokers[1] must have a port of 1 to 65535, is "kafka:0"` + "\n" +
				`13:49: outputs.out.kafka.topic must be the name of a topic, of at most 249 letters, digits, ".", "-" and "_", is "a b"` + "\n" +
				"13:54: outputs.out.kafka.sasl has no username\n" +
				`13:72: outputs.out.kafka.sasl.mechanism must be scram-sha-512, scram-sha-256 or plain, is "md5"` + "\n" +
				"13:87: outputs.out.kafka.sasl.password: a credential must not be in the configuration, but in {fromEnv: NAME} or {fromFile: PATH}"},
		{"topic of dots", outputLine, outputWith("kafka: {brokers: ['kafka:9092'], topic: ..}"),
			`13:45: outputs.out.kafka.topic must be the name of a topic, is ".."`},
		{"a url that is none", outputLine, outputWith("webhook: {url: hooks.example.com}"),
			"13:20: outputs.out.webhook.url must be a URL that begins with https://"},
	})
}

// What can be lost when informerd ends is a warning, once, and none with a folder for state.
func TestWarningsOfDeadLetters(t *testing.T) {
	const lost = " can make dead letters, which are lost when informerd ends without state: {dir: FOLDER}"
	webhook := outputWith("webhook: {url: https://h.example.com}")
	for name, test := range map[string]struct{ text, want string }{
		"stdout": {base, ""},
		"file":   {strings.Replace(base, outputLine, outputWith("file: {path: x}"), 1), ""},
		"webhook": {strings.Replace(base, outputLine, webhook, 1),
			"x.yaml:12:3: outputs.out" + lost},
		"handler": {strings.Replace(base, listenerLine, listenerWith("handler: {wasm: x}"), 1), ""},
		"kept":    {strings.Replace(base, outputLine, webhook, 1) + "state: {dir: s}\n", ""},
		"password on the way": {strings.Replace(base, outputLine,
			outputWith("kafka: {brokers: ['k:1'], topic: t, sasl: {mechanism: plain, username: u, password: {fromEnv: P}}}"), 1) + "state: {dir: s}\n",
			"x.yaml:13:59: outputs.out.kafka.sasl.mechanism is plain, and without TLS everybody on the way can read the password"},
	} {
		c, err := Parse("x.yaml", []byte(test.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, w := range c.Warnings() {
			got = append(got, w.Error())
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// Outputs that apply patches to different objects, or to the same ones as different managers, are
// allowed. What cannot be known is a warning.
func TestWarningsOfApplies(t *testing.T) {
	const always, some = "{patch: {patch: '{}'}}", "{when: name == 'x', patch: {patch: '{}'}}"
	const warning = "x.yaml:10:18: listeners.a.outputs[1]: outputs.p and outputs.q apply patches as one field manager, and each removes the fields of the other in an object that gets both"
	for name, test := range map[string]struct{ outputs, p, q, want string }{
		"one when":  {"[p, q]", always, some, warning},
		"both when": {"[p, q]", some, some, warning},
		"merge":     {"[p, q]", always, "{patch: {type: merge, patch: '{}'}}", ""},
		"dry run":   {"[p, q]", always, "{patch: {dryRun: true, patch: '{}'}}", ""},
		"different listeners": {
			"[p]\n  b:\n    informer: pods\n    outputs: [q]", always, always, ""},
	} {
		text := strings.Replace(base, "[out]", test.outputs, 1)
		text = strings.Replace(text, "  out:\n"+outputLine,
			"  p: "+test.p+"\n  q: "+test.q+"\nstate: {dir: s}\n", 1)
		c, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, w := range c.Warnings() {
			got = append(got, w.Error())
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
