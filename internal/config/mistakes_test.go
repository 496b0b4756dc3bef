package config

import (
	"strings"
	"testing"
)

// Each test changes the configuration below in one place and names the mistakes it must have,
// without "x.yaml:".
const base = `apiVersion: informerd.dev/v1alpha1
kind: Config
cluster: {name: c}
informers:
  pods:
    resource: pods
listeners:
  a:
    informer: pods
    outputs: [out]
outputs:
  out:
    stdout: {}
`

type mistake struct {
	name     string
	old, new string
	want     string
}

func testMistakes(t *testing.T, mistakes []mistake) {
	t.Helper()
	if _, err := Parse("x.yaml", []byte(base)); err != nil {
		t.Fatalf("the base has mistakes: %v", err)
	}
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			text := strings.Replace(base, m.old, m.new, 1)
			if text == base {
				t.Fatalf("%q is not in the base", m.old)
			}
			_, err := Parse("x.yaml", []byte(text))
			if err == nil {
				t.Fatalf("no error, want %s", m.want)
			}
			if got := strings.ReplaceAll(err.Error(), "x.yaml:", ""); got != m.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, m.want)
			}
			checkSchemaRejects(t, configuration, text)
		})
	}
}

const informerLine, listenerLine, outputLine = "    resource: pods\n", "    informer: pods\n",
	"    stdout: {}\n"

func listenerWith(lines ...string) string {
	return listenerLine + "    " + strings.Join(lines, "\n    ") + "\n"
}

func informerWith(line string) string { return informerLine + "    " + line + "\n" }

func TestSchemaMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		{"unknown, near", listenerLine, listenerWith("resnc: 5m"),
			`10:5: unknown field "resnc" in listeners.a; did you mean "resync"?`},
		{"unknown, nothing near", "cluster: {name: c}", "cluster: {zzzzzz: 1}",
			`3:11: unknown field "zzzzzz" in cluster; its fields are name, kubeconfig, context, compression`},
		{"unknown at the top", "cluster: {name: c}", "clutser: {name: c}",
			`3:1: unknown field "clutser"; did you mean "cluster"?`},
		{"unknown where there is none", outputLine, "    stdout: {color: true}\n",
			`13:14: unknown field "color" in outputs.out.stdout; it has no fields`},
		{"true where there are no settings", outputLine, "    stdout: true\n",
			"13:13: outputs.out.stdout must be a mapping, is true"},
		{"a format where there are no settings", outputLine, "    stdout: json\n",
			`13:13: outputs.out.stdout must be a mapping, is the string "json"`},
		{"a list where there are no settings", outputLine, "    stdout: []\n",
			"13:13: outputs.out.stdout must be a mapping, is a list"},
		{"case matters", listenerLine, listenerWith("Workers: 2"),
			`10:5: unknown field "Workers" in listeners.a; did you mean "workers"?`},
		{"unknown with a strange name", listenerLine, listenerWith(`"a\n\"b": 2`),
			`10:5: unknown field "a\n\"b" in listeners.a; its fields are informer, on, resync, buffer, select, filter, onError, rules, handler, workers, retry, checkpoint, outputs`},
		{"typo hides what seems to be missing", "    outputs: [out]\n", "    output: [out]\n",
			`10:5: unknown field "output" in listeners.a; did you mean "outputs"?`},
		{"not supported output", outputLine, "    elasticsearch: {url: x}\n",
			`13:5: unknown field "elasticsearch" in outputs.out; webhook posts the output's data over HTTP`},
		{"misspelt output", outputLine, "    kubernetesEvents: {}\n",
			`13:5: unknown field "kubernetesEvents" in outputs.out; did you mean "kubernetesEvent"?`},
		{"no such grant", listenerLine, listenerWith("handler: {wasm: x, grants: {bogus: {}}}"),
			`10:33: unknown field "bogus" in listeners.a.handler.grants; its fields are log, kv, clock, random, http, cache, emit`},
		{"repeated field", listenerLine, listenerWith("workers: 1", "workers: 2"),
			"11:5: listeners.a.workers is defined twice, first on line 10"},
		{"repeated listener", "  a:\n", "  a: {}\n  a:\n",
			"8:3: listeners.a has no informer\n" +
				"8:3: listeners.a has no outputs\n" +
				"9:3: listeners.a is defined twice, first on line 8"},
		{"merge key", listenerLine, listenerWith("<<: {workers: 2}"),
			"10:5: merge keys (<<) are not supported, there is one in listeners.a"},
		{"key that is not a string", listenerLine, listenerWith("5: 2"),
			`10:5: the key "5" in listeners.a is not a string, and needs quotes`},
		{"key that was on", listenerLine, listenerWith("true: [add]"),
			`10:5: the key "true" in listeners.a is not a string; a program that reads YAML 1.1 makes it of on, off, yes and no without quotes`},
		{"key that was on, as JSON has it", listenerLine, listenerWith(`"true": [add]`),
			`10:5: unknown field "true" in listeners.a; a program that reads YAML 1.1 makes it of on, without quotes`},
		{"key that is a list", listenerLine, listenerWith("[a]: 2"),
			"10:5: a key in listeners.a is not a name"},
		{"tag", listenerLine, listenerWith("workers: !!int 2"),
			`10:14: listeners.a.workers begins with the tag "!!int", and a value that begins with ! needs quotes`},
		{"no value", listenerLine, listenerWith("workers:", "handler:"),
			"10:13: listeners.a.workers has no value\n" +
				"11:13: listeners.a.handler has no value"},
		{"text for a number", listenerLine, listenerWith("workers: four"),
			`10:14: listeners.a.workers must be a whole number, is the string "four"`},
		{"fraction for a number", listenerLine, listenerWith("workers: 1.5"),
			"10:14: listeners.a.workers must be a whole number, is the number 1.5"},
		{"huge number", listenerLine, listenerWith("workers: 99999999999"),
			`10:14: listeners.a.workers must be a whole number in decimal digits below 2^31, is "99999999999"`},
		{"octal number", listenerLine, listenerWith("workers: 0x10"),
			`10:14: listeners.a.workers must be a whole number in decimal digits below 2^31, is "0x10"`},
		{"number for a text", "{name: c}", "{name: 12}",
			"3:17: cluster.name must be a string, is the number 12"},
		{"date for a text", "{name: c}", "{name: 2001-01-01}",
			"3:17: cluster.name must be a string, is the date 2001-01-01"},
		{"yes for true", informerLine, informerWith("keepManagedFields: yes"),
			`7:24: informers.pods.keepManagedFields must be true or false, is the string "yes"`},
		{"text for a list", "[out]", "out",
			`10:14: listeners.a.outputs must be a list, is the string "out"`},
		{"list for a mapping", "{name: c}", "[c]", "3:10: cluster must be a mapping, is a list"},
		{"mapping for a text", "{name: c}", "{name: {a: b}}",
			"3:17: cluster.name must be a string, is a mapping"},
		{"list for an informer", "informer: pods", "informer: [pods]",
			"9:15: listeners.a.informer must be the name of an informer or an informer, is a list"},
		{"long value", "{name: c}", "{name: [], context: [], kubeconfig: " +
			strings.Repeat("x", 100) + ", x: 1}",
			"3:17: cluster.name must be a string, is a list\n3:30: cluster.context must be a string, is a list\n" +
				`3:148: unknown field "x" in cluster; its fields are name, kubeconfig, context, compression`},
	})
}

