package config

import (
	"strings"
	"testing"
)

func TestListenerMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		{"unknown informer", "informer: pods", "informer: pod",
			`9:15: listeners.a.informer: unknown informer "pod"; did you mean "pods"?`},
		{"unknown informer, nothing near", "informer: pods", "informer: nodes",
			`9:15: listeners.a.informer: unknown informer "nodes"; the informers are pods`},
		{"unknown output", "[out]", "[out, hook]",
			`10:20: listeners.a.outputs[1]: unknown output "hook"; the outputs are out`},
		{"output twice", "[out]", "[out, out]",
			`10:20: listeners.a.outputs[1] repeats the output "out"`},
		{"no output in the list", "[out]", "[]",
			"10:14: listeners.a.outputs must have at least one output"},
		{"name", "  a:\n", "  A_b:\n",
			`8:3: listeners.A_b: the name "A_b" is not a DNS label of a-z, 0-9 and "-"`},
		{"unknown op", listenerLine, listenerWith("on: [add, modify, delet]"),
			`10:15: listeners.a.on[1] must be add, update, delete or resync, is "modify"` + "\n" +
				`10:23: listeners.a.on[2] must be add, update, delete or resync, is "delet"; did you mean "delete"?`},
		{"op twice", listenerLine, listenerWith("on: [add, add]"),
			"10:15: listeners.a.on[1] repeats add"},
		{"no op", listenerLine, listenerWith("on: []"),
			"10:9: listeners.a.on must have at least one event"},
		{"resync without period", listenerLine, listenerWith("on: [add, resync]"),
			"10:15: listeners.a.on[1] is resync, but listeners.a has no resync period"},
		{"resync with period 0", listenerLine, listenerWith("on: [resync]", "resync: 0"),
			"10:10: listeners.a.on[0] is resync, but listeners.a has no resync period"},
		{"period without resync", listenerLine, listenerWith("on: [add]", "resync: 5m"),
			"11:13: listeners.a.resync is set, but listeners.a.on has no resync"},
		{"wrong period says it once", listenerLine, listenerWith("on: [resync]", "resync: -1s"),
			"11:13: listeners.a.resync must not be negative, is -1s"},
		{"misspelt period says it once", listenerLine, listenerWith("on: [resync]", "resnc: 5m"),
			`11:5: unknown field "resnc" in listeners.a; did you mean "resync"?`},
		{"a field of the informer", listenerLine, listenerWith("namespaces: [shop]"),
			`10:5: unknown field "namespaces" in listeners.a; namespaces belong to informer`},
		{"a field of a rule", listenerLine, listenerWith("deny: 'true'"),
			`10:5: unknown field "deny" in listeners.a; deny belongs to a rule`},
		{"an output in a listener", listenerLine, listenerWith("webhook: {url: x}"),
			`10:5: unknown field "webhook" in listeners.a; outputs has names, and the outputs are at the top`},
		{"a module in a listener", listenerLine, listenerWith("wasm: h.wasm"),
			`10:5: unknown field "wasm" in listeners.a; its fields are informer, on, resync, buffer, select, filter, onError, rules, handler, workers, retry, checkpoint, outputs`},
		{"unknown overflow", listenerLine, listenerWith("buffer: {overflow: last}"),
			`10:24: listeners.a.buffer.overflow must be latest, block, drop or spill, is "last"`},
		{"misspelt overflow", listenerLine, listenerWith("buffer: {overflow: bolck}"),
			`10:24: listeners.a.buffer.overflow must be latest, block, drop or spill, is "bolck"; did you mean "block"?`},
		{"drop and a select", listenerLine,
			listenerWith("buffer: {overflow: drop}", "select: object.x"),
			"10:24: listeners.a.buffer.overflow is drop, which may lose the deletion of an object that the select remembers"},
		{"drop and rules", listenerLine,
			listenerWith("buffer: {overflow: drop}", "rules: [{name: r, deny: object.x}]"),
			"10:24: listeners.a.buffer.overflow is drop, which may lose the deletion of an object that rules remember"},
		{"spill without the policy", listenerLine, listenerWith("buffer: {spill: {bytes: 1Gi}}"),
			"10:14: listeners.a.buffer.spill is set, but the overflow is latest"},
		{"spill too small", listenerLine,
			listenerWith("buffer: {overflow: spill, spill: {bytes: 1Ki}}"),
			"10:46: listeners.a.buffer.spill.bytes must be 1Mi to 1Ti, is 1Ki"},
		{"empty filter", listenerLine, listenerWith(`filter: " "`),
			"10:13: listeners.a.filter is empty"},
		{"empty select", listenerLine, listenerWith(`select: ""`),
			"10:13: listeners.a.select is empty"},
		{"handler without wasm", listenerLine, listenerWith("handler: {}"),
			"10:5: listeners.a.handler has no wasm"},
		{"empty wasm", listenerLine, listenerWith(`handler: {wasm: ""}`),
			`10:21: listeners.a.handler.wasm must be the path of the module, is ""`},
		{"remote wasm", listenerLine,
			listenerWith("handler: {wasm: 'oci://ghcr.io/x/y@sha256:00'}"),
			"10:21: listeners.a.handler.wasm must be the path of a file, and not a URL"},
		{"sha256", listenerLine, listenerWith("handler: {wasm: x, sha256: 3f78}"),
			`10:32: listeners.a.handler.sha256 must be 64 lower-case hexadecimal digits, is "3f78"`},
		{"log grant", listenerLine,
			listenerWith("handler: {wasm: x, grants: {log: {level: warning, rate: 0}}}"),
			`10:46: listeners.a.handler.grants.log.level must be debug, info, warn or error, is "warning"` + "\n" +
				"10:61: listeners.a.handler.grants.log.rate must be 1 to 10000, is 0"},
		{"handler config", listenerLine,
			listenerWith("handler: {wasm: x, config: {a: [.inf], b: {c: 1, c: 2}, 1: 2}}"),
			`10:37: listeners.a.handler.config.a[0] is a number that JSON does not have: ".inf"` + "\n" +
				"10:54: listeners.a.handler.config.b.c is defined twice, first on line 10\n" +
				`10:61: the key "1" in listeners.a.handler.config is not a string, and needs quotes`},
	})
}

func TestInformerMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		{"no resource", informerLine, "    namespaces: [x]\n",
			"5:3: informers.pods has no resource"},
		{"resource", informerLine, "    resource: apps/v1/deployments\n",
			`6:15: informers.pods.resource must be a resource name, as in pods or deployments.apps, is "apps/v1/deployments"`},
		{"empty resource", informerLine, "    resource: ''\n",
			`6:15: informers.pods.resource must be a resource name, as in pods or deployments.apps, is ""`},
		{"secrets", informerLine, "    resource: secrets\n",
			"6:15: informers.pods.resource: secrets are not watched without allowSecrets: true"},
		{"secrets by kind and version", informerLine, "    resource: Secret.v1\n",
			"6:15: informers.pods.resource: secrets are not watched without allowSecrets: true"},
		{"secrets inline", "informer: pods", "informer: {resource: secrets, allowSecrets: false}",
			"9:26: listeners.a.informer.resource: secrets are not watched without allowSecrets: true"},
		{"namespaces", informerLine, informerWith("namespaces: [a, a, B, '*']"),
			`7:21: informers.pods.namespaces[1] repeats the namespace "a"` + "\n" +
				`7:24: informers.pods.namespaces[2] must be the name of a namespace, is "B"` + "\n" +
				`7:27: informers.pods.namespaces[3] must be the name of a namespace, is "*"`},
		{"no namespaces", informerLine, informerWith("namespaces: []"),
			"7:17: informers.pods.namespaces must have at least one namespace"},
		{"label selector", informerLine, informerWith("labelSelector: a in (b"),
			"7:20: informers.pods.labelSelector is not a label selector: found '', expected: ',' or ')'"},
		{"field selector", informerLine, informerWith("fieldSelector: spec"),
			"7:20: informers.pods.fieldSelector is not a field selector: invalid selector: 'spec'; can't understand 'spec'"},
		{"drop", informerLine, informerWith("drop: ['a..b', metadata.name, spec]"),
			`7:12: informers.pods.drop[0]: field path "a..b", offset 1: expected a field name; quote other names as ["…"]` + "\n" +
				`7:20: informers.pods.drop[1]: "metadata.name" cannot be dropped: every object needs it`},
		{"much to drop", informerLine, informerWith("drop: [" + strings.Repeat("a,", 101) + "]"),
			"7:11: informers.pods.drop must have at most 100 paths, has 101"},
		{"index", informerLine, informerWith("indexes: {a: 'x[', '9': a, namespace: b}"),
			`7:18: informers.pods.indexes.a: field path "x[", offset 1: [ has no ]` + "\n" +
				`7:24: informers.pods.indexes.9: the name "9" is not at most 63 letters, digits, "-" and "_", with a letter first` + "\n" +
				"7:32: informers.pods.indexes.namespace: every informer has an index on the namespace already"},
		{"index on what is dropped", informerLine,
			informerWith("drop: [status]\n    indexes: {a: 'status.phase', b: statuses, c: status}"),
			`8:18: informers.pods.indexes.a reads "status.phase", which the informer drops` + "\n" +
				`8:50: informers.pods.indexes.c reads "status", which the informer drops`},
		{"indexes of a shared cache", informerLine,
			informerWith("indexes: {n: spec.a}\n  same: {resource: pods, indexes: {n: spec.b}}\n  other: {resource: pods, namespaces: [x], indexes: {n: spec.b}}"),
			`8:39: informers.same.indexes.n is "spec.b", but informers.pods watches the same objects and has an index of this name on "spec.a"`},
	})
}

