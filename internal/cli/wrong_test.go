package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
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

// wrongPath has what people write, a line that is a Go string, each with what validate prints.
const wrongPath = "testdata/wrong.txt"

// wrongConfigurations returns that file, and what people write.
func wrongConfigurations(t testing.TB) (known string, texts []string) {
	file, err := os.ReadFile(wrongPath)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		if !strings.HasPrefix(line, `"`) {
			continue
		}
		text, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		texts = append(texts, text)
	}
	return string(file), texts
}

func TestWrongConfigurations(t *testing.T) {
	known, texts := wrongConfigurations(t)
	var now strings.Builder
	for _, text := range texts {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"validate", "-"}, strings.NewReader(placed(text)), &stdout, &stderr)
		if code != exitConfig {
			t.Errorf("%s\nexit %d\n%s", text, code, stderr.String())
		}
		checkForm(t, text, stderr.String())
		fmt.Fprintf(&now, "%q\n%s\n", text, stderr.String())
	}
	if *update {
		if err := os.WriteFile(wrongPath, []byte(now.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if now.String() != known {
		t.Errorf("go test ./internal/cli -run TestWrongConfigurations -update changes %s", wrongPath)
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
		noNodes   = "<stdin>:6:5: warning: informers.nodes is not used: no listener refers to it or looks objects up in it\n"
		noError   = "<stdin>:12:9: warning: outputs.error is not used: no listener sends anything to it\n"
		noOn      = "<stdin>:8:9: warning: listeners.a.on has no effect: without a filter or a handler, only reports of rules are sent\n"
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
		`9:20: listener "a": there is no field metdata`, `unknown name "null"`, `there is no field spce`,
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
