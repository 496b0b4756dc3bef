package config

import (
	"fmt"
	"strings"
	"testing"
)

// granted adds a handler with one grant to the listener of the base. Its text begins at 10:33.
func granted(name, grant, want string) mistake {
	return mistake{name, listenerLine, listenerWith("handler: {wasm: x, grants: {" + grant + "}}"),
		strings.ReplaceAll(want, "GRANTS", "listeners.a.handler.grants")}
}

func TestGrantMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		granted("no value", "kv: ",
			"10:37: GRANTS.kv has no value"),
		granted("kv out of range", "kv: {keys: 0, bytes: 2Gi, ttl: 1ms}",
			"10:44: GRANTS.kv.keys must be 1 to 1000000, is 0\n"+
				"10:54: GRANTS.kv.bytes must be 1Ki to 1Gi, is 2Gi\n"+
				"10:64: GRANTS.kv.ttl must be 0 (without end) or 1s to 365d, is 1ms"),
		granted("kv for ages", "kv: {ttl: 8761h}",
			"10:43: GRANTS.kv.ttl must be 0 (without end) or 1s to 365d, is 8761h"),
		granted("kv, unknown", "kv: {persists: true}",
			`10:38: unknown field "persists" in GRANTS.kv; did you mean "persist"?`),
		granted("kv, nowhere to keep values", "kv: {persist: true}",
			"10:47: GRANTS.kv.persist is true, and needs state: {dir: FOLDER} in the configuration"),
		granted("no time", "clock: {fixed: noon}",
			`10:48: GRANTS.clock.fixed must be a time with a zone, as in 2026-01-01T00:00:00Z, is "noon"`),
		granted("a day", "clock: {fixed: 2026-01-01}",
			`10:48: GRANTS.clock.fixed must be a time with a zone, as in 2026-01-01T00:00:00Z, is "2026-01-01"`),
		granted("no zone", "clock: {fixed: 2026-01-01T00:00:00}",
			`10:48: GRANTS.clock.fixed must be a time with a zone, as in 2026-01-01T00:00:00Z, is "2026-01-01T00:00:00"`),
		granted("a number for a time", "clock: {fixed: 5}",
			"10:48: GRANTS.clock.fixed must be a time with a zone, as in 2026-01-01T00:00:00Z, is the number 5"),
		granted("long ago", "clock: {fixed: 1969-12-31T23:00:00Z}",
			"10:48: GRANTS.clock.fixed must be 1970-01-01T00:00:00Z to 2261-12-31T23:59:59Z, is 1969-12-31T23:00:00Z"),
		granted("the zero time", "clock: {fixed: 0001-01-01T00:00:00Z}",
			"10:48: GRANTS.clock.fixed must be 1970-01-01T00:00:00Z to 2261-12-31T23:59:59Z, is 0001-01-01T00:00:00Z"),
		granted("far ahead", "clock: {fixed: '2262-01-01T00:00:00Z'}",
			"10:48: GRANTS.clock.fixed must be 1970-01-01T00:00:00Z to 2261-12-31T23:59:59Z, is 2262-01-01T00:00:00Z"),
		granted("seed", "random: {seed: -1}",
			"10:48: GRANTS.random.seed must be 0 to 2147483647, is -1"),
		granted("seed in letters", "random: {seed: x}",
			`10:48: GRANTS.random.seed must be a whole number, is the string "x"`),
		granted("cache of nothing", "cache: {}",
			"10:33: GRANTS.cache has no informers"),
		granted("cache, empty lists", "cache: {informers: [], namespaces: []}",
			"10:52: GRANTS.cache.informers must have at least one informer\n"+
				"10:68: GRANTS.cache.namespaces must have at least one namespace"),
		granted("cache, informers", "cache: {informers: [pods, pod, pods]}",
			`10:59: GRANTS.cache.informers[1]: unknown informer "pod"; did you mean "pods"?`+"\n"+
				`10:64: GRANTS.cache.informers[2] repeats the informer "pods"`),
		granted("cache, namespaces",
			"cache: {informers: [pods], namespaces: [a, '*', A, '', '', a]}",
			`10:76: GRANTS.cache.namespaces[1] must be the name of a namespace, is "*"`+"\n"+
				`10:81: GRANTS.cache.namespaces[2] must be the name of a namespace, is "A"`+"\n"+
				`10:88: GRANTS.cache.namespaces[4] repeats the namespace ""`+"\n"+
				`10:92: GRANTS.cache.namespaces[5] repeats the namespace "a"`),
		granted("emit, unknown kinds", "emit: {kinds: [events, data, data, 1]}",
			`10:48: GRANTS.emit.kinds[0] must be event or data, is "events"; did you mean "event"?`+"\n"+
				`10:62: GRANTS.emit.kinds[2] repeats the kind "data"`+"\n"+
				"10:68: GRANTS.emit.kinds[3] must be a string, is the number 1"),
		granted("emit, types",
			"emit: {types: [com.example., 'com.*', '', a b, dev.informerd.object.added, com.example.]}",
			"10:62: GRANTS.emit.types[1] has a * in it: end it in a dot, as in com.example., for all types that begin so\n"+
				"10:71: GRANTS.emit.types[2] must be 1 to 256 printable ASCII characters without spaces\n"+
				"10:75: GRANTS.emit.types[3] must be 1 to 256 printable ASCII characters without spaces\n"+
				"10:80: GRANTS.emit.types[4] is reserved for informerd\n"+
				`10:108: GRANTS.emit.types[5] repeats the type "com.example."`),
		granted("emit, no types", "emit: {types: []}",
			"10:47: GRANTS.emit.types must have at least one type"),
		granted("emit, too many types", "emit: {types: ["+strings.Repeat("a, ", 101)+"]}",
			"10:47: GRANTS.emit.types must have at most 100 types, has 101"),
		granted("emit, types of a misspelt kind", "emit: {kinds: [events], types: [com.example.a]}",
			`10:48: GRANTS.emit.kinds[0] must be event or data, is "events"; did you mean "event"?`),
		granted("emit, types of nothing", "emit: {kinds: [], types: [a]}",
			"10:51: GRANTS.emit.types is set, but no events may be emitted"),
		granted("emit, types of data", "emit: {kinds: [data], types: [a]}",
			"10:55: GRANTS.emit.types is set, but no events may be emitted"),
		granted("emit out of range", "emit: {count: 0, bytes: 17Mi}",
			"10:47: GRANTS.emit.count must be 1 to 1000, is 0\n10:57: GRANTS.emit.bytes must be 1Ki to 16Mi, is 17Mi"),
		granted("emit, bytes without a unit", "emit: {bytes: 1023}",
			"10:47: GRANTS.emit.bytes must be 1Ki to 16Mi, is 1023"),
		granted("emit, no value", "emit: ",
			"10:39: GRANTS.emit has no value"),
		granted("emit, unknown", "emit: {kind: []}",
			`10:40: unknown field "kind" in GRANTS.emit; did you mean "kinds"?`),
		granted("cache out of range", "cache: {informers: [pods], maxItems: 0, maxBytes: 1}",
			"10:70: GRANTS.cache.maxItems must be 1 to 100000, is 0\n"+
				"10:83: GRANTS.cache.maxBytes must be 1Ki to 1Gi, is 1"),
	})
}

