package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

// hinted is a valid configuration. Each test replaces a part of it.
const hinted = `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: ./state}
informers:
  pods: {resource: pods}
listeners:
  a:
    informer: pods
    outputs: [out]
outputs:
  out: {stdout: {}}
`

// What a hint shows to write in place of a value is what is wanted there: with it the configuration
// is valid.
func TestWhatHintsShowIsValid(t *testing.T) {
	const listener, output = "    informer: pods\n", "out: {stdout: {}}"
	const state, pods, end = "state: {dir: ./state}", "pods: {resource: pods}", "state:"
	for _, c := range []struct{ what, wrong, hint, right string }{
		// a lone value where a mapping is needed
		{state, "state: ./x", "write {dir: ./x}", "state: {dir: ./x}"},
		{state, "state: [./x]", "write {dir: ./x}", "state: {dir: ./x}"},
		{state, "state: true", "write {dir: ./state}", "state: {dir: ./state}"},
		{end, "http: 8080\nstate:", `write {address: "127.0.0.1:8080"}`, "http: {address: \"127.0.0.1:8080\"}\nstate:"},
		{end, "health: :8081\nstate:", `write {address: ":8081"}`, "health: {address: \":8081\"}\nstate:"},
		{end, "shutdown: 30s\nstate:", "write {drain: 30s}", "shutdown: {drain: 30s}\nstate:"},
		{end, "cluster: prod\nstate:", "write {name: prod}", "cluster: {name: prod}\nstate:"},
		{end, "tracing: true\nstate:", "its fields are url", "tracing: {url: {fromEnv: A}}\nstate:"},
		{end, "leaderElection: true\nstate:", "write {}", "leaderElection: {}\nstate:"},
		{listener, listener + "    retry: 3\n", "write {attempts: 3}", listener + "    retry: {attempts: 3}\n"},
		{listener, listener + "    retry: true\n", "write {} for the defaults", listener + "    retry: {}\n"},
		{listener, listener + "    buffer: 100\n", "write {capacity: 100}", listener + "    buffer: {capacity: 100}\n"},
		{listener, listener + "    buffer: off\n", "remove it", listener},
		{listener, listener + "    buffer: 10k\n", "write {capacity: 10000}", listener + "    buffer: {capacity: 10000}\n"},
		{listener, listener + "    buffer: 1_000\n", "write {capacity: 1000}", listener + "    buffer: {capacity: 1000}\n"},
		{listener, listener + "    buffer: {capacity: 1_000}\n", "write 1000", listener + "    buffer: {capacity: 1000}\n"},
		{listener, listener + "    buffer: 500 events\n", "write {capacity: 500}", listener + "    buffer: {capacity: 500}\n"},
		{listener, listener + "    buffer: 10G\n", "write {} for the defaults", listener + "    buffer: {}\n"},
		{listener, listener + "    buffer: unlimited\n", "write {overflow: spill}", listener + "    buffer: {overflow: spill}\n"},
		{listener, listener + "    buffer: drop\n", "write {overflow: drop}", listener + "    buffer: {overflow: drop}\n"},
		{listener, listener + "    buffer: wait\n", "write {overflow: block}", listener + "    buffer: {overflow: block}\n"},
		{listener, listener + "    buffer: {spill: /tmp}\n", "write {dir: /tmp}", listener + "    buffer: {overflow: spill, spill: {dir: /tmp}}\n"},
		{listener, listener + "    retry: 5x\n", "write {attempts: 5}", listener + "    retry: {attempts: 5}\n"},
		{listener, listener + "    retry: 3 times\n", "write {attempts: 3}", listener + "    retry: {attempts: 3}\n"},
		{listener, listener + "    retry: 5s\n", "write {minBackoff: 5s}", listener + "    retry: {minBackoff: 5s}\n"},
		{listener, listener + "    retry: forever\n", "write {attempts: 1000}", listener + "    retry: {attempts: 1000}\n"},
		{end, "tracing: http://otel:4318\nstate:", "write {url: http://otel:4318}", "tracing: {url: http://otel:4318}\nstate:"},
		{output, "out: https://a.b/c", "write {webhook: {url: https://a.b/c}}", "out: {webhook: {url: https://a.b/c}}"},
		{output, "out: events.jsonl", "write {file: {path: events.jsonl}}", "out: {file: {path: events.jsonl}}"},
		{output, "out: {webhook: {fromEnv: A}}", "it says where the URL is: write url: {fromEnv: NAME}", "out: {webhook: {url: {fromEnv: NAME}}}"},
		{output, "out: {webhook: {url: https://a.b/c, tls: ca.pem}}", "write {caFile: ca.pem}", "out: {webhook: {url: https://a.b/c, tls: {caFile: ca.pem}}}"},
		{output, "out: {kafka: 'kafka:9092'}", `write {brokers: ["kafka:9092"], topic: events}`, "out: {kafka: {brokers: ['kafka:9092'], topic: events}}"},
		{output, "out: {nats: 'nats://n:4222'}", `write {servers: ["nats://n:4222"], subject: '"k8s." + resource'}`,
			"out: {nats: {servers: ['nats://n:4222'], subject: '\"k8s.\" + resource'}}"},
		{output, "out: {nats: 'nats://u:p@n:4222'}", "its fields are servers", "out: {stdout: {}}"},
		// words, and lines without dashes, where a list is needed
		{"outputs: [out]", "outputs: out out2", "write [out, out2]", "outputs: [out]"},
		{"outputs: [out]", "outputs:\n      • out", "write [out]", "outputs: [out]"},
		{"outputs: [out]", "outputs: out\n      - out2", "write [out, out2]", "outputs: [out]"},
		{"outputs: [out]", "outputs: [out out2]", "write a list of names: [out, out2]", "outputs: [out]"},
		{listener, listener + "    filter: #initial\n", "# begins a comment: put the value in quotes, as in filter: '#initial'", listener},
		{listener, listener + "    rules:\n      - name: r\n        deny: x\n        name: s\n", "keep one of them, or begin another item with a dash", listener},
		{output, "out: {stdout: {}}\n  b: {stdout: {}}\noutputs: [out]", "is defined twice", "out: {stdout: {}}"},
		{listener + "    outputs: [out]\n", listener + "outputs: [out]\n", "names of outputs belong to a listener: indent it below one", listener + "    outputs: [out]\n"},
		{listener, listener + "    rules: [{name: , deny: x}]\n", "name has no value; add name, which says", listener + "    rules: [{name: a, deny: object.spec.x}]\n"},
		// a field of the top below another one
		{"outputs:\n  out", "  outputs:\n  out", "begin it in column 1", "outputs:\n  out"},
		{"outputs:\n  out: {stdout: {}}", "  outputs:\n    out: {stdout: {}}", "begin it in column 1", "outputs:\n  out: {stdout: {}}"},
		{"outputs:\n  out", "  state:\n    dir: x\noutputs:\n  out", "its fields are informer", "outputs:\n  out"},
		// a list of items with names where each name is a key
		{pods, "- {name: pods, resource: pods}", "write each name as a key, with its fields below it, as in pods: {resource: pods}", pods},
		{pods, "- pods: {resource: pods}", "remove the dashes: each name is a key, as in pods: {resource: pods}", pods},
		{output, "- {name: out, webhook: {url: 'https://a.b/SECRET'}}", "as in out: {…}", "out: {stdout: {}}"},
		{listener, listener + "    handler: h.wasm\n", "write {wasm: h.wasm}", listener + "    handler: {wasm: h.wasm}\n"},
		{listener, listener + "    handler: {wasm: h.wasm, grants: [log, kv]}\n", "write {log: {}, kv: {}}",
			listener + "    handler: {wasm: h.wasm, grants: {log: {}, kv: {}}}\n"},
		{listener, listener + "    handler: {wasm: h.wasm, grants: {log: debug}}\n", "write {level: debug}",
			listener + "    handler: {wasm: h.wasm, grants: {log: {level: debug}}}\n"},
		{output, "out: {file: /tmp/x}", "write {path: /tmp/x}", "out: {file: {path: /tmp/x}}"},
		{output, "out: {webhook: https://a.b/c}", "write {url: https://a.b/c}", "out: {webhook: {url: https://a.b/c}}"},
		{output, "out: {patch: '{}'}", `write {patch: "{}"}`, "out: {patch: {patch: '{}'}}"},
		{pods, "pods: pods", "write {resource: pods}", "pods: {resource: pods}"},
		{"a:\n    informer: pods\n    outputs: [out]\n", "a: pods\n", "write {informer: pods, outputs: [out]}",
			"a: {informer: pods, outputs: [out]}\n"},
		// lists
		{"[out]", "out", "write [out]", "[out]"},
		{"[out]", "{out: {}}", "write [out]", "[out]"},
		{"[out]", "[{name: out}]", "write out", "[out]"},
		{"[out]", "[[out]]", "write out, without the brackets", "[out]"},
		{listener, listener + "    on: ADDED, modified\n", "write [add, update]", listener + "    on: [add, update]\n"},
		{listener, listener + "    on: {add: true}\n", "write [add]", listener + "    on: [add]\n"},
		{listener, listener + "    on: ['*']\n", "remove on for add, update and delete", listener},
		{listener, listener + "    rules: {r: {deny: 'true'}}\n", `write [{name: r, deny: "true"}]`,
			listener + "    rules: [{name: r, deny: \"true\"}]\n"},
		{listener, listener + "    rules: {name: r, deny: x}\n", "write [{name: r, deny: x}]",
			listener + "    rules: [{name: r, deny: x}]\n"},
		{pods, "pods: {resource: [pods]}", "an informer watches one resource", pods},
		// scalars
		{listener, listener + "    workers: '2'\n", "write 2, without quotes", listener + "    workers: 2\n"},
		{listener, listener + "    workers: 2.0\n", "write 2", listener + "    workers: 2\n"},
		{listener, listener + "    workers: many\n", "write a number, as in 1", listener + "    workers: 1\n"},
		{listener, listener + "    checkpoint: 'yes'\n", "write true", listener + "    checkpoint: true\n"},
		{listener, listener + "    checkpoint: Off\n", "write false", listener + "    checkpoint: false\n"},
		{listener, listener + "    checkpoint: ./state\n", "write true, and name the folder at the top: state: {dir: ./state}",
			listener + "    checkpoint: true\n"},
		{listener, listener + "    resync: 30\n", "as in 30s", listener + "    resync: 30s\n"},
		{listener, listener + "    resync: 5 minutes\n", "write 5m", listener + "    resync: 5m\n"},
		{listener, listener + "    resync: 1w\n", "write 7d", listener + "    resync: 7d\n"},
		{listener, listener + "    resync: PT1H30M\n", "write 1h30m", listener + "    resync: 1h30m\n"},
		{listener, listener + "    resync: 00:05:00\n", "write 5m", listener + "    resync: 5m\n"},
		{listener, listener + "    resync: 01:30\n", "write 1h30m", listener + "    resync: 1h30m\n"},
		{listener, listener + "    buffer: {overflow: dropOldest}\n", "write latest",
			listener + "    buffer: {overflow: latest}\n"},
		{listener, listener + "    resync: never\n", "write 0", listener + "    resync: 0\n"},
		{listener, listener + "    handler: {wasm: h.wasm, limits: {memory: 64MB}}\n", "write 64Mi",
			listener + "    handler: {wasm: h.wasm, limits: {memory: 64Mi}}\n"},
		{listener, listener + "    handler: {wasm: h.wasm, limits: {memory: 64}}\n", "write 64Mi",
			listener + "    handler: {wasm: h.wasm, limits: {memory: 64Mi}}\n"},
		{listener, listener + "    buffer: {overflow: true}\n", "write latest, block, drop or spill",
			listener + "    buffer: {overflow: spill}\n"},
		{"a:\n", "My_Listener:\n", "write my-listener: ", "my-listener:\n"},
		{"resource: pods", "resource: apps/v1.Deployment", "write deployment.v1.apps", "resource: deployment.v1.apps"},
		{"resource: pods", "resource: apps/v1/deployments", "write deployments.v1.apps", "resource: deployments.v1.apps"},
		{"resource: pods", "resource: pods/status", "write pods", "resource: pods"},
		{output, "out: {webhook: {url: {fromEnv: $HOOK}}}", "write HOOK", "out: {webhook: {url: {fromEnv: HOOK}}}"},
		{"resource: pods", "resource: pods, namespaces: '*'", "remove it to watch all namespaces", "resource: pods"},
		{"resource: pods", "resource: pods, namespaces: ['a,b']", "write each as an item of the list", "resource: pods, namespaces: [a, b]"},
		{"resource: pods", "resource: pods, labelSelector: 'app: web && tier in [a, b]'", `write "app=web,tier in (a, b)"`,
			`resource: pods, labelSelector: "app=web,tier in (a, b)"`},
		{"resource: pods", "resource: deployments/apps", "write deployments.apps", "resource: deployments.apps"},
		{output, "out: {file: {path: '{{ .Values.p }}'}}", "must not have a template in it", "out: {file: {path: p}}"},
		{end, "cluster: {name: $X}\nstate:", "variables are not replaced", "cluster: {name: x}\nstate:"},
		{output, "out: {webhook: {url: https://a.b, timeout: 5000}}", "as in 5000ms", "out: {webhook: {url: https://a.b, timeout: 5000ms}}"},
		{"resource: pods", "resource: core/v1/pods", "write pods", "resource: pods"},
		{"resource: pods", "resource: deployments.apps/v1", "write deployments.v1.apps", "resource: deployments.v1.apps"},
		{"resource: pods", "resource: 'pods,nodes'", "an informer watches one resource: write an informer and a listener for each", "resource: pods"},
		{output, "out: {webhook: {url: 'hooks:8080'}}", "write http://hooks:8080", "out: {webhook: {url: 'http://hooks:8080'}}"},
		{output, "out: {webhook: {url: 'a.example.com:443'}}", "write https://a.example.com:443", "out: {webhook: {url: 'https://a.example.com:443'}}"},
		{output, "out: {slack: {url: 'fromEnv: HOOK'}}", "write {fromEnv: HOOK}, without quotes", "out: {slack: {url: {fromEnv: HOOK}}}"},
		{output, "out: {slack: {url: $(HOOK)}}", "write {fromEnv: HOOK}", "out: {slack: {url: {fromEnv: HOOK}}}"},
		{output, "out: {slack: {url: {fromEnv: $(HOOK)}}}", "write HOOK", "out: {slack: {url: {fromEnv: HOOK}}}"},
		{output, "out: {webhook: {url: https://a.b, headers: {Authorization: {fromEnv: Bearer $TOKEN}}}}",
			"write TOKEN, and put the whole value into that variable: Bearer, a space",
			"out: {webhook: {url: https://a.b, headers: {Authorization: {fromEnv: TOKEN}}}}"},
		{output, "out: {file: {path: a, rotate: daily}}", "write {age: 24h}", "out: {file: {path: a, rotate: {age: 24h}}}"},
		{output, "out: {file: {path: a, rotate: 12h}}", "write {age: 12h}", "out: {file: {path: a, rotate: {age: 12h}}}"},
		{output, "out: {file: {path: a, rotate: 5Mi}}", "write {size: 5Mi}", "out: {file: {path: a, rotate: {size: 5Mi}}}"},
		{output, "out: {file: {path: /var/log/}}", "must be the path of a file, and not of a folder", "out: {file: {path: /var/log/x}}"},
		{output, "out: {file: {path: .}}", "add the name of the file", "out: {file: {path: ./..a}}"},
		{output, "out: {webhook: {url: https://a.b, mode: json}}", "write structured", "out: {webhook: {url: https://a.b, mode: structured}}"},
		{output, "out: {patch: {type: jsonpatch, patch: '[]'}}", "write json", "out: {patch: {type: json, patch: '[]'}}"},
		{listener, listener + "    on: [add update]\n", "write each as an item, as in [add, update]", listener + "    on: [add, update]\n"},
		{listener, listener + "    filter: 5\n", `write an expression that is true or false, as in filter: 'op == "add"'`,
			listener + "    filter: 'op == \"add\"'\n"},
		{output, "out: {slack: {url: {fromEnv: A}, text: 5}}", `write text: '"5"'`, `out: {slack: {url: {fromEnv: A}, text: '"5"'}}`},
		{listener, listener + "    select: [a, b]\n", `as in 'label("app") == "web" and object.metadata.name != "a"'`,
			listener + "    select: 'label(\"app\") == \"web\" and object.metadata.name != \"a\"'\n"},
		{listener, listener + "    rules:\n      - name: r\n      - deny: x\n      - for: 5m\n",
			"11:9: listeners.a.rules[1] begins with deny: each dash begins another item; write a dash before name alone, and deny and for below it",
			listener + "    rules:\n      - name: r\n        deny: x\n        for: 5m\n"},
		{"    informer: pods\n    outputs", "  informer: pods\n  outputs", "8:3: informer is a field of listeners.a, and begins in its column; indent the lines below a: begin them in column 5",
			"    informer: pods\n    outputs"},
		{listener, "    informer:{resource: pods}\n", "write informer: {resource: pods}", "    informer: {resource: pods}\n"},
		{"resource: pods", "resource: {{ .Values.x }}", "resource must be a string, is a template; templates are not replaced", "resource: pods"},
		// words of other tools
		{listener, listener + "    concurrency: 3\n", "write workers: 3", listener + "    workers: 3\n"},
		{listener, listener + "    interval: 5m\n", "write resync: 5m", listener + "    resync: 5m\n"},
		{listener, listener + "    retry: {maxRetries: 3}\n", "write attempts: 3", listener + "    retry: {attempts: 3}\n"},
		{state, "state: {path: ./s}", "write dir: ./s", "state: {dir: ./s}"},
		{output, "out: {kafka: {bootstrapServers: 'a:1', topic: t}}", `write brokers: ["a:1"]`,
			`out: {kafka: {brokers: ["a:1"], topic: t}}`},
		{output, "out: {webhook: {url: https://a.b, timeoutSeconds: 5}}", "write timeout: 5s",
			"out: {webhook: {url: https://a.b, timeout: 5s}}"},
		// the wrong place
		{end, "kubeconfig: ./k\nstate:", "write cluster: {kubeconfig: ./k}", "cluster: {kubeconfig: ./k}\nstate:"},
		{end, "workers: 3\nstate:", "it belongs to one of listeners", "state:"},
		{output, "out: {webhook: {url: https://a.b}, mode: batch}", "it belongs to webhook: write it in there",
			"out: {webhook: {url: https://a.b, mode: batch}}"},
		{listener, listener + "    rules: [{name: r, deny: x, workers: 2}]\n", "it belongs to listeners.a, next to rules",
			listener + "    rules: [{name: r, deny: x}]\n    workers: 2\n"},
		{"outputs:\n  " + output, "outputs: {slack: {url: {fromEnv: A}}, out: {stdout: {}}}",
			"write slack: {slack: {…}}", "outputs: {slack: {slack: {url: {fromEnv: A}}}, out: {stdout: {}}}"},
		{"outputs:\n  " + output, "outputs: {stdout: {}, out: {stdout: {}}}", "write stdout: {stdout: {…}}",
			"outputs: {stdout: {stdout: {}}, out: {stdout: {}}}"},
		{"outputs: [out]", "outputs: [stdout]", "to add it, write stdout: {stdout: {}} there", "outputs: [out]"},
		{"  pods: {resource: pods}", "  resource: pods", "it is a field of one of informers", "  pods: {resource: pods}"},
	} {
		for _, text := range []string{c.wrong, c.right} {
			changed := strings.Replace(hinted, c.what, text, 1)
			_, err := Parse("x.yaml", []byte(changed))
			switch wrong := text == c.wrong; {
			case !strings.Contains(hinted, c.what):
				t.Errorf("%q is not in the configuration", c.what)
			case wrong && err == nil:
				t.Errorf("%s: no mistake", text)
			case wrong && !strings.Contains(err.Error(), c.hint):
				t.Errorf("%s:\n got %v\nwant %s", text, err, c.hint)
			case !wrong && err != nil:
				t.Errorf("%s, as a hint has it: %v", text, err)
			}
		}
	}
}

