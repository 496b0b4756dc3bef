package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// The places of a configuration into which the cases below are put.
const (
	around = `apiVersion: informerd.dev/v1alpha1
kind: Config
informers:
  pods: {resource: pods}
listeners:
  a:
    informer: pods
    outputs: [out]
outputs:
  out: {stdout: {}}
`
	inListener = "    informer: pods\n"
	inOutput   = "  out: {stdout: {}}\n"
	inInformer = "  pods: {resource: pods}\n"
)

// placed puts a text into the configuration.
func placed(text string) string {
	where, text, _ := strings.Cut(text, "|")
	switch where {
	case "listener":
		return strings.Replace(around, inListener,
			inListener+"    "+strings.ReplaceAll(text, "\n", "\n    ")+"\n", 1)
	case "rule":
		return strings.Replace(around, inListener,
			inListener+"    rules:\n      - name: r\n        "+strings.ReplaceAll(text, "\n",
				"\n        ")+"\n", 1)
	case "rules":
		return strings.Replace(around, inListener, inListener+"    rules:\n      - "+text+"\n", 1)
	case "outputs":
		return strings.Replace(around, inOutput, "  "+strings.ReplaceAll(text, "\n", "\n  ")+"\n",
			1)
	case "informers":
		return strings.Replace(around, inInformer, "  "+text+"\n", 1)
	case "end":
		return around + text
	case "all":
		return text
	}
	panic(where)
}

const (
	asText  = `a message is an expression, and text in it needs quotes: write message: `
	inQuote = "put all of it in single quotes, as in "
)