func TestHTTPGrantMistakes(t *testing.T) {
	testMistakes(t, []mistake{
		granted("no allow", "http: {}",
			"10:33: GRANTS.http has no allow"),
		granted("empty lists", "http: {allow: [], methods: []}",
			"10:47: GRANTS.http.allow must have at least one URL\n"+
				"10:60: GRANTS.http.methods must have at least one method"),
		granted("allow", "http: {allow: [h, 'ftp://h/', 'https://', 'http://%', 'https://*.h/', 'https://h/?a', 'https://h/#a', 'https://h', 'https://h']}",
			"10:48: GRANTS.http.allow[0] must begin with https:// or http:// and a host\n"+
				"10:51: GRANTS.http.allow[1] must begin with https:// or http:// and a host\n"+
				"10:63: GRANTS.http.allow[2] must begin with https:// or http:// and a host\n"+
				"10:75: GRANTS.http.allow[3] is not a valid URL\n"+
				"10:87: GRANTS.http.allow[4]: its host is neither a name of letters, digits, - and _ nor an address\n"+
				"10:103: GRANTS.http.allow[5] must end with the path\n"+
				"10:119: GRANTS.http.allow[6] must end with the path\n"+
				"10:148: GRANTS.http.allow[8] repeats another URL"),
		granted("hosts that look like addresses, and others",
			"http: {allow: ['http://127.1/', 'http://0x7f000001/', 'http://localhost:8080/', "+
				"'http://metadata.google.internal/', 'http://h./', 'http://h:0/', 'http://h:99999/', 'http://[fe80::1%25eth0]/']}",
			"10:48: GRANTS.http.allow[0]: its host looks like an address, but is not written as one\n"+
				"10:65: GRANTS.http.allow[1]: its host looks like an address, but is not written as one\n"+
				"10:87: GRANTS.http.allow[2]: a name never leads to a loopback address: write the address, as in http://127.0.0.1:8080/\n"+
				"10:113: GRANTS.http.allow[3] is a metadata service\n"+
				"10:149: GRANTS.http.allow[4]: its host is neither a name of letters, digits, - and _ nor an address\n"+
				"10:163: GRANTS.http.allow[5]: its port must be between 1 and 65535\n"+
				"10:178: GRANTS.http.allow[6]: its port must be between 1 and 65535\n"+
				"10:197: GRANTS.http.allow[7]: its address has a zone"),
		granted("paths", "http: {allow: ['http://h/a/../b', 'http://h/a%2Fb', 'http://h/%c0%ae', 'http://h/ä', 'http://h/%00']}",
			"10:48: GRANTS.http.allow[0]: its path has a segment of dots in it\n"+
				"10:67: GRANTS.http.allow[1]: its path has an encoded slash or a backslash in it\n"+
				"10:85: GRANTS.http.allow[2]: its path is not UTF-8\n"+
				"10:104: GRANTS.http.allow[3] has white space, control or non-ASCII characters in it\n"+
				"10:118: GRANTS.http.allow[4]: its path has a control character in it"),
		granted("password", "http: {allow: ['https://bob:hunter2@h/']}",
			"10:48: GRANTS.http.allow[0] has a user name in it"),
		granted("methods", "http: {allow: ['http://h'], methods: [get, 'G T', TRACE, GET, GET]}",
			`10:71: GRANTS.http.methods[0] must be a method in capitals, is "get"`+"\n"+
				`10:76: GRANTS.http.methods[1] must be a method in capitals, is "G T"`+"\n"+
				"10:83: GRANTS.http.methods[2]: handlers are not given the method TRACE\n"+
				`10:95: GRANTS.http.methods[4] repeats the method "GET"`),
		granted("out of range",
			"http: {allow: ['http://h'], timeout: 0, maxRequest: 17Mi, maxResponse: 0, perEvent: 1001}",
			"10:70: GRANTS.http.timeout must be 1ms to 1m, is 0s\n"+
				"10:85: GRANTS.http.maxRequest must be 1 to 16Mi, is 17Mi\n"+
				"10:104: GRANTS.http.maxResponse must be 1 to 16Mi, is 0\n"+
				"10:117: GRANTS.http.perEvent must be 1 to 1000, is 1001"),
	})
}

