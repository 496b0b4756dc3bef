package config

import (
	"strings"
	"testing"
)

// What is not YAML is answered with what to write, and that is YAML.
func TestYAMLMistakes(t *testing.T) {
	const listener, outputs, output = "    informer: pods\n", "    outputs: [out]\n", "out: {stdout: {}}"
	for _, c := range []struct{ what, wrong, hint, right string }{
		{listener, "    informer:pods\n", "8:13: not YAML: a space is missing after the colon; write informer: pods", listener},
		{outputs, "    outputs:\n    -out\n", "10:5: not YAML: a space is missing after the dash; write - out",
			"    outputs:\n    - out\n"},
		{listener, "    informer = pods\n", "a field has a colon, not =; write informer: pods", listener},
		{listener, "    informer pods\n", "8:5: not YAML: a colon is missing after informer; write informer: pods", listener},
		{"  a:\n", "  a\n", "7:3: not YAML: a colon is missing after a; write a:", "  a:\n"},
		{listener, "    // pods\n" + listener, "a comment begins with //; comments begin with #", "    # pods\n" + listener},
		{outputs, "    outputs: [out],\n", "a field ends with ,; remove the ,", outputs},
		{outputs, "    outputs: [out\n", "9:14: not YAML: the bracket [ is not closed; add ] where it ends", outputs},
		{outputs, "    outputs: [out]]\n", "9:19: not YAML: the bracket ] closes nothing; remove it", outputs},
		{listener, "    informer: {resource: [pods}\n", "8:26: not YAML: the bracket [ is not closed; add ]", listener},
		{listener, listener + "    filter: |\nop == 'add'\n",
			"10:1: not YAML: the text of filter must be indented more than filter; begin its lines with 6 spaces",
			listener + "    filter: |\n      op == 'add'\n"},
		{outputs, "     outputs: [out]\n", "9:6: not YAML: this line is indented more than the one before it, which has a value already; begin it in column 5",
			outputs},
		{listener, "      informer: pods\n", "9:5: not YAML: this line begins in column 5; begin the fields of one mapping in the same column", listener},
		{listener, listener + "    rules:\n      - name: r\n       deny: x\n", "11:8: not YAML: this line is indented more than the one before it, which has a value already; begin it in column 9",
			listener + "    rules:\n      - name: r\n        deny: x\n"},
		{"  a:\n", "  'a:\n", "the quote ' is not closed; write it at the end", "  'a':\n"},
		{listener, "    informer: 'pods\n", "8:15: not YAML: the quote that begins the value of informer is not closed", listener},
		{listener, listener + "    rules: [{name: r, deny: x}\n      {name: s, deny: x}]\n", "write a comma between the items",
			listener + "    rules: [{name: r, deny: x},\n      {name: s, deny: x}]\n"},
		{listener, listener + "    {{- if .Values.x }}\n", "this is a template, and templates are not replaced; render it first", listener},
		{listener, "    informer: {{ .Values.x }}\n", "if it is a template, such as {{ .Values.x }}, render it first", listener},
		{listener, "<<<<<<< HEAD\n" + listener, "a conflict of a merge is not resolved here", listener},
		{output, "out: {slack: {url: ${SLACK_URL}}}", "variables are not replaced: write url: {fromEnv: SLACK_URL}",
			"out: {slack: {url: {fromEnv: SLACK_URL}}}"},
		{output, "out: {webhook: {url: https://a.b/{c}}}", "as in url: 'https://a.b/{c}'",
			"out: {webhook: {url: 'https://a.b/{c}'}}"},
		{listener, listener + "    buffer: {capacity:5}\n", "a space is missing after the colon: write capacity: 5",
			listener + "    buffer: {capacity: 5}\n"},
		{listener, listener + "    on: - add\n", "a list of on begins on the line of its name; write on: [add], or", listener + "    on: [add]\n"},
		{listener, listener + "    rules: - {name: r, deny: x}\n", "write rules: [{name: r, deny: x}]", listener + "    rules: [{name: r, deny: x}]\n"},
		// brackets over lines, and of two kinds
		{outputs, "    outputs: [\n      out,\n", "9:14: not YAML: the bracket [ is not closed; add ] where it ends", "    outputs: [\n      out]\n"},
		{outputs, "    outputs: [out}\n", "9:18: not YAML: the bracket } closes [, which is of another kind; write ] in place of }, or { in place of [", outputs},
		// characters that look like those of YAML
		{listener, "    -\tinformer: pods\n", "8:6: not YAML: there is a tab after the dash; write - informer: pods", listener},
		{listener, "    informer： pods\n", "8:13: not YAML: this is another colon than that of YAML; write informer: pods", listener},
		{listener, "    informer:\u00a0pods\n", "8:14: not YAML: there is a space of another kind after the colon", listener},
		{listener, "\u00a0   informer: pods\n", "8:1: not YAML: this is a space of another kind", listener},
		{listener, "    informer: : pods\n", "8:13: not YAML: there are two colons; write informer: pods", listener},
		{listener, "    informer => pods\n", "8:13: not YAML: a field has a colon; write informer: pods", listener},
		{outputs, "    outputs:\n      * out\n", "10:7: not YAML: an item of a list begins with -, not with *; write - out", "    outputs:\n      - out\n"},
		{listener, listener + "    rules:\n      – name: r\n        deny: x\n", "10:7: not YAML: an item of a list begins with -, not with –; write - name: r",
			listener + "    rules:\n      - name: r\n        deny: x\n"},
		{listener, "```\n" + listener, "8:1: not YAML: a line with ``` is one of Markdown, around the text; remove it", listener},
		{"outputs:\n  out", "...\noutputs:\n  out", "10:1: not YAML: ... ends the text in YAML; remove it", "outputs:\n  out"},
		{"pods: {resource: pods}", "pods: {resource: pods, namespaces: [*]}", "this item begins with *, which means something else in YAML; put it in quotes: '*'",
			"pods: {resource: pods}"},
		{"pods: {resource: pods}", "pods: {resource: pods, namespaces: [*a]}", `the alias "*a" has no anchor before it; write &a before the value that it repeats, or '*a' for a text`,
			"pods: {resource: pods}"},
		// colons and dashes that are missing
		{outputs, "    outputs [out]\n", "9:5: not YAML: a colon is missing after outputs; write outputs: [out]", outputs},
		{listener, listener + "    filter op == \"add\"\n", `9:5: not YAML: a colon is missing after filter; write filter: op == "add"`,
			listener + "    filter: op == \"add\"\n"},
		{outputs, "    outputs:\n      - out\n      b\n", "11:7: not YAML: a dash is missing before b; write - b", outputs},
		{outputs, "    outputs: [out]\n      - b\n", "10:7: not YAML: outputs has a list in brackets already; write this item in them, as in outputs: [out, b]", outputs},
		// texts over lines
		{listener, listener + "    filter: |\n        op == 'add' &&\n      initial\n",
			"11:7: not YAML: this line of the text of filter is indented less than the first one; begin it in column 9",
			listener + "    filter: |\n        op == 'add' &&\n        initial\n"},
		{listener, listener + "    filter: | op == \"add\"\n", `9:13: not YAML: the text of filter begins on the line of its |; begin it on the next line, indented more than filter, or write filter: 'op == "add"'`,
			listener + "    filter: 'op == \"add\"'\n"},
		{listener, listener + "    filter:\n    op == \"add\"\n", `10:5: not YAML: the value of filter must be indented more than filter; write filter: 'op == "add"' on one line`,
			listener + "    filter: 'op == \"add\"'\n"},
		{listener, listener + "    filter: 'op == \"add\"'\n      and initial\n", "10:7: not YAML: this line goes on with the value of filter, which ends at its second quote; write filter: |",
			listener + "    filter: |\n      op == \"add\"\n      and initial\n"},
		// a line that is not in the column of those around it
		{outputs, "  workers: 2\n" + outputs, "9:3: not YAML: this line begins in column 3, and the one below it in column 5; begin both in column 5",
			"    workers: 2\n" + outputs},
		{listener, "informer: pods\n", "8:1: not YAML: this line begins in column 1, and the one below it in column 5; begin both in column 5", listener},
		{"apiVersion", "  apiVersion", "1:3: not YAML: this line begins in column 3, and those below it further left; begin it in column 1", "apiVersion"},
		// a value, and fields below it or behind it
		{output, "out:\n    stdout: {}\n      a: b\n", "stdout has a value already, {}, and lines below it; remove the {} after stdout:, or the lines below it", output},
		{listener, "    informer: resource: pods\n", "8:15: not YAML: a mapping in the line of informer needs braces; write informer: {resource: pods}", "    informer: {resource: pods}\n"},
		{output, "out:\n    webhook: url:\n      https://a.b/c\n", "begin url on the next line, indented more than webhook", "out:\n    webhook:\n      url: https://a.b/c\n"},
		{listener + outputs, "    informer: pods, outputs: [out]\n", "8:15: not YAML: informer and outputs are on one line; write informer: pods, and outputs on a line of its own", listener + outputs},
		{listener, listener + "    rules: name: r\n", "a mapping in the line of rules needs braces; begin a list below it: - name: r", listener},
		{outputs, "    outputs: [out] // all\n", "9:20: not YAML: a comment begins with //; comments begin with #", "    outputs: [out] # all\n"},
		{outputs, "    outputs: [out] b\n", "the value of outputs goes on behind its bracket; write all of it in the brackets", outputs},
		{listener, listener + "    rules:\n      - {name: r, deny: x}\n      - name: s\n        deny: x\n        message: 'it's bad'\n",
			`as in message: '"it''s bad"'`, listener + "    rules:\n      - name: s\n        deny: x\n        message: '\"it''s bad\"'\n"},
		// a question mark in brackets, which ends a text there
		{listener, listener + "    rules:\n      - {name: r, deny: (object.status.readyReplicas ?? 0) < object.spec.replicas, for: 10m}\n",
			`10:25: not YAML: the value of deny has "??" in it, which YAML takes for a key within {…}; put it in quotes: deny: '(object.status.readyReplicas ?? 0) < object.spec.replicas'`,
			listener + "    rules:\n      - {name: r, deny: '(object.status.readyReplicas ?? 0) < object.spec.replicas', for: 10m}\n"},
		{listener, listener + "    rules: [{name: r, deny: x, for: 5m}, {name: s, deny: label('a') ?? 1}]\n", `put it in quotes: deny: "label('a') ?? 1"`,
			listener + "    rules: [{name: r, deny: x, for: 5m}, {name: s, deny: \"label('a') ?? 1\"}]\n"},
		{listener, listener + "    rules:\n      - {name: r,\n        deny: x ?? 1,\n        for: 5m}\n", `11:15: not YAML: the value of deny has "??" in it, which YAML takes for a key within {…}; put it in quotes: deny: 'x ?? 1'`,
			listener + "    rules:\n      - {name: r,\n        deny: 'x ?? 1',\n        for: 5m}\n"},
		{listener, listener + "    rules: [{name: r, deny: object.status?.phase}]\n", `9:29: not YAML: the value of deny has "?." in it, which YAML takes for a key within {…}; put it in quotes: deny: 'object.status?.phase'`,
			listener + "    rules: [{name: r, deny: 'object.status?.phase'}]\n"},
		{output, `out: {stdout: {}}` + "\n  b: {alertmanager: {url: http://a:9093, labels: {team: label(\"team\") ?? \"none\"}}}", `12:57: not YAML: the value of team has "??" in it, which YAML takes for a key within {…}; put it in quotes: team: 'label("team") ?? "none"'`,
			`out: {stdout: {}}` + "\n  b: {alertmanager: {url: http://a:9093, labels: {team: 'label(\"team\") ?? \"none\"'}}}"},
		{output, `out: {stdout: {}, data: {a: label('a') ?? "b"}}`, `the value of data is an expression, which YAML takes for a mapping`,
			`out: {stdout: {}, data: '{a: label("a") ?? "b"}'}`},
		{output, "out:\n    stdout: {}\n    data: [op, name ?? \"x\"]", `13:11: not YAML: the value of data has "??" in it, which YAML takes for a key within […]; put it in quotes: data: '[op, name ?? "x"]'`,
			"out:\n    stdout: {}\n    data: '[op, name ?? \"x\"]'"},
		{output, `out: {webhook: {url: https://a.b/c?x=y}}`, "has \"?\" in it, which YAML takes for a key within {…}; put it in quotes",
			`out: {webhook: {url: "https://a.b/c?x=y"}}`},
		// a question mark that ends nothing, next to what is wrong
		{outputs, "    filter: a ?? b == 1 # needs no quotes\n    outputs: [out]]\n", "10:19: not YAML: the bracket ] closes nothing",
			"    filter: a ?? b == 1 # needs no quotes\n    outputs: [out]\n"},
		{output, "out: {webhook: {url: https://a.b, headers: {A: ['b?c']}}, when: name in [\"a\", \"b\"]}", "the value of when has brackets or commas", output},
		// a dash in another column than those before it
		{listener, listener + "    rules:\n      - name: r\n        deny: x\n        - name: s\n          deny: x\n", "12:9: not YAML: the dash of this item is in column 9, and that of the item before it, on line 10, in column 7; begin it in column 7",
			listener + "    rules:\n      - name: r\n        deny: x\n      - name: s\n        deny: x\n"},
		{listener, listener + "    rules:\n      - name: r\n        deny: x\n     - name: s\n       deny: x\n", "12:6: not YAML: the dash of this item is in column 6, and that of the item before it, on line 10, in column 7; begin it in column 7",
			listener + "    rules:\n      - name: r\n        deny: x\n      - name: s\n        deny: x\n"},
		{outputs, "    outputs:\n      - out\n    - out\n", "11:5: not YAML: the dash of this item is in column 5", outputs},
		{outputs, "    outputs:\n      - out\n        - out\n", "11:9: this dash is indented more than that of the item before it, of which it is a part so; begin it in column 7", outputs},
		// in braces of several lines
		{"state:", "http: {\n  address: :8080\n}\nstate:", `4:12: not YAML: the value of address begins with a colon, which is a sign of its own within {…}; put ":8080" in quotes`,
			"http: {\n  address: \"127.0.0.1:8080\"\n}\nstate:"},
		{listener, listener + "    rules: [{\"name\": r, \"deny\": object.spec.a ?? 0 > 1}]\n", `put it in quotes: deny: 'object.spec.a ?? 0 > 1'`,
			listener + "    rules: [{\"name\": r, \"deny\": 'object.spec.a ?? 0 > 1'}]\n"},
		{listener, listener + "    rules: [{\n      name: r,\n      deny: a > 1 ? true : false,\n    }]\n", `as in deny: 'a > 1 ? true : false', or`,
			listener + "    rules: [{\n      name: r,\n      deny: 'a > 1 ? true : false',\n    }]\n"},
		{listener, listener + "    rules:\n      - name: r\n        deny: x\n        message: Pod is bad: fix it\n", `it is an expression, and text in it needs quotes: write message: '"Pod is bad: fix it"'`,
			listener + "    rules:\n      - name: r\n        deny: x\n        message: '\"Pod is bad: fix it\"'\n"},
		// a colon at the begin of a value in braces
		{"state:", "health: {address: :8081}\nstate:", `3:19: not YAML: the value of address begins with a colon, which is a sign of its own within {…}; put ":8081" in quotes: address: ":8081"`,
			"health: {address: \":8081\"}\nstate:"},
		{"state:", "health:\n  {address: :8081}\nstate:", `4:13: not YAML: the value of address begins with a colon`,
			"health:\n  {address: \":8081\"}\nstate:"},
		// no space behind a colon
		{listener, listener + "    filter:op == \"add\"\n", `not YAML: a space is missing after the colon of filter; write filter: op == "add"`,
			listener + "    filter: op == \"add\"\n"},
		// quotes within the quotes of YAML
		{listener, listener + `    filter: "object.metadata.name matches "\d+""` + "\n", `as in filter: 'object.metadata.name matches "\\d+"', or`,
			listener + `    filter: 'object.metadata.name matches "\\d+"'` + "\n"},
		// an expression in braces
		{output, `out: {slack: {url: {fromEnv: S}, text: ":fire: " + message}}`, `11:42: not YAML: the value of text begins with a quote and goes on behind it; put all of it in single quotes, as in text: '":fire: " + message', or`,
			`out: {slack: {url: {fromEnv: S}, text: '":fire: " + message'}}`},
		{output, `out: {webhook: {url: https://a.b}, when: name in ["a", "b"]}`, `as in when: 'name in ["a", "b"]', or`,
			`out: {webhook: {url: https://a.b}, when: 'name in ["a", "b"]'}`},
		{listener, listener + "    rules: [{name: r, deny: \"a\" in object.metadata.labels, for: 5m}]\n", `as in deny: '"a" in object.metadata.labels', or`,
			listener + "    rules: [{name: r, deny: '\"a\" in object.metadata.labels', for: 5m}]\n"},
		{output, `out: {stdout: {}, data: {"text": "pod " + name}}`, `11:27: not YAML: the value of data is an expression, which YAML takes for a mapping; put all of it in single quotes, as in data: '{"text": "pod " + name}', or`,
			`out: {stdout: {}, data: '{"text": "pod " + name}'}`},
		{output, "out:\n    stdout: {}\n    data: {\"text\": \"pod \" + name}", `13:11: not YAML: the value of data is an expression, which YAML takes for a mapping; put all of it in single quotes, as in data: '{"text": "pod " + name}'`,
			"out:\n    stdout: {}\n    data: '{\"text\": \"pod \" + name}'"},
		{output, "out:\n    stdout: {}\n    data: {\n      \"text\": \"pod \" + name,\n    }", "13:11: not YAML: the value of data is an expression, which YAML takes for a mapping; write data: | and the expression below it, indented more than data",
			"out:\n    stdout: {}\n    data: |\n      {\n      \"text\": \"pod \" + name,\n      }"},
		{output, "out:\n    slack:\n      url: fromEnv: HOOK", "a mapping in the line of url needs braces; write url: {fromEnv: HOOK}",
			"out:\n    slack:\n      url: {fromEnv: HOOK}"},
		{listener, listener + "    rules:\n      - name: r\n      deny: x\n", "11:7: not YAML: deny begins in the column of the dash before name; begin it in column 9, as name does",
			listener + "    rules:\n      - name: r\n        deny: x\n"},
		{listener, listener + "    filter: op == \"add\" and\n    object.metadata.name == \"x\"\n", "10:5: not YAML: this line goes on with the value of filter, and is not indented more than filter; write filter: |",
			listener + "    filter: |\n      op == \"add\" and\n      object.metadata.name == \"x\"\n"},
		{listener, "    informer: ${X}\n", "variables are not replaced: write the name itself", listener},
		{listener, "    informer: '{{ .x }}'\n", "templates are not replaced", listener},
		{listener, "    informer: “pods”\n", "these are typographic quotes: write straight ones, or none", listener},
	} {
		for _, text := range []string{c.wrong, c.right} {
			_, err := Parse("x.yaml", []byte(strings.Replace(hinted, c.what, text, 1)))
			switch wrong := text == c.wrong; {
			case wrong && (err == nil || !strings.Contains(err.Error(), c.hint)):
				t.Errorf("%s:\n got %v\nwant %s", text, err, c.hint)
			case !wrong && err != nil:
				t.Errorf("%s, as a hint has it: %v", text, err)
			}
		}
	}
}

