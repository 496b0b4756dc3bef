package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// manyRoutes are more than one filter can have.
func manyRoutes() string {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "  - match: [{message: 'a%d.*%s', receiver: a}]\n", i,
			strings.Repeat("b", 50))
	}
	return b.String()
}

// What is odd is said with its place, and is no reason to stop.
func TestOddSources(t *testing.T) {
	const routes = "route: {routes: [{match: [{receiver: a}]}]}\nreceivers:\n- name: a\n"
	for _, c := range []struct{ name, source, want, not string }{
		{"empty", "", "a.yaml: there is no configuration of event-exporter", ""},
		{"comments", "# nothing\n---\n", "there is no configuration", ""},
		{"list", "[1, 2]", "there is no configuration", ""},
		{"another manifest", "apiVersion: v1\nkind: Pod\nspec: {resource: {pod: true}}\n",
			"kubewatch", ""},
		{"tab", "receivers:\n\t- name: a\n", "a.yaml:2:1: a tab in the indentation", ""},
		{"twice", "receivers: []\nreceivers: []\n", "a.yaml:2:1: receivers is defined twice", ""},
		{"chart template", "data:\n  config: {{ .Values.config | toYaml }}\n", "a.yaml:2:", ""},
		{"unquoted template", routes + "  stdout: {layout: {m: {{ .Message }}}}\n", "a.yaml:4:",
			""},
		{"null receiver", routes + "  stdout:\n", "stdout: {}", ""},
		{"two kinds", "configVersion: v1\n---\nreceivers: []\n", "a.yaml:3:1: this is", ""},
		{"merge and alias", "x: &x {layout: {m: '{{ .Message }}'}}\n" + routes +
			"  stdout: {<<: *x}\n", `"m": object.message ?? ""`, ""},
		{"in a manifest of a list", "kind: List\nitems:\n- kind: ConfigMap\n  data:\n" +
			"    c.yaml: |\n      route: {match: [{receiver: a}]}\n" +
			"      receivers: [{name: a, stdout: {}}]\n",
			"stdout: {}", ""},
		{"in values", "image: x\nconfig:\n  " + strings.ReplaceAll(routes, "\n", "\n  ") +
			"  stdout: {}\n", "stdout: {}", ""},
		{"a broken template", routes + "  stdout: {layout: {m: '{{ .Message '}}\n",
			"a.yaml:4:24: lost: receivers[0].stdout.layout.m: it is not a template", ""},
		{"a name with odd characters", "route: {match: [{receiver: \"\\e[31m\\n\"}]}\n" +
			"receivers: [{name: \"\\e[31m\\n\", stdout: {}}]\n", `"31m":`, "\x1b"},
		{"a name that turns the line around", "\"route\\u202e\": x\n" + routes + "  stdout: {}\n",
			"note: route: event-exporter ignores it", "\u202e"},
		{"labels on the way to nowhere", "route: {match: [{receiver: b, labels: {a: b}}, " +
			"{receiver: a}]}\nreceivers: [{name: a, stdout: {}}]\n", "there is no receiver", "pods"},
		{"a field that there is not", "configVersion: v1\nkubernetes: [{kind: Pod, jqFilter: .data}]\n",
			"a.yaml:2:14: lost: kubernetes[0]: informerd refuses it: ", ""},
		{"many routes", "route:\n  routes:\n" + manyRoutes() +
			"receivers: [{name: a, stdout: {}}]\n", "\n  a-2:\n", ""},
		{"many short routes", "route:\n  routes:\n" + strings.ReplaceAll(strings.ReplaceAll(
			manyRoutes(), strings.Repeat("b", 50), ""), "receiver", "reason: x.y, receiver") +
			"receivers: [{name: a, stdout: {}}]\n", ": 0 lost, ", ""},
		{"a password without TLS", routes + "  kafka: {topic: t, brokers: ['x:9092'], sasl: " +
			"{enable: true, username: u, password: p}}\n",
			"a.yaml:3:3: note: receivers[0]: informerd warns: outputs.a.kafka.sasl", ""},
		{"a filter of many brackets", "configVersion: v1\nkubernetes: [{kind: Pod, jqFilter: '" +
			strings.Repeat("[", 500_000) + "'}]\n", "only filters that pick fields", ""},
		{"a URL with a password", routes +
			"  webhook: {endpoint: 'https://u:secret@x.example.com'}\n",
			"fromEnv: A_URL", "secret"},
		{"a secret header", routes + "  webhook:\n    endpoint: 'https://x.example.com'\n" +
			"    headers: {Authorization: Bearer secret, Host: y}\n",
			"fromEnv: A_AUTHORIZATION", "secret"},
		{"what informerd refuses", routes + "  kafka: {topic: 'not a topic', brokers: [x]}\n",
			"lost: receivers[0]: informerd refuses it", ""},
		{"a hook that computes", "#!/bin/sh\necho \"configVersion: $V\"\n",
			"the hook does not have its configuration as a text; run it with --config", ""},
		{"a later version", "configVersion: v2\nkubernetes: [{kind: Pod}]\n",
			`a.yaml:1:16: lost: configVersion: it is "v2"`, ""},
		{"short names", "resource: {po: true, pod: true}\n",
			"resource.po: kubewatch does not read it", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all bytes.Buffer
			text, report, err := Convert(Options{}, Source{"a.yaml", []byte(c.source)})
			if err != nil {
				all.WriteString(err.Error())
			} else if err := report.WriteText(&all); err != nil {
				t.Fatal(err)
			}
			all.Write(text)
			if got := all.String(); !strings.Contains(got, c.want) ||
				c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%s\n%s", c.want, got)
			}
			if len(text) > 0 {
				compiled(t, text)
			}
		})
	}
}

// Whatever the source, there are mistakes in it, or the result is valid.
func FuzzConvert(f *testing.F) {
	for _, peer := range Peers {
		files, err := filepath.Glob(filepath.Join("testdata", string(peer), "*"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, report, err := Convert(Options{}, Source{"a.yaml", data})
		var mistakes config.Errors
		switch {
		case errors.As(err, &mistakes):
			return
		case err != nil:
			t.Fatal(err)
		case report.Empty != (len(text) == 0):
			t.Fatal("a report of something else")
		case len(text) > 0:
			compiled(t, text)
		}
		var shown bytes.Buffer
		if err := report.WriteText(&shown); err != nil {
			t.Fatal(err)
		}
		shown.Write(text)
		if bytes.ContainsAny(shown.Bytes(), "\x1b\r\x07") {
			t.Fatalf("%q", shown.Bytes())
		}
	})
}
