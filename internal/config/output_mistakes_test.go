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
			"13:5: outputs.out has both stdout and file; keep one of them"},
		{"only when", outputLine, outputWith("when: op == 'add'"),
			"12:3: outputs.out has no kind; write what kind it is below it, as in stdout: {} or webhook: {url: https://hooks.example.com/x}"},
		{"empty when and data", outputLine, outputWith("stdout: {}", "when: ' '", "data: ''"),
			"14:11: outputs.out.when is empty; remove it to send all messages\n" +
				"15:11: outputs.out.data is empty; remove it for the object and its old state"},
		{"data that is not text", outputLine, outputWith("stdout: {}", "data: {text: message}"),
			`14:11: outputs.out.data must be a string, is a mapping; an expression is a text: put it in quotes, as in data: '{"text": message}'`},
		{"file without a path", outputLine, outputWith("file: {}"),
			"13:5: outputs.out.file has no path; add path, as in /var/log/informerd/events.jsonl"},
		{"file by its name", outputLine, outputWith("file: events.jsonl"),
			`13:11: outputs.out.file must be a mapping, is the string "events.jsonl"; write {path: events.jsonl}`},
		{"path with a variable", outputLine, outputWith("file: {path: $HOME/x}"),
			`13:18: outputs.out.file.path must not have a variable in it, is "$HOME/x"; paths are taken as they are: write it out in full, or relative to the folder of this configuration`},
		{"standard output as a file", outputLine, outputWith("file: {path: /dev/stdout}"),
			"13:18: outputs.out.file.path is /dev/stdout, and not a file; write stdout: {} in place of file"},
		{"one file twice", outputLine,
			outputWith("file: {path: a/../x}") + "  other: {file: {path: ./x}}\n",
			"13:18: outputs.out.file.path is the file of outputs.other; name the first output in the listeners of both, or choose another file"},
		{"rotation", outputLine,
			outputWith("file: {path: x, rotate: {size: 5, age: 24, keep: 0}, sync: yes}"),
			"13:36: outputs.out.file.rotate.size must be 0 (any size) or 1Ki to 1Ti, is 5; a number alone is bytes: write 5Mi\n" +
				"13:44: outputs.out.file.rotate.age has no unit, is the number 24; write a number and a unit (d, h, m, s, ms), as in 24s\n" +
				"13:54: outputs.out.file.rotate.keep must be 1 to 10000, is 0\n" +
				`13:64: outputs.out.file.sync must be interval, always or never, is "yes"`},
		{"negative age", outputLine, outputWith("file: {path: x, rotate: {age: -1h}}"),
			"13:35: outputs.out.file.rotate.age must not be negative, is -1h"},
		{"patch", outputLine, outputWith("patch: {type: strategic, patch: ' ', dryRun: 1}"),
			`13:19: outputs.out.patch.type must be apply, json or merge, is "strategic"; write merge` + "\n" +
				"13:37: outputs.out.patch.patch is empty; remove it if the message's data is the patch\n" +
				"13:50: outputs.out.patch.dryRun must be true or false, is the number 1; write true"},
		{"patch of nothing", outputLine, outputWith("patch: {}"),
			"10:15: listeners.a.outputs[0]: nothing makes the patch: outputs.out has no expression for it, and listeners.a no handler; add patch, an expression, to outputs.out.patch"},
		{"two that apply", "    outputs: [out]\n" + "outputs:\n  out:\n" + outputLine,
			"    outputs: [p, out, q]\n" + "outputs:\n  out: {stdout: {}}\n" +
				"  p: {patch: {patch: '{}'}}\n  q: {patch: {type: apply, patch: '{}'}}\n",
			"10:23: listeners.a.outputs[2]: outputs.p and outputs.q both apply patches as the same field manager: each removes the fields of the other; make it one patch with the fields of both, or set type: merge in one of them"},
		{"settings of an Event", outputLine, outputWith("kubernetesEvent: {type: Warning}"),
			`13:23: unknown field "type" in outputs.out.kubernetesEvent; write {}: it takes no settings`},
		{"pager of no rules", outputLine,
			outputWith("alertmanager: {url: http://alertmanager:9093}"),
			"10:15: listeners.a.outputs[0]: outputs.out only takes what rules report, and listeners.a has no rules; add rules to the listener, or send its events to another output"},
		{"pager with the path", outputLine,
			outputWith("alertmanager: {url: http://alertmanager:9093/api/v2/alerts/}"),
			"10:15: listeners.a.outputs[0]: outputs.out only takes what rules report, and listeners.a has no rules; add rules to the listener, or send its events to another output\n" +
				"13:25: outputs.out.alertmanager.url must be the Alertmanager's, without the path that informerd adds; remove /api/v2/alerts"},
		{"labels", outputLine,
			outputWith("alertmanager: {url: http://alertmanager:9093, labels: {a-b: x, c: 1, d: ' '}}"),
			"10:15: listeners.a.outputs[0]: outputs.out only takes what rules report, and listeners.a has no rules; add rules to the listener, or send its events to another output\n" +
				`13:60: outputs.out.alertmanager.labels.a-b: the name "a-b" is not the name of a label; write a_b: use letters, digits and "_", with no digit first` + "\n" +
				"13:71: outputs.out.alertmanager.labels.c must be a string, is the number 1; put it in quotes\n" +
				"13:77: outputs.out.alertmanager.labels.d is empty; write a value or remove it"},
		{"dead letters", "cluster: {name: c}",
			"deadLetters: {bytes: 5, age: 1s, whenFull: block}",
			"3:22: deadLetters.bytes must be 1Mi to 1Ti, is 5; a number alone is bytes: write 5Mi\n" +
				"3:30: deadLetters.age must be 0 (without end) or at least 1m, is 1s\n" +
				`3:44: deadLetters.whenFull must be wait or drop, is "block"; write wait`},
		{"giving up", listenerLine, listenerWith("retry: {giveUpAfter: 10ms}"),
			"10:26: listeners.a.retry.giveUpAfter must be 0 (never) or at least 1s, is 10ms"},
	})
}