// wrongConfigurations are what people write, and what informerd has to answer.
var wrongConfigurations = []struct{ text, want string }{
	// what YAML does to expressions
	{`rule|deny: "true"` + "\n" + `message: pod is stuck`, asText + `'"pod is stuck"'`},
	{`rule|deny: "true"` + "\n" + `message: "pod is stuck"`, asText + `'"pod is stuck"'`},
	{`rule|deny: "true"` + "\n" + `message: 'Pod {{ .metadata.name }} hangs'`,
		asText + `'"Pod " + string(object.metadata.name) + " hangs"'`},
	{`rule|deny: "true"` + "\n" + `message: "stuck: " + object.metadata.name`,
		`11:18: not YAML: the value of message begins with a quote and goes on behind it; ` +
			inQuote + `message: '"stuck: " + object.metadata.name'`},
	{`listener|filter: "add" == op`,
		`8:13: not YAML: the value of filter begins with a quote and goes on behind it; ` +
			inQuote + `filter: '"add" == op'`},
	{`listener|filter: "op == "add""`, `8:13: not YAML: the value of filter begins with a quote and goes on behind it; quotes within quotes end the value: put other quotes around all of it, as in filter: 'op == "add"'`},
	{`listener|filter: 'op == 'add''`, `put other quotes around all of it, as in filter: "op == 'add'"`},
	{`rules|{name: r, deny: "label("app") in ["x"]"}`, `put other quotes around all of it, as in deny: 'label("app") in ["x"]'`},
	{`listener|rules: [{name: r, deny: "label("app") == nil"}]`, `put other quotes around all of it, as in deny: 'label("app") == nil'`},
	{`listener|filter: "add" == label("op") + "x"`, inQuote + `filter: '"add" == label("op") + "x"'`},
	{`listener|filter: "object.metadata.name matches \"^web-\d+\""`, `8:13: not YAML: the value of filter has \d in double quotes, where YAML knows no such escape; put it in single quotes, and two backslashes where a regular expression has one, as in filter: 'object.metadata.name matches "^web-\\d+"'`},
	{`listener|filter: {{ .status.phase }} == "Running"`, `8:13: not YAML: the value of filter begins with {{, and an expression is no template; write fields without braces, and join them with texts in quotes by +, as in filter: 'object.status.phase == "Running"'`},
	{`listener|filter: {{ if .status.phase }} == "Running"`, `as in filter: 'object.metadata.name == "web"'`},
	{`rules|{name: r, deny: "true", message: {{ .metadata.name }} in {{ $.kind }} now}`, `as in message: 'object.metadata.name + " in " + object.kind + " now"'`},
	{`listener|filter: 'add' == op && true`, inQuote + `filter: '''add'' == op && true'`},
	{`listener|filter: label("app") == "a: b"`,
		`8:13: not YAML: the value of filter has ": " in it, which YAML takes for another field; ` +
			inQuote + `filter: 'label("app") == "a: b"'`},
	{`listener|filter: object.x ? true : false`, `which YAML takes for another field; ` + inQuote +
		`filter: 'object.x ? true : false'`},
	{`listener|filter: [1, 2] == object.spec.x`, `begins with a bracket and goes on behind it; ` +
		inQuote + `filter: '[1, 2] == object.spec.x'`},
	{`listener|filter: @x`, `8:13: not YAML: the value of filter begins with @, which means something else in YAML`},
	{`listener|filter: %x`, `begins with %, which means something else in YAML`},
	{"listener|filter: `x`", "begins with `, which means something else in YAML"},
	{`listener|filter: "op == 'add'`,
		`the quote that begins the value of filter is not closed on its line`},
	{`listener|filter: !initial`,
		`8:13: listeners.a.filter begins with !, which is a tag in YAML; put the expression in quotes: '!initial'`},
	{`listener|filter: !(op == "add")`, `put the expression in quotes: '!(op == "add")'`},
	{`listener|select: !object.spec.x && true`,
		`the value of select begins with !, which means something else in YAML; put all of it in single quotes, as in select: '!object.spec.x && true'`},
	{`rules|{name: r, deny: any(object.spec.containers, .image == "x"), severity: high}`,
		`listeners.a.rules[0].deny ends at the comma, which in {…} begins another field; put it in quotes: deny: 'any(object.spec.containers, .image == "x")'`},
	{`rules|{name: r, deny: label("app") in ["x", "y"], severity: low}`,
		`9:25: not YAML: the value of deny has brackets or commas, which end it within {…}; ` + inQuote + `deny: 'label("app") in ["x", "y"]'`},
	{`rules|{name: r, deny: object.metadata.labels["app"] == nil}`, `which end it within {…}; ` +
		inQuote + `deny: 'object.metadata.labels["app"] == nil'`},
	{`rules|{name: r, deny: "true", message: "a" + object.metadata.name}`,
		`the value of message begins with a quote and goes on behind it`},
	{`listener|filter: any(object.spec.containers, # > 3)`,
		`YAML takes " #" for the beginning of a comment, so the value ends there: put the expression in quotes`},
	{`listener|filter: object.metadata.name == "a #b"`,
		`has no closing quote; YAML takes " #" for the beginning of a comment`},
	{"listener|filter: op == \"add\" &&\n\top == \"x\"",
		`a tab in the indentation; YAML wants spaces there`},
	{"listener|workers: 2\nworkers: 3",
		`9:5: listeners.a.workers is defined twice, first on line 8`},
	{"end|---\napiVersion: v1\n",
		`a second document begins here; a configuration is one document: remove the ---, and put what follows into the first one or another file`},

	// values
	{`listener|on: [created]`, `is "created"; write add`},
	{`listener|on: [MODIFIED, Deleted]`, `is "MODIFIED"; write update`},
	{`listener|on: add`, `must be a list, is the string "add"; write [add]`},
	{`rule|deny: "true"` + "\nseverity: warning", `is "warning"; write medium`},
	{`rule|deny: "true"` + "\nseverity: error", `is "error"; write high`},
	{`rule|deny: "true"` + "\nseverity: Critical", `did you mean "critical"?`},
	{`rule|deny: "true"` + "\nfor: 10",
		`has no unit, is the number 10; write a number and a unit (d, h, m, s, ms), as in 10s`},
	{`rule|deny: "true"` + "\nfor: 1w",
		`must be a duration, is "1w"; write 7d`},
	{`listener|resync: 5 minutes`, `must be a duration, is "5 minutes"; write 5m`},
	{`listener|resync: 5min`, `must be a duration`},
	{`listener|workers: "4"`, `must be a whole number, is the string "4"`},
	{`listener|buffer: {overflow: wait}`, `is "wait"; write block`},
	{`listener|buffer: 100`, `listeners.a.buffer must be a mapping, is the number 100`},
	{`outputs|out:` + "\n    stdout:", `outputs.out.stdout has no value; write {}`},
	{`outputs|out:`, `outputs.out has no value; write {stdout: {}}`},
	{`outputs|out: stdout`, `outputs.out must be a mapping, is the string "stdout"; write {stdout: {}}`},
	{`outputs|out: {webhook: {url: x}}`,
		`outputs.out.webhook.url must be a URL that begins with https://; write it as https://hooks.example.com/x`},
	{`outputs|out: {webhook: https://hooks.example.com/x}`,
		`outputs.out.webhook must be a mapping, is the string "https://hooks.example.com/x"; write {url: https://hooks.example.com/x}`},
	{`outputs|out: {kafka: {}}`,
		`outputs.out.kafka has no brokers; add brokers, as in [kafka:9092]`},
	{`outputs|out: {slack: {}, stdout: {}}`,
		`outputs.out has both stdout and slack; keep one of them`},
	{`outputs|out: {http: {url: https://hooks.example.com/x}}`,
		`unknown field "http" in outputs.out; write webhook: {url: …}`},
	{`outputs|out: {stdot: {}}`, `unknown field "stdot" in outputs.out; did you mean "stdout"?`},
	{`informers|pods:`, `informers.pods has no value; write {resource: pods}`},
	{`informers|pods: pods`, `informers.pods must be a mapping, is the string "pods"; write {resource: pods}`},
	{`informers|pods: {resource: apps/v1/deployments}`,
		`must be a resource name, is "apps/v1/deployments"`},
	{`informers|pods: {kind: Pod}`, `unknown field "kind" in informers.pods`},
	{`informers|pods: {resource: pods, namespace: shop}`, `did you mean "namespaces"?`},
	{`informers|pods: {resource: pods, namespaces: shop}`, `must be a list, is the string "shop"`},
	{`informers|pods: {resource: secrets}`, `add allowSecrets: true`},
	{`informers|pods: {resource: pods, labelSelector: {app: web}}`,
		`must be a string, is a mapping`},
	{`all|apiVersion: v1` + "\nkind: Pod\n", `apiVersion must be informerd.dev/v1alpha1, is "v1"`},
	{`all|# nothing` + "\n", `the configuration is empty`},
	{`all|[]`, `must be a mapping, is a list`},

	// expressions
	{`listener|filter: object.metadata.name == null`, `unknown name "null"; write nil`},
	{`listener|filter: status.phase == "x"`, `unknown name "status"; write object.status`},
	{`listener|filter: $.status.phase == "x"`, `unknown name "$"; write object`},
	{`listener|filter: .status.phase == "x"`, `a field needs object or old before it`},
	{`listener|filter: object.metadata.labels.app.kubernetes.io/name == "x"`,
		`write label("app.kubernetes.io/name")`},
	{`listener|filter: object.metadata.labels.app.kubernetes == "x"`,
		`write label("app.kubernetes")`},
	{`listener|filter: age() > 10m`,
		`10m is not a number; an amount with a unit needs quotes: write "10m"`},
	{`listener|filter: age() > 7d`, `write "7d"`},
	{`listener|filter: quantity(object.spec.overhead.cpu) > 4Gi`, `write "4Gi"`},
	{`listener|filter: has(object.spec.nodeName)`, `write object.spec.nodeName != nil`},
	{`listener|filter: size(object.spec.containers) > 3`, `write len(object.spec.containers)`},
	{`listener|filter: object.spec.containers.exists(c, c.name == "a")`,
		`write any(object.spec.containers, .name == "a")`},
	{`listener|filter: object.metadata.name.startsWith("a")`,
		`write object.metadata.name startsWith "a"`},
	{`listener|filter: contains(object.metadata.name, "b")`,
		`write object.metadata.name contains "b"`},
	{`listener|filter: startsWith(object.metadata.name, "b")`,
		`write object.metadata.name startsWith "b"`},
	{`listener|filter: op == "add" AND initial`, `unexpected "AND"; write and`},
	{`listener|filter: object.metadata.name =~ "a.*"`, `unexpected =~; write matches`},
	{`listener|filter: op == add`, `op is a text: write "add"`},
	{`listener|filter: op == "created"`, `op is never "created"; write "add"`},
	{`listener|filter: oldObject.spec == object.spec`, `unknown name "oldObject"; write old`},
	{`listener|filter: 'changed("spec.containers[*].image")'`,
		`write op == "update" && map(object.spec.containers, .image) != map(old.spec.containers, .image)`},
	{`listener|filter: 'changed("object.spec")'`, `write changed("spec")`},
	{`listener|filter: object.spec.containers.image == "x"`,
		`ask with any(object.spec.containers, .image == "x")`},
	{`listener|filter: object.spec.contaners == nil`, `did you mean containers?`},
	{`listener|filter: op = "add"`, `unexpected =; write == to compare`},
	{`listener|filter: '(op == "add"'`, `a '(' is not closed`},
	{`listener|filter: object.metadata.name`, `a filter must return true or false`},
	{`listener|filter: ""`, `listeners.a.filter is empty`},
	{`listener|select: op == "add"`,
		`a select looks at the object alone: it has no op; ask for that in the filter`},
	{`rule|deny: changed("spec")`, `a rule looks at the object alone: it has no changed`},
	{`rule|deny: object.spec.hostNetwork = true`, `unexpected =; write == to compare`},

	// a kubeconfig that is not there
	{`end|cluster: {kubeconfig: $HOME/.kube/config}`,
		`:11:23: cluster.kubeconfig: "$HOME/.kube/config" cannot be read: no such file or directory; variables are not expanded; write "~/.kube/config"`},
	{`end|cluster: {kubeconfig: "${HOME}/.kube/config"}`,
		`; variables are not expanded; write "~/.kube/config"`},
	{`end|cluster: {kubeconfig: $KUBECONFIG}`,
		`; variables are not expanded; write the path, or pass it with --kubeconfig`},
	{`end|cluster: {kubeconfig: kube/none}`,
		`"kube/none" cannot be read: no such file or directory; it counts from the folder of this configuration`},
	{`end|cluster: {kubeconfig: /none/kubeconfig}`,
		`cannot be read: no such file or directory; name another file, or remove it to use $KUBECONFIG or ~/.kube/config`},
	{`end|cluster: {kubeconfig: "~/no such\nkubeconfig"}`,
		`"~/no such\nkubeconfig" cannot be read: no such file or directory; name another file`},
	{`end|cluster: {kubeconfig: /}`, `cluster.kubeconfig: "/" cannot be read: it is a folder`},

	// names
	{`listener|fliter: "true"`, `did you mean "filter"?`},
	{`listener|outputs: [ot]`, `listeners.a.outputs is defined twice`},
	{`listener|retry: {attempt: 3}`, `did you mean "attempts"?`},
	{`listener|handler: {}`, `listeners.a.handler has no wasm; add wasm, the path of the module`},
	{`listener|handler: {wasm: nothing.wasm}`, `cannot read the handler`},
	{`listener|handler: {wasm: $HOME/x.wasm}`,
		`handler.wasm must not have a variable in it, is "$HOME/x.wasm"; paths are taken as they are`},
	{`listener|handler: {wasm: ~/x.wasm}`,
		`handler.wasm must not begin with ~, is "~/x.wasm"; paths are taken as they are: write it out in full, or relative`},
	{`outputs|stdout:`, `outputs.stdout has no value; write {stdout: {}}`},
	{`outputs|out: {stdout: json}`,
		`outputs.out.stdout must be a mapping, is the string "json"; write {}: it takes no settings, each event is a line of JSON`},
	{`outputs|out: {stdout: {format: json}}`,
		`unknown field "format" in outputs.out.stdout; write {}: it takes no settings`},
	{`listener|handler: x.wasm`,
		`must be a mapping, is the string "x.wasm"; write {wasm: x.wasm}`},
	{`listener|filter: cached("pod", "a", "b") != nil`, `"pods"`},
}