func TestRuleMistakes(t *testing.T) {
	rule := func(s string) string { return listenerWith("rules: [{name: r, deny: x, " + s + "}]") }
	testMistakes(t, []mistake{
		{"no rule", listenerLine, listenerWith("rules: []"),
			"10:12: listeners.a.rules must have at least one rule"},
		{"one rule", listenerLine, listenerWith("rules: {name: r, deny: x}"),
			"10:12: listeners.a.rules must be a list, is a mapping"},
		{"nothing", listenerLine, listenerWith("rules: [~]"),
			"10:13: listeners.a.rules[0] has no value"},
		{"empty", listenerLine, listenerWith("rules: [{}]"),
			"10:13: listeners.a.rules[0] has no name\n" +
				"10:13: listeners.a.rules[0] has no deny"},
		{"no deny", listenerLine, listenerWith("rules:", "- name: r", "  severity: low"),
			"11:7: listeners.a.rules[0] has no deny"},
		{"misspelt deny says it once", listenerLine, listenerWith("rules: [{name: r, denny: x}]"),
			`10:23: unknown field "denny" in listeners.a.rules[0]; did you mean "deny"?`},
		{"an expression by another name", listenerLine, listenerWith("rules: [{name: r, when: x}]"),
			`10:23: unknown field "when" in listeners.a.rules[0]; its fields are name, deny, message, severity, for, repeat, onError`},
		{"blank expressions", listenerLine,
			listenerWith("rules: [{name: r, deny: ' ', message: ''}]"),
			"10:29: listeners.a.rules[0].deny is empty\n" +
				"10:43: listeners.a.rules[0].message is empty"},
		{"deny that is not text", listenerLine, listenerWith("rules: [{name: r, deny: true}]"),
			"10:29: listeners.a.rules[0].deny must be a string, is true"},
		{"name", listenerLine, listenerWith("rules: [{name: No Latest, deny: x}]"),
			`10:20: listeners.a.rules[0].name must be ` + labelNoun + `, is "No Latest"`},
		{"name twice", listenerLine,
			listenerWith("rules: [{name: r, deny: x}, {name: s, deny: x}, {name: r, deny: y}]"),
			`10:60: listeners.a.rules[2].name repeats the name "r"`},
		{"severity", listenerLine, rule("severity: warning"),
			`10:42: listeners.a.rules[0].severity must be info, low, medium, high or critical, is "warning"`},
		{"misspelt severity", listenerLine, rule("severity: hihg"),
			`10:42: listeners.a.rules[0].severity must be info, low, medium, high or critical, is "hihg"; did you mean "high"?`},
		{"for, negative", listenerLine, rule("for: -1s"),
			"10:37: listeners.a.rules[0].for must not be negative, is -1s"},
		{"for, weeks", listenerLine, rule("for: 1w"),
			`10:37: listeners.a.rules[0].for must be a duration, as in 90s, 1h30m or 7d, is "1w"`},
		{"for, too long", listenerLine, rule("for: 720h1ms"),
			"10:37: listeners.a.rules[0].for must be 0s to 30d, is 720h0m0.001s"},
		{"repeat, too short", listenerLine, rule("repeat: 999ms"),
			"10:40: listeners.a.rules[0].repeat must be 0 (never) or 1s to 30d, is 999ms"},
		{"repeat, too long", listenerLine, rule("repeat: 721h"),
			"10:40: listeners.a.rules[0].repeat must be 0 (never) or 1s to 30d, is 721h"},
	})
	for _, good := range []string{"for: 0", "for: 1ns", "for: 720h", "repeat: 0", "repeat: 1s",
		"repeat: 720h"} {
		if _, err := Parse("x.yaml",
			[]byte(strings.Replace(base, listenerLine, rule(good), 1))); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestHTTPMistakes(t *testing.T) {
	http := func(address string) string {
		return "cluster: {name: c}\nhttp: {address: " + address + "}"
	}
	testMistakes(t, []mistake{
		{"no address", "cluster: {name: c}", "http: {}",
			"3:1: http has no address"},
		{"misspelt address says it once", "cluster: {name: c}", "http: {adress: a}",
			`3:8: unknown field "adress" in http; did you mean "address"?`},
		{"port alone", "cluster: {name: c}", http("8080"),
			"4:17: http.address must be a string, is the number 8080"},
		{"host alone", "cluster: {name: c}", http("localhost"),
			`4:17: http.address must be a host and a port, as in 127.0.0.1:8080, is "localhost"`},
		{"port by name", "cluster: {name: c}", http("localhost:http"),
			`4:17: http.address must have a port of 0 to 65535, is "localhost:http"`},
		{"port with a sign", "cluster: {name: c}", http("localhost:+80"),
			`4:17: http.address must have a port of 0 to 65535, is "localhost:+80"`},
		{"port too large", "cluster: {name: c}", http("localhost:65536"),
			`4:17: http.address must have a port of 0 to 65535, is "localhost:65536"`},
		{"any address", "cluster: {name: c}", http("':8080'"),
			`4:17: http.address must be a loopback address unless http.auth is kubernetes, is ":8080"`},
		{"all addresses", "cluster: {name: c}", http("0.0.0.0:8080"),
			`4:17: http.address must be a loopback address unless http.auth is kubernetes, is "0.0.0.0:8080"`},
		{"all IPv6 addresses", "cluster: {name: c}", http("'[::]:0'"),
			`4:17: http.address must be a loopback address unless http.auth is kubernetes, is "[::]:0"`},
		{"a name", "cluster: {name: c}", http("localhost.example.com:80"),
			`4:17: http.address must be a loopback address unless http.auth is kubernetes, is "localhost.example.com:80"`},
	})
	testMistakes(t, []mistake{
		{"hosts and audiences without auth", "cluster: {name: c}",
			"http: {address: 'localhost:80', hosts: [a], audiences: [b]}",
			"3:33: http.hosts has no effect without http.auth\n" +
				"3:45: http.audiences has no effect without http.auth"},
		{"an unknown auth", "cluster: {name: c}", "http: {address: ':80', auth: basic}",
			`3:30: http.auth must be kubernetes, is "basic"`},
		{"a certificate without its key", "cluster: {name: c}",
			"http: {address: 'localhost:80', tls: {certFile: a}}", "3:33: http.tls has no keyFile"},
	})
	for _, good := range []string{"127.0.0.1:0", "127.8.9.1:65535", "localhost:8080",
		"'[::1]:8080'", "':8080', auth: kubernetes", "'example.org:80', auth: kubernetes"} {
		if _, err := Parse("x.yaml",
			[]byte(strings.Replace(base, "cluster: {name: c}", http(good), 1))); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestHealthAndShutdownMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		{"no address", "cluster: {name: c}", "health: {}",
			"3:1: health has no address"},
		{"port alone", "cluster: {name: c}", "health: {address: '8081'}",
			`3:19: health.address must be a host and a port, as in 127.0.0.1:8080, is "8081"`},
		{"port by name", "cluster: {name: c}", "health: {address: ':http'}",
			`3:19: health.address must have a port of 0 to 65535, is ":http"`},
		{"drain too long", "cluster: {name: c}", "shutdown: {drain: 2h}",
			"3:19: shutdown.drain must be 0s to 1h, is 2h"},
		{"close too short", "cluster: {name: c}", "shutdown: {close: 10ms}",
			"3:19: shutdown.close must be 100ms to 10m, is 10ms"},
	})
	for text, want := range map[string]Config{
		"cluster: {name: c}": {Shutdown: Shutdown{Drain: seconds(25), Close: seconds(1)}},
		"health: {address: ':0'}": {
			Health: Health{Address: ":0"}, Shutdown: Shutdown{Drain: seconds(25),
				Close: seconds(1)}},
		"shutdown: {drain: 0s}":      {Shutdown: Shutdown{Close: seconds(1)}},
		"shutdown: {close: 2s500ms}": {Shutdown: Shutdown{Drain: seconds(25), Close: seconds(2.5)}},
	} {
		c, err := Parse("x.yaml", []byte(strings.Replace(base, "cluster: {name: c}", text, 1)))
		if err != nil || c.Health != want.Health || c.Shutdown != want.Shutdown {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
}

func TestElectionMistakes(t *testing.T) {
	const place = "cluster: {name: c}"
	head := base[strings.Index(base, place) : strings.Index(base, listenerLine)+len(listenerLine)]
	with := func(fields string) string { return "leaderElection: {" + fields + "}" }
	testMistakes(t, []mistake{
		{"namespace", place, with("namespace: My shop"),
			`3:29: leaderElection.namespace must be the name of a namespace, is "My shop"`},
		{"name", place, with("name: a.b"),
			`3:24: leaderElection.name must be a DNS label of a-z, 0-9 and "-", is "a.b"`},
		{"near", place, with("leaseDuratoin: 15s"),
			`3:18: unknown field "leaseDuratoin" in leaderElection; did you mean "leaseDuration"?`},
		{"lease too short", place, with("leaseDuration: 500ms, renewDeadline: 200ms, retryPeriod: 100ms"),
			"3:33: leaderElection.leaseDuration must be 1s to 1h, is 500ms"},
		{"parts of seconds", place, with("leaseDuration: 15500ms"),
			"3:33: leaderElection.leaseDuration must be whole seconds, is 15.5s"},
		{"deadline too short", place, with("renewDeadline: 1ms"),
			"3:33: leaderElection.renewDeadline must be 100ms to 1h, is 1ms"},
		{"period too short", place, with("retryPeriod: 0s"),
			"3:31: leaderElection.retryPeriod must be 50ms to 1h, is 0s"},
		{"deadline as long as the lease", place, with("renewDeadline: 15s"),
			"3:33: renewDeadline must be shorter than leaseDuration: they are 15s and 15s"},
		{"lease as short as the deadline", place, with("leaseDuration: 10s"),
			"3:33: renewDeadline must be shorter than leaseDuration: they are 10s and 10s"},
		{"deadline as short as the period", place, with("renewDeadline: 2s"),
			"3:33: retryPeriod must be shorter than renewDeadline: they are 2s and 2s"},
		{"lease too short, and a deadline misspelt", place,
			with("leaseDuration: 5s, renewDeadlnie: 4s, retryPeriod: 1s"),
			`3:37: unknown field "renewDeadlnie" in leaderElection; did you mean "renewDeadline"?`},
		{"period as long as the deadline", place, with("renewDeadline: 14s, retryPeriod: 14s"),
			"3:51: retryPeriod must be shorter than renewDeadline: they are 14s and 14s"},
		{"drop and replicas", head, with("") + "\n" + head + "    buffer: {overflow: drop}\n",
			"11:24: listeners.a.buffer.overflow is drop, which may lose the deletion of an object that another replica has to learn of"},
		{"checkpoint and replicas", head, with("") + "\n" + head + "    checkpoint: true\n",
			"11:17: listeners.a.checkpoint has no effect with leaderElection, where the next leader goes on"},
	})
	c, err := Parse("x.yaml", []byte(strings.Replace(base, place, with(""), 1)))
	if err != nil {
		t.Fatal(err)
	}
	if want := (LeaderElection{Name: "informerd", LeaseDuration: seconds(15),
		RenewDeadline: seconds(10), RetryPeriod: seconds(2)}); *c.LeaderElection != want {
		t.Errorf("%+v, want %+v", c.LeaderElection, want)
	}
	if !c.Listeners["a"].GoesOn() || mustParse(t, base).Listeners["a"].GoesOn() {
		t.Error("a listener goes on if and only if there are several replicas")
	}
}

func TestShardingMistakes(t *testing.T) {
	const place = "cluster: {name: c}"
	with := func(fields string) string { return "leaderElection: {}\nsharding: {" + fields + "}" }
	const out = "outputs:\n  out:\n    stdout: {}\n"
	testMistakes(t, []mistake{
		{"too few", place, with("shards: 1"), "4:20: sharding.shards must be 2 to 256, is 1"},
		{"too many", place, with("shards: 257"), "4:20: sharding.shards must be 2 to 256, is 257"},
		{"no number", place, with("shards: many"), `4:20: sharding.shards must be a whole number, is the string "many"`},
		{"by something else", place, with("by: label"),
			`4:16: sharding.by must be namespace or object, is "label"`},
		{"nobody to share with", place, "sharding: {}",
			"3:1: sharding needs leaderElection, by which replicas agree on who works on what"},
		{"election misspelt", place, "leaderElecton: {}\nsharding: {}",
			`3:1: unknown field "leaderElecton"; did you mean "leaderElection"?`},
	})
	for _, output := range []string{"kafka: {brokers: [\"a:1\"], topic: b}", "alertmanager: {url: http://a}"} {
		named := strings.Replace(strings.Replace(base, place, with("by: object"), 1), out,
			"outputs:\n  out:\n    "+output+"\n", 1)
		named = strings.Replace(named, listenerLine, listenerLine+"    rules: [{name: r, deny: 'true'}]\n", 1)
		_, err := Parse("x.yaml", []byte(named))
		if err == nil || !strings.Contains(err.Error(), "outputs[0]: outputs.out knows objects by their names") {
			t.Errorf("%s: %v", output, err)
		}
		if _, err = Parse("x.yaml", []byte(strings.Replace(named, "by: object", "", 1))); err != nil {
			t.Errorf("%s, by namespace: %v", output, err)
		}
	}
}

func TestConfigMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		{"no header", "apiVersion: informerd.dev/v1alpha1\nkind: Config\n", "",
			"1:1: apiVersion is missing\n" +
				"1:1: kind is missing"},
		{"another kind of file", "apiVersion: informerd.dev/v1alpha1\nkind: Config\n",
			"apiVersion: apps/v1\nkind: Deployment\nspec: {}\n",
			`1:13: apiVersion must be informerd.dev/v1alpha1, is "apps/v1"` + "\n" +
				`2:7: kind must be Config, is "Deployment"` + "\n" +
				`3:1: unknown field "spec"; a configuration is a file, whose fields are at the top`},
		{"another version", "v1alpha1", "v2",
			`1:13: apiVersion must be informerd.dev/v1alpha1, is "informerd.dev/v2"`},
		{"a header of one's own", "apiVersion: informerd.dev/v1alpha1\nkind: Config\n",
			"apiVersion: informerd.io/v1\nkind: config\nshutdon: {}\n",
			`1:13: apiVersion must be informerd.dev/v1alpha1, is "informerd.io/v1"` + "\n" +
				`2:7: kind must be Config, is "config"` + "\n" +
				`3:1: unknown field "shutdon"; did you mean "shutdown"?`},
		{"no outputs", "outputs:\n  out:\n    stdout: {}\n", "",
			"1:1: outputs is missing\n" +
				`10:15: listeners.a.outputs[0]: unknown output "out"; there are no outputs`},
		{"no listeners", base[strings.Index(base, "listeners"):strings.Index(base,
			"outputs:\n  out")], "",
			"1:1: the configuration must have listeners or policies"},
		{"empty listeners", base[strings.Index(base, "listeners"):strings.Index(base,
			"outputs:\n  out")], "listeners: {}\n",
			"7:1: listeners must have at least one listener or policy"},
		{"a policy", "kind: Config", "kind: Policy",
			`2:7: kind must be Config, is "Policy"`},
		{"empty outputs", "outputs:\n  out:\n    stdout: {}\n", "outputs: {}\n",
			"11:10: outputs must have at least one output"},
		{"output without kind", outputLine, "    {}\n",
			"12:3: outputs.out must have stdout, file, webhook, nats, kafka, kubernetesEvent, patch, slack or alertmanager"},
		{"kind without value", outputLine, "    stdout:\n",
			"13:12: outputs.out.stdout has no value"},
		{"cluster name", "{name: c}", "{name: My cluster, kubeconfig: ''}",
			`3:17: cluster.name must be a DNS label of a-z, 0-9 and "-", is "My cluster"` + "\n" +
				"3:41: cluster.kubeconfig is empty"},
		{"compression", "{name: c}", "{name: c, compression: gzip}",
			`3:33: cluster.compression must be auto, on or off, is "gzip"`},
		{"misspelt compression", "{name: c}", "{name: c, compression: atuo}",
			`3:33: cluster.compression must be auto, on or off, is "atuo"; did you mean "auto"?`},
		{"compression in capitals", "{name: c}", "{name: c, compression: Off}",
			`3:33: cluster.compression must be auto, on or off, is "Off"; did you mean "off"?`},
		{"empty compression", "{name: c}", "{name: c, compression: ''}",
			`3:33: cluster.compression must be auto, on or off, is ""`},
		{"compression without a word", "{name: c}", "{name: c, compression: true}",
			"3:33: cluster.compression must be a string, is true"},
		{"sorted by line", "    outputs: [out]\n",
			"    workers: 0\n    outputs: [out, x]\n    on: []\n",
			"10:14: listeners.a.workers must be 1 to 64, is 0\n" +
				`11:20: listeners.a.outputs[1]: unknown output "x"; the outputs are out` + "\n" +
				"12:9: listeners.a.on must have at least one event"},
	})
}