func TestReceiverMistakes(t *testing.T) {
	const url, where = "; write it as https://hooks.example.com/x",
		"; write {fromEnv: NAME} or {fromFile: PATH}"
	webhook := func(settings string) string {
		return outputWith("webhook: {url: https://h.example.com, " + settings + "}")
	}
	testMistakes(t, []mistake{
		{"no url", outputLine, outputWith("webhook: {}"),
			"13:5: outputs.out.webhook has no url; add url, as in https://hooks.example.com/x, or {fromEnv: NAME} or {fromFile: PATH}"},
		{"misspelt url says it once", outputLine, outputWith("webhook: {uri: x}"),
			`13:15: unknown field "uri" in outputs.out.webhook; write url`},
		{"number for a url", outputLine, outputWith("webhook: {url: 5}"),
			"13:20: outputs.out.webhook.url must be a string, or say where its value is; put it in quotes, or write {fromEnv: NAME} or {fromFile: PATH}"},
		{"url from nowhere", outputLine, outputWith("webhook: {url: {}}"),
			"13:15: outputs.out.webhook.url has no value" + where + ", or remove it"},
		{"url from two places", outputLine,
			outputWith("webhook: {url: {fromEnv: A, fromFile: b}}"),
			"13:20: outputs.out.webhook.url has both fromEnv and fromFile; keep one of them"},
		{"header from nowhere", outputLine, webhook("headers: {X-A: {fromEnv: ''}}"),
			`13:68: outputs.out.webhook.headers.X-A.fromEnv must be the name of an environment variable, is ""`},
		{"credential in a header", outputLine, webhook("headers: {Authorization: Bearer x}"),
			"13:68: outputs.out.webhook.headers.Authorization: the credential must not be in the configuration" + where},
		{"own header", outputLine, webhook("headers: {Content-Length: '5'}"),
			"13:53: outputs.out.webhook.headers.Content-Length: the header Content-Length cannot be set; remove it"},
		{"mode", outputLine, webhook("mode: batched, timeout: 5"),
			`13:49: outputs.out.webhook.mode must be structured, binary or batch, is "batched"; write batch` + "\n" +
				"13:67: outputs.out.webhook.timeout has no unit, is the number 5; write a number and a unit (d, h, m, s, ms), as in 5s"},
		{"batch without the mode", outputLine, webhook("batch: {events: 10}"),
			"13:43: outputs.out.webhook.batch is set, but the mode is structured; set mode: batch, or remove it"},
		{"batch out of range", outputLine, webhook("mode: batch, batch: {events: 0, wait: 2m}"),
			"13:72: outputs.out.webhook.batch.events must be 1 to 10000, is 0\n" +
				"13:81: outputs.out.webhook.batch.wait must be 0s to 1m, is 2m"},
		{"certificate without a key", outputLine, webhook("tls: {certFile: a}"),
			"13:49: outputs.out.webhook.tls.certFile is set, but outputs.out.webhook.tls has no keyFile; add keyFile"},
		{"key without a certificate", outputLine, webhook("tls: {keyFile: a, serverName: '*'}"),
			"13:49: outputs.out.webhook.tls.keyFile is set, but outputs.out.webhook.tls has no certFile; add certFile\n" +
				`13:73: outputs.out.webhook.tls.serverName must be the name of a server, is "*"`},
		{"tls without tls", outputLine, outputWith("webhook: {url: http://hook, tls: {}}"),
			"13:33: outputs.out.webhook.tls is set, but the URL begins with http://; write https:// in the URL, or remove it"},
		{"key in the configuration", outputLine, webhook("sign: {secret: whsec_MfKQ9r8GKYqrTwjU}"),
			"13:58: outputs.out.webhook.sign.secret: the secret must not be in the configuration" +
				where},
		{"no key", outputLine, webhook("sign: {previous: 5}"),
			"13:43: outputs.out.webhook.sign has no secret; add secret, as in secret: {fromFile: PATH}\n" +
				"13:60: outputs.out.webhook.sign.previous must say where its value is" + where},
		{"key from nowhere", outputLine, webhook("sign: {secret: {}}"),
			"13:50: outputs.out.webhook.sign.secret has no value" + where},
		{"secret of Slack", outputLine,
			outputWith("slack: {url: https://hooks.slack.com/services/T0/B0/x}"),
			"13:18: outputs.out.slack.url: the credential must not be in the configuration" +
				where},
		{"secret in the query", outputLine,
			outputWith("webhook: {url: 'https://h.example.com/x?access_token=abc'}"),
			"13:20: outputs.out.webhook.url: the credential must not be in the configuration" +
				where},
		{"nats", outputLine, outputWith("nats: {servers: [], stream: a.b}"),
			`13:5: outputs.out.nats has no subject; add subject, as in '"k8s." + cluster + "." + resource'` + "\n" +
				"13:21: outputs.out.nats.servers is an empty list; name one, as in [nats://nats:4222]\n" +
				`13:33: outputs.out.nats.stream must be the name of a stream, is "a.b"; use at most 255 letters, digits, "-" and "_"`},
		{"nats credentials", outputLine,
			outputWith(`nats: {subject: "'a'", servers: ['nats://u:p@nats'], credentials: x}`),
			"13:38: outputs.out.nats.servers[0]: the credential must not be in the configuration; remove it, and write credentials: {fromFile: PATH}\n" +
				"13:71: outputs.out.nats.credentials: the secret must not be in the configuration" +
				where},
		{"nats twice", outputLine,
			outputWith(`nats: {subject: "'a'", servers: ['nats://n', 'nats://n']}`),
			"13:50: outputs.out.nats.servers[1] repeats another server"},
		{"kafka", outputLine,
			outputWith("kafka: {brokers: [kafka, 'kafka:0'], topic: a b, sasl: {mechanism: md5, password: x}}"),
			`13:23: outputs.out.kafka.brokers[0] must be a host and a port, is "kafka"; write it as kafka:9092` + "\n" +
				`13:30: outputs.out.kafka.brokers[1] must have a port of 1 to 65535, is "kafka:0"; write it as kafka:9092` + "\n" +
				`13:49: outputs.out.kafka.topic must be the name of a topic, is "a b"; use at most 249 letters, digits, ".", "-" and "_"` + "\n" +
				"13:54: outputs.out.kafka.sasl has no username; add username\n" +
				`13:72: outputs.out.kafka.sasl.mechanism must be scram-sha-512, scram-sha-256 or plain, is "md5"` + "\n" +
				"13:87: outputs.out.kafka.sasl.password: the secret must not be in the configuration" + where},
		{"a subject with a space", outputLine,
			outputWith(`nats: {servers: ["nats://nats:4222"], subject: '"k8s events." + resource'}`),
			"13:52: outputs.out.nats.subject has a space or a line break in it, which a subject cannot have; join its levels by dots, as in '\"k8s.\" + resource'"},
		{"topic of dots", outputLine, outputWith("kafka: {brokers: ['kafka:9092'], topic: ..}"),
			`13:45: outputs.out.kafka.topic must be the name of a topic, is ".."; write letters or digits as well`},
		{"a url that is none", outputLine, outputWith("webhook: {url: hooks.example.com}"),
			"13:20: outputs.out.webhook.url must be a URL that begins with https://" + url},
	})
}