func TestWrongConfigurations(t *testing.T) {
	for _, c := range wrongConfigurations {
		text := placed(c.text)
		var stdout, stderr bytes.Buffer
		code := execute([]string{"validate", "-"}, strings.NewReader(text), &stdout, &stderr)
		if got := stderr.String(); code != exitConfig || !strings.Contains(got, c.want) {
			t.Errorf("%s\nexit %d\n%s\nwant %s", c.text, code, got, c.want)
		}
		checkForm(t, c.text, stderr.String())
	}
}

var placeFirst = regexp.MustCompile(`^(<stdin>|[\w./-]+\.yaml):(\d+:\d+:)? \S`)

// checkForm holds messages to the form that editors and people read: a place first, then one line;
// snippets are indented.
func checkForm(t interface {
	Errorf(format string, args ...any)
	Helper()
}, name, messages string) {
	t.Helper()
	for line := range strings.Lines(messages) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "  "):
		case !placeFirst.MatchString(line):
			t.Errorf("%s: no place: %q", name, line)
		}
	}
	for _, raw := range []string{"unexpected token", "yaml: ", "a identifier",
		"here a second time", "hardly be meant", "%!", "cannot be compiled"} {
		if strings.Contains(messages, raw) {
			t.Errorf("%s: %q in\n%s", name, raw, messages)
		}
	}
}