func TestUnitMistakes(t *testing.T) {
	limits := func(s string) string {
		return listenerWith("handler: {wasm: x, limits: {" + s + "}}")
	}
	testMistakes(t, []mistake{
		{"no unit", listenerLine, listenerWith("resync: 300"),
			"10:13: listeners.a.resync must be a duration, as in 90s, 1h30m or 7d, is the number 300"},
		{"weeks", listenerLine, listenerWith("resync: 1w"),
			`10:13: listeners.a.resync must be a duration, as in 90s, 1h30m or 7d, is "1w"`},
		{"space", listenerLine, listenerWith("resync: 5 m"),
			`10:13: listeners.a.resync must be a duration, as in 90s, 1h30m or 7d, is "5 m"`},
		{"negative", listenerLine, listenerWith("resync: -5m"),
			"10:13: listeners.a.resync must not be negative, is -5m"},
		{"list", listenerLine, listenerWith("resync: [5m]"),
			"10:13: listeners.a.resync must be a duration, as in 90s, 1h30m or 7d, is a list"},
		{"too long for a duration", listenerLine, listenerWith("resync: 9999999999h"),
			`10:13: listeners.a.resync must be a duration, as in 90s, 1h30m or 7d, is "9999999999h"`},
		{"too short", listenerLine, listenerWith("resync: 500ms"),
			"10:13: listeners.a.resync must be 0 (never) or at least 1s, is 500ms"},
		{"memory in thousandths", listenerLine, limits("memory: 100m"),
			"10:41: listeners.a.handler.limits.memory must be whole bytes below 2^63, is 100m"},
		{"memory negative", listenerLine, limits("memory: -1Mi"),
			"10:41: listeners.a.handler.limits.memory must not be negative, is -1Mi"},
		{"memory unknown unit", listenerLine, limits("memory: 16MB"),
			`10:41: listeners.a.handler.limits.memory must be a quantity of bytes, as in 16Mi, is "16MB"`},
		{"memory exponent", listenerLine, limits(`memory: "1e999999999"`),
			`10:41: listeners.a.handler.limits.memory must be a quantity of bytes, as in 16Mi, is "1e999999999"`},
		{"memory fraction", listenerLine, limits("memory: 1.5"),
			"10:41: listeners.a.handler.limits.memory must be a quantity of bytes, as in 16Mi, is the number 1.5"},
		{"fuel negative", listenerLine, limits("fuel: -1"),
			"10:39: listeners.a.handler.limits.fuel must be 0 to 2000000000, is -1"},
		{"batch and pauses out of range", listenerLine,
			listenerWith("handler: {wasm: x, batch: 0, pauseAfter: 1001}"),
			"10:31: listeners.a.handler.batch must be 1 to 1000, is 0\n10:46: listeners.a.handler.pauseAfter must be 0 to 1000, is 1001"},
		{"batch too large", listenerLine, listenerWith("handler: {wasm: x, batch: 1001}"),
			"10:31: listeners.a.handler.batch must be 1 to 1000, is 1001"},
		{"recycle", listenerLine, limits("recycle: -2"),
			"10:42: listeners.a.handler.limits.recycle must be -1 to 2000000000, is -2"},
		{"memory too large", listenerLine, limits("memory: 5Gi"),
			"10:41: listeners.a.handler.limits.memory must be 64Ki to 4Gi, is 5Gi"},
		{"memory too small", listenerLine, limits("memory: 16"),
			"10:41: listeners.a.handler.limits.memory must be 64Ki to 4Gi, is 16"},
		{"deadline", listenerLine, limits("deadline: 61s"),
			"10:43: listeners.a.handler.limits.deadline must be 1ms to 1m, is 1m1s"},
		{"backoff", listenerLine, listenerWith("retry: {attempts: 0, minBackoff: 2h}"),
			"10:23: listeners.a.retry.attempts must be 1 to 1000, is 0\n10:38: listeners.a.retry.minBackoff must be 1ms to 1h, is 2h"},
		{"backoffs crossed", listenerLine, listenerWith("retry: {minBackoff: 5s, maxBackoff: 1s}"),
			"10:41: listeners.a.retry.minBackoff must not be more than maxBackoff: they are 5s and 1s"},
		{"backoff over the default", listenerLine, listenerWith("retry: {minBackoff: 90s}"),
			"10:25: listeners.a.retry.minBackoff must not be more than maxBackoff: they are 1m30s and 1m"},
		{"workers", listenerLine, listenerWith("workers: 65"),
			"10:14: listeners.a.workers must be 1 to 64, is 65"},
		{"no workers", listenerLine, listenerWith("workers: 0"),
			"10:14: listeners.a.workers must be 1 to 64, is 0"},
		{"capacity", listenerLine, listenerWith("buffer: {capacity: -1}"),
			"10:24: listeners.a.buffer.capacity must be 1 to 1000000, is -1"},
	})
}