func TestHeaderMistakes(t *testing.T) {
	header := func(name, text, want string) mistake { // the headers begin at 10:71
		return granted(name, "http: {allow: ['http://h'], headers: {"+text+"}}",
			strings.ReplaceAll(want, "HEADERS", "GRANTS.http.headers"))
	}
	testMistakes(t, []mistake{
		header("unknown source", "X: {fromEnvironment: A}",
			`10:75: unknown field "fromEnvironment" in HEADERS.X; its fields are fromEnv, fromFile`),
		header("both", "X: {fromEnv: A, fromFile: b}",
			"10:74: HEADERS.X has both fromEnv and fromFile"),
		header("none", "X: {}", "10:71: HEADERS.X must have fromEnv or fromFile"),
		header("empty", "X: ''", "10:74: HEADERS.X has no value"),
		header("variable", "X: {fromEnv: A-B}",
			`10:84: HEADERS.X.fromEnv must be the name of an environment variable, is "A-B"`),
		header("file", "X: {fromFile: ' '}",
			`10:85: HEADERS.X.fromFile must be the path of a file, is " "`),
		header("file at home", "X: {fromFile: ~/token}",
			`10:85: HEADERS.X.fromFile must not begin with ~, which is not expanded, is "~/token"`),
		header("name", "X Y: a", `10:71: HEADERS["X Y"]: the name "X Y" is not a header name`),
		header("framing", "host: a",
			"10:71: HEADERS.host: the header Host cannot be set"),
		header("proxy", "Proxy-Authorization: a",
			"10:71: HEADERS.Proxy-Authorization: the header Proxy-Authorization cannot be set"),
		header("same", "x-a: a, X-A: b",
			`10:71: HEADERS.x-a and "X-A" are the same header`),
		header("line break", `X: "a\nb"`,
			"10:74: HEADERS.X has a control character in it, such as a line break"),
		// What may be a secret is not shown.
		header("number", "Authorization: 12345",
			"10:86: HEADERS.Authorization must be a string, {fromEnv: NAME} or {fromFile: PATH}"),
		header("list", "Authorization: [a]",
			"10:86: HEADERS.Authorization must be a string, {fromEnv: NAME} or {fromFile: PATH}"),
	})
}