// What is sent or used as it is, and looks as if it were to be replaced, is warned of.
func TestWarningsOfVariables(t *testing.T) {
	for text, want := range map[string]string{
		"out: {webhook: {url: https://a.b, headers: {X: $TEAM}}}":                                           "headers.X is sent as it is: variables and templates are not replaced; write {fromEnv: TEAM}",
		"out: {webhook: {url: https://a.b, headers: {X: '{{ .team }}'}}}":                                   "headers.X is sent as it is",
		"out: {webhook: {url: https://a.b, headers: {X: 'a $ b'}}}":                                         "",
		"out: {kafka: {brokers: ['a:1'], topic: t, tls: {}, sasl: {username: $U, password: {fromEnv: P}}}}": "sasl.username is taken as it is; variables are not replaced",
		"out: {stdout: {}}\ncluster: {context: '${C}'}":                                                     "cluster.context is taken as it is",
	} {
		c, err := Parse("x.yaml", []byte(strings.Replace(hinted, "out: {stdout: {}}", text, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := Errors(c.Warnings()).Error(); !strings.Contains(got, want) ||
			(got == "") != (want == "") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// What cannot be meant, and might be right, is warned of.
func TestWarningsOfPlaces(t *testing.T) {
	for _, c := range []struct{ what, with, want string }{
		{"state:", "http: {address: '127.0.0.1:8080'}\nhealth: {address: ':8080'}\nstate:", "4:19: health.address has the port of http.address; choose another port"},
		{"state:", "http: {address: '127.0.0.1:8080'}\nhealth: {address: ':8081'}\nstate:", ""},
		{"state:", "http: {address: '127.0.0.1:0'}\nhealth: {address: ':0'}\nstate:", ""},
		{"state:", "http: {address: '127.0.0.1:80'}\nhealth: {address: '10.0.0.1:80'}\nstate:", ""},
		{"state:", "tracing: {url: 'http://otel:4317'}\nstate:", "OTLP over HTTP, which informerd sends, has port 4318"},
		{"state:", "tracing: {url: 'http://otel:4318'}\nstate:", ""},
		{"resource: pods", "resource: pods, namespaces: [all]", "to watch all namespaces, remove namespaces"},
		{"resource: pods", "resource: pods, namespaces: [all, b]", ""},
	} {
		parsed, err := Parse("x.yaml", []byte(strings.Replace(hinted, c.what, c.with, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := Errors(parsed.Warnings()).Error(); !strings.Contains(got, c.want) ||
			(got == "") != (c.want == "") {
			t.Errorf("%s: %q", c.with, got)
		}
	}
}

// The path of Alertmanager's API is added to its URL.
func TestURLOfAlertmanager(t *testing.T) {
	for path, want := range map[string]string{"": "", "/alerts": "", "/api/v2/alerts": "remove /api/v2/alerts",
		"/x/api/v1/alerts/": "remove /api/v1/alerts", "/api/v2": "remove /api/v2"} {
		_, err := Parse("x.yaml", []byte(strings.NewReplacer("out: {stdout: {}}", "out: {alertmanager: {url: 'http://a:9093"+
			path+"'}}", "outputs: [out]", "rules: [{name: r, deny: x}]\n    outputs: [out]").Replace(hinted)))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// A secret is not shown, in whatever place it is.
func TestHintsShowNoSecret(t *testing.T) {
	const url = "https://hooks.slack.com/services/T0/B0/abcdef"
	for _, text := range []string{"out: {slack: " + url + "}", "out: {webhook: " + url + "}",
		"out: " + url, "out: {slack: {url: [" + url + "]}}", "out: {slack: {webhook: " + url + "}}",
		"out: {file: {path: [" + url + "]}}", "out: {slack: {url: " + url + "?a=b}}",
		"out: {nats: {credentials: abcdef?x}}", "out: {nats: {credentials: :abcdef}}", "out: {webhook: {endpoint: " + url + "}}"} {
		_, err := Parse("x.yaml", []byte(strings.Replace(hinted, "out: {stdout: {}}", text, 1)))
		if err == nil || strings.Contains(err.Error(), "abcdef") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Words of other tools lead to fields that exist, and are not fields themselves.
func TestAdviceIsAboutFields(t *testing.T) {
	types := document.Types(reflect.TypeFor[Config](), reflect.TypeFor[Policy]())
	names := func(of reflect.Type) (all []string) {
		for _, f := range document.FieldsOf(of) {
			all = append(all, f.Name)
		}
		return all
	}
	for name, renamed := range advice.Renamed {
		if types[name] == nil {
			t.Errorf("there is no type %s", name)
			continue
		}
		for other, field := range renamed {
			if fields := names(types[name]); !slices.Contains(fields, field) ||
				slices.Contains(fields, other) {
				t.Errorf("%s: %s for %s", name, field, other)
			}
		}
	}
	for name, of := range types {
		for field := range help[of].Elsewhere {
			if slices.Contains(names(of), field) {
				t.Errorf("%s has the field %s", name, field)
			}
		}
		if example := help[of].Example; strings.HasPrefix(example, "{") && name != "Rule" {
			text, _, _ := strings.Cut(example, ": it takes")
			if err := yaml.Unmarshal([]byte(text), new(any)); err != nil {
				t.Errorf("the example of %s: %v", name, err)
			}
		}
	}
	for name := range advice.Lone {
		if types[name] == nil {
			t.Errorf("there is no type %s", name)
		}
	}
}

var shownField = regexp.MustCompile(`(?:write|as in) ([a-z][A-Za-z]*): ([{\['"].*?[}\]'"])(?:$|[;,]| or)`)

// What the hints about fields show to write begins with a field that exists, and is YAML.
func TestAdviceShowsFields(t *testing.T) {
	types := document.Types(reflect.TypeFor[Config](), reflect.TypeFor[Policy]())
	known := map[string]bool{}
	for _, of := range types {
		for _, f := range document.FieldsOf(of) {
			known[f.Name] = true
		}
	}
	seen := 0
	for name, of := range types {
		for word, hint := range help[of].Elsewhere {
			for _, shown := range shownField.FindAllStringSubmatch(hint, -1) {
				seen++
				if !known[shown[1]] {
					t.Errorf("%s.%s: %s: there is no field %s", name, word, hint, shown[1])
				}
				if strings.Contains(shown[2], "…") || strings.Count(shown[2], "{") !=
					strings.Count(shown[2], "}") {
					continue
				}
				if err := yaml.Unmarshal([]byte(shown[1]+": "+shown[2]), new(any)); err != nil {
					t.Errorf("%s.%s: %s: %v", name, word, hint, err)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d hints show a field", seen)
	}
}

// With replicas, a checkpoint is kept nowhere, which is an error only if there is no folder either.
func TestCheckpointsOfReplicas(t *testing.T) {
	c, err := Parse("x.yaml", []byte(strings.Replace(hinted, "    informer: pods\n",
		"    informer: pods\n    checkpoint: true\n", 1)+"leaderElection: {namespace: n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "x.yaml:9:17: listeners.a.checkpoint is true, and with leaderElection there is no checkpoint on disk; leave it out: the next leader goes on where the last one was"
	if got := Errors(c.Warnings()).Error(); got != want {
		t.Errorf("got %q", got)
	}
}