// What all of these do is right.
func TestRightConfigurations(t *testing.T) {
	for _, text := range []string{
		"end|---\n", "end|---\n---\n# nothing\n", "end|...\n", `listener|resync: 1d`,
		`rule|deny: "true"` + "\nfor: 7d\nrepeat: 1d12h", `listener|filter: "!initial"`,
		`listener|filter: op == "add" # as they come`,
		`rules|{name: r, deny: 'any(object.spec.containers, .image == "x")', severity: high}`,
		`listener|filter: 'age() > "7d"'`,
	} {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"validate", "-", "--strict"}, strings.NewReader(placed(text)),
			&stdout, &stderr)
		if code != exitOK || stderr.Len() > 0 ||
			stdout.String() != "<stdin> is valid: 1 listener, 1 output\n" {
			t.Errorf("%s\nexit %d\n%s%s", text, code, stderr.String(), stdout.String())
		}
	}
}

// A comment that reads as the rest of an expression is a warning.
func TestAnExpressionInAComment(t *testing.T) {
	for text, want := range map[string]bool{
		`listener|filter: object.metadata.name != "a" # && op == "add"`: true,
		`listener|filter: object.metadata.name != "a" #|| initial`:      true,
		`listener|filter: object.metadata.name != "a" # the usual`:      false,
	} {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"validate", "-"}, strings.NewReader(placed(text)), &stdout,
			&stderr)
		if got := strings.Contains(stderr.String(),
			`<stdin>:8:13: warning: listeners.a.filter ends before " #", where YAML begins a comment`); code != exitOK || got != want {
			t.Errorf("%s: exit %d: %s", text, code, stderr.String())
		}
	}
}