// What can be lost when informerd ends is a warning, once, and none with a folder for state.
func TestWarningsOfDeadLetters(t *testing.T) {
	const lost = " can make dead letters, which are kept in memory and lost when informerd ends; add state: {dir: FOLDER} to the configuration"
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
			"x.yaml:13:59: outputs.out.kafka.sasl.mechanism is plain, and the connection has no TLS: everybody on the way can read the password; add tls: {}, or use scram-sha-512"},
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
	const warning = "x.yaml:10:18: listeners.a.outputs[1]: outputs.p and outputs.q both apply patches as the same field manager: in an object that gets both, each removes the fields of the other; see that their when never chooses the same object, make it one patch with the fields of both, or set type: merge in one of them"
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

// A list where the type of the patch needs an object is a warning, and the other way round.
func TestWarningsOfPatchesOfAnotherType(t *testing.T) {
	const list, object = `'[{op: "remove", path: "/a"}]'`, `'{metadata: {}}'`
	const isList = ".patch.patch is a list, and a patch of type "
	for output, want := range map[string]string{
		"{patch: {patch: " + list + "}}":                          "x.yaml:12:22: outputs.p.patch.patch is a list, and a patch of type apply is an object; set type: json",
		"{patch: {type: merge, patch: " + list + "}}":             isList + "merge is an object; set type: json",
		"{patch: {type: json, patch: " + object + "}}":            "outputs.p.patch.patch is an object, and a patch of type json is a list; write a list of operations, or remove type: json",
		"{patch: {type: merge}, data: " + list + "}":              "outputs.p.data is a list, and a patch of type merge is an object",
		"{patch: {type: json, patch: " + list + "}}":              "",
		"{patch: {patch: " + object + "}}":                        "",
		"{patch: {patch: '[{}][0]'}}":                             "",
		"{patch: {type: json, patch: 'op == \"add\" ? [] : []'}}": "",
	} {
		text := strings.Replace(base, "[out]", "[p]", 1)
		text = strings.Replace(text, "  out:\n"+outputLine, "  p: "+output+"\nstate: {dir: s}\n", 1)
		c, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", output, err)
		}
		got := Errors(c.Warnings())
		if (len(got) == 0) != (want == "") || len(got) > 0 && !strings.Contains(got.Error(), want) {
			t.Errorf("%s: got %v, want %q", output, got, want)
		}
	}
}