// Files of other programs are recognised, and nothing else is said of them.
func TestFilesOfOtherPrograms(t *testing.T) {
	const object = `2:1: this is not a configuration of informerd: it looks like an object of Kubernetes, of kind "Deployment"; informerd init writes`
	const kubeconfig = "it looks like a kubeconfig; name it with --kubeconfig, or in a configuration: cluster: {kubeconfig: PATH}"
	for text, want := range map[string]string{
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {}\nspec: {}\n":                    object,
		"apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec: {rules: []}\n":                `kind "ClusterPolicy"`,
		"apiVersion: kyverno.io/v1\nkind: Policy\nspec: {rules: []}\n":                       `of kind "Policy"`,
		"apiVersion: v1\nkind: ConfigMap\ndata: {informerd.yaml: 'kind: Config'}\n":          "a ConfigMap of Kubernetes; save the text of the file in its data",
		"apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\n":              kubeconfig,
		"apiVersion: v1\nkind: Config\nclusters: []\n":                                       kubeconfig,
		"apiVersion: v1\nkind: Config\ncurrent-context: a\n":                                 kubeconfig,
		"image: {tag: x}\nconfig: {}\n":                                                      "values of a Helm chart; the chart of informerd has the configuration in config",
		"services: {a: {image: x}}\nversion: '3'\n":                                          "1:1: this is not a configuration of informerd: it looks like a file of docker compose",
		"groups: [{name: a, rules: []}]\n":                                                   "rules of Prometheus",
		"route: {receiver: a}\nreceivers: [{name: a, slack_configs: []}]\n":                  "a configuration of Alertmanager",
		"global: {}\nroute: {}\nreceivers: []\n":                                             "a configuration of Alertmanager",
		"apiVersion: informerd.dev/v1alpha1\nkind: Config\ninformer: pods\nrules: [{}]\n":    "it looks like a policy; write kind: Policy",
		"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a]\n": "a kustomization",
	} {
		_, err := Parse("x.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: got %v\nwant %s", text, err, want)
		}
	}
	for _, text := range []string{"kind: Config\n", "apiVersion: v1\n", "listeners: {}\nservices: {}\n",
		"apiVersion: v1\nkind: Config\nclusters: []\nlisteners: {}\n",
		"apiVersion: informerd.dev/v1alpha1\nkind: Deployment\nspec: {}\n"} {
		if _, err := Parse("x.yaml", []byte(text)); err == nil ||
			strings.Contains(err.Error(), "looks like") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