// What nobody uses is a warning, and a mistake with --strict. It is used by a listener, an
// expression or a handler's grant.
func TestUnused(t *testing.T) {
	const (
		noNodes   = "<stdin>:6:5: warning: informers.nodes is not used: no listener refers to it, and no expression or handler looks objects up in it; remove it, or name it as the informer of a listener\n"
		noError   = "<stdin>:12:9: warning: outputs.error is not used: no listener sends anything to it; remove it, or name it in the outputs of a listener\n"
		noOn      = "<stdin>:8:9: warning: listeners.a.on has no effect: rules look at an object whatever happens to it, and without a filter or a handler this listener sends nothing else; remove it; filter: \"true\" would send the events, too\n"
		twoAround = "  pods: {resource: pods}\n"
	)
	for _, c := range []struct{ from, to, want string }{
		{twoAround, twoAround + "  nodes:\n    resource: nodes\n", noNodes},
		{"    informer: pods\n", "    informer: {resource: pods}\n",
			strings.Replace(strings.Replace(noNodes, "6:5", "4:9", 1), "nodes", "pods", 1)},
		{inOutput, inOutput + "  error: {stdout: {}}\n",
			strings.Replace(noError, "12:9", "11:10", 1)},
		{inListener, inListener + `    filter: cached("nodes", "", object.spec.nodeName) == nil` +
			"\n", ""},
		{inListener, inListener +
			"    rules: [{name: r, deny: 'byIndex(\"nodes\", \"namespace\", \"x\") == nil'}]\n",
			""},
		{inListener, inListener + "    on: [add]\n    rules: [{name: r, deny: object.spec.hostNetwork == true}]\n",
			noOn},
		{inListener, inListener + "    on: [add]\n    filter: initial\n" +
			"    rules: [{name: r, deny: 'byIndex(\"nodes\", \"namespace\", \"x\") == nil'}]\n",
			""},
		{inListener, inListener + "    on: [delete, update, add]\n" +
			"    rules: [{name: r, deny: 'byIndex(\"nodes\", \"namespace\", \"x\") == nil'}]\n",
			""},
	} {
		text := strings.Replace(around, c.from, c.to, 1)
		if c.want == "" {
			text = strings.Replace(text, twoAround, twoAround+"  nodes: {resource: nodes}\n", 1)
		}
		for _, strict := range []bool{false, true} {
			args, want, wantCode := []string{"validate", "-"}, "<stdin> is valid: 1 listener, ",
				exitOK
			if strict {
				args = append(args, "--strict")
				if c.want != "" {
					want, wantCode = "<stdin> has 1 warning\n", exitConfig
				}
			}
			var stdout, stderr bytes.Buffer
			code := execute(args, strings.NewReader(text), &stdout, &stderr)
			if code != wantCode || stderr.String() != c.want ||
				!strings.HasPrefix(stdout.String(), want) {
				t.Errorf("%v %s\nexit %d\n%s%s\nwant %s", args, text, code, stderr.String(),
					stdout.String(), c.want)
			}
		}
	}
}