// A credential must not be in the configuration, which many can read, and an error about that
// does not show it.
func TestHeadersThatHoldCredentials(t *testing.T) {
	for name, held := range map[string]bool{
		"Authorization": true, "authorization": true, "Cookie": true, "X-Api-Key": true,
		"Apikey": true, "X-Auth-Token": true,
		"X-Vault-Token": true, "Private-Token": true, "X-Hub-Signature": true, "X-Password": true,
		"X-Auth": true, "X-Client-Secret": true,
		"X-Key": true, "Content-Type": false, "X-Author": false, "X-Keyboard": false,
		"User-Agent": false, "Accept": false,
	} {
		text := strings.Replace(base, listenerLine,
			listenerWith("handler: {wasm: x, grants: {http: {allow: ['http://h'], headers: {"+name+
				": hunter2}}}}"), 1)
		_, err := Parse("x.yaml", []byte(text))
		want := ""
		if held {
			want = fmt.Sprintf(
				"x.yaml:10:%d: listeners.a.handler.grants.http.headers.%s: %s", 71+len(name)+2, name, noCredential)
		}
		if got := fmt.Sprint(err); err == nil && held || err != nil && got != want {
			t.Errorf("%s: got  %v\nwant %s", name, err, want)
		}
	}
}

func TestStateMistakes(t *testing.T) {
	const line, paths = "cluster: {name: c}\n",
		"; paths are taken as they are: write it out in full, or relative to the folder of this configuration"
	testMistakes(t, []mistake{
		{"no dir", line, line + "state: {}\n",
			"4:1: state has no dir"},
		{"empty dir", line, line + "state: {dir: ''}\n",
			`4:14: state.dir must be the path of a folder, is ""`},
		{"home", line, line + "state: {dir: ~/x}\n",
			`4:14: state.dir must not begin with ~, which is not expanded, is "~/x"`},
		{"variable", line, line + "state: {dir: $HOME/x}\n",
			`4:14: state.dir must not have a variable in it, which is not expanded, is "$HOME/x"`},
		{"no value", line, line + "state:\n",
			"4:7: state has no value"},
	})
}

// A request with less time than its timeout is a warning, not a mistake.
func TestWarningsOfRequestTimes(t *testing.T) {
	const a = "listeners.a.handler."
	for text, want := range map[string]string{
		"grants: {http: {allow: ['http://h']}}": "x.yaml:10:33: " + a +
			"grants.http: a request must fit in " + a +
			"limits.deadline, which is 100ms unless it is set",
		"limits: {deadline: 1s}, grants: {http: {allow: ['http://h'], timeout: 2s}}": "x.yaml:10:94: " + a + "grants.http.timeout is 2s, but " + a +
			"limits.deadline ends a request earlier: it is 1s",
		"grants: {http: {allow: ['http://h'], timeout: 5s}}": "x.yaml:10:70: " + a +
			"grants.http.timeout is 5s, but " + a +
			"limits.deadline ends a request earlier: it is 100ms",
		"grants: {http: {allow: ['http://h'], timeout: 100ms}}":                      "",
		"limits: {deadline: 1s}, grants: {http: {allow: ['http://h']}}":              "",
		"limits: {deadline: 2s}, grants: {http: {allow: ['http://h'], timeout: 2s}}": "",
		"grants: {log: {}}": "",
	} {
		c, err := Parse("x.yaml",
			[]byte(strings.Replace(base, listenerLine, listenerWith("handler: {wasm: x, "+text+"}"),
				1)+"state: {dir: s}\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range c.Warnings() {
			got += w.Error()
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
