package migrate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// What is odd is said with its place, and is no reason to stop.
func TestOddSources(t *testing.T) {
	const routes = "route: {routes: [{match: [{receiver: a}]}]}\nreceivers:\n- name: a\n"
	for _, c := range []struct{ name, source, want, not string }{
		{"empty", "", "a.yaml: there is no configuration of event-exporter", ""},
		{"comments", "# nothing\n---\n", "there is no configuration", ""},
		{"list", "[1, 2]", "there is no configuration", ""},
		{"another manifest", "apiVersion: v1\nkind: Pod\nspec: {resource: {pod: true}}\n",
			"kubewatch", ""},
		{"tab", "receivers:\n\t- name: a\n", "a.yaml:2:1: not YAML: found character that cannot start any token", ""},
		{"twice", "receivers: []\nreceivers: []\n", "a.yaml:2:1: receivers is defined twice", ""},
		{"chart template", "data:\n  config: {{ .Values.config | toYaml }}\n", "a.yaml:2:", ""},
		{"unquoted template", routes + "  stdout: {layout: {m: {{ .Message }}}}\n", "a.yaml:4:",
			""},
		{"null receiver", routes + "  stdout:\n", "stdout: {}", ""},
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
			"receivers: [{name: \"\\e[31m\\n\", stdout: {}}]\n", "31m:", "\x1b"},
		{"labels on the way to nowhere", "route: {match: [{receiver: b, labels: {a: b}}, " +
			"{receiver: a}]}\nreceivers: [{name: a, stdout: {}}]\n", "0 lost", "pods"},
		{"two kinds", "resource: {pod: true}\n---\nreceivers: []\n", "a.yaml:3:1: this is", ""},
		{"a URL with a password", routes +
			"  webhook: {endpoint: 'https://u:secret@x.example.com'}\n",
			"url: https://x.example.com\n", "secret"},
		{"the header of that", routes +
			"  webhook: {endpoint: 'https://u:secret@x.example.com'}\n",
			"fromEnv: A_AUTHORIZATION", "secret"},
		{"a URL with a password, and a header", routes +
			"  webhook: {endpoint: 'https://u:secret@x.example.com', headers: {authorization: Bearer secret}}\n",
			"authorization:\n          fromEnv: A_AUTHORIZATION\n", "A_AUTHORIZATION_2"},
		{"a URL with a password, and another one", routes +
			"  elasticsearch: {hosts: ['https://u:secret@x.example.com'], username: u, password: secret}\n",
			"fromEnv: A_AUTHORIZATION\n", "A_AUTHORIZATION_2"},
		{"a URL with a token in its path", routes +
			"  webhook: {endpoint: 'https://api.telegram.org/bot1:SECRET/sendMessage'}\n",
			"fromEnv: A_URL", "SECRET"},
		{"another one", routes +
			"  webhook: {endpoint: 'https://discord.com/api/webhooks/1/SECRET'}\n",
			"fromEnv: A_URL", "SECRET"},
		{"a URL with a token in its query", routes +
			"  webhook: {endpoint: 'https://oapi.dingtalk.com/robot/send?access_token=SECRET'}\n",
			"fromEnv: A_URL", "SECRET"},
		{"a credential in a body", routes + "  webhook:\n    endpoint: 'https://x.example.com'\n" +
			"    layout: {routing_key: SECRET}\n",
			"a.yaml:6:27: lost: receivers[0].webhook.layout.routing_key: a credential must not be", "SECRET"},
		{"a URL that is refused", routes +
			"  webhook: {endpoint: 'http://name.namespace/api'}\n",
			"a.yaml:4:23: lost: receivers[0].webhook.endpoint: the URL must begin with https:// unless", ""},
		{"nothing is left", "route: {drop: [{}]}\nreceivers: []\n",
			"a.yaml:1:1: lost: nothing of it can be converted", ""},
		{"a secret header", routes + "  webhook:\n    endpoint: 'https://x.example.com'\n" +
			"    headers: {Authorization: Bearer secret, Host: y}\n",
			"fromEnv: A_AUTHORIZATION", "secret"},
		{"what informerd refuses", routes + "  kafka: {topic: 'not a topic', brokers: [x]}\n",
			"lost: receivers[0]: informerd refuses it", ""},
		{"short names", "resource: {po: true, pod: true}\n",
			"resource.po: kubewatch knows no such resource", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all bytes.Buffer
			text, report, err := Convert(document.Text{File: "a.yaml", Data: []byte(c.source)})
			if err != nil {
				all.WriteString(err.Error())
			} else if err := report.Write(&all); err != nil {
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
	for _, peer := range []string{eventExporter, kubewatchName} {
		files, err := filepath.Glob(filepath.Join("testdata", peer, "*"))
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
		text, report, err := Convert(document.Text{File: "a.yaml", Data: data})
		var mistakes config.Errors
		switch {
		case errors.As(err, &mistakes):
			return
		case err != nil:
			t.Fatal(err)
		case report == nil:
			t.Fatal("a report of something else")
		case len(text) > 0:
			compiled(t, text)
		}
		var shown bytes.Buffer
		if err := report.Write(&shown); err != nil {
			t.Fatal(err)
		}
		shown.Write(text)
		if bytes.ContainsAny(shown.Bytes(), "\x1b\r\x07") {
			t.Fatalf("%q", shown.Bytes())
		}
	})
}