// Mistakes of the text, of values and of expressions are reported together.
func TestMistakesOfAllPhasesTogether(t *testing.T) {
	text := strings.Replace(placed(
		"listener|fliter: x\nselect: object.metdata.name == null || object.spce == 1\nworkers: 0\nhandler: {wasm: nothing.wasm}"), "stdout: {}", "stdot: {}", 1) + "policies: [{files: none/*.yaml, outputs: [out]}]\ncluster: {kubeconfig: /none/kubeconfig}\n"
	var stdout, stderr bytes.Buffer
	code := execute([]string{"validate", "-"}, strings.NewReader(text), &stdout, &stderr)
	for _, want := range []string{`8:5: unknown field "fliter"`,
		`9:20: listener "a": there is no field metdata`, `write nil`, `there is no field spce`,
		`workers must be 1 to 64`, `cannot read the handler`, `"stdot"`, "cluster.kubeconfig",
		`policies[0].files matches no file`} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("exit %d, no %s in\n%s", code, want, stderr.String())
		}
	}
}

// A folder in place of a handler is reported next to mistakes of the text.
func TestAFolderIsNoHandler(t *testing.T) {
	text := placed("listener|fliter: x\nhandler: {wasm: /}")
	var stdout, stderr bytes.Buffer
	code := execute([]string{"validate", "-"}, strings.NewReader(text), &stdout, &stderr)
	if code != exitConfig || !strings.Contains(stderr.String(), `unknown field "fliter"`) ||
		!strings.Contains(stderr.String(), "cannot read the handler: / is not a regular file") {
		t.Errorf("exit %d\n%s", code, stderr.String())
	}
}
