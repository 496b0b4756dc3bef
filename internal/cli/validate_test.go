package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bare removes the variables that the configurations of the repository name, for the time of the
// test.
func bare(t *testing.T) {
	t.Helper()
	for _, name := range []string{"SLACK_URL", "WEBHOOK_KEY", "KAFKA_PASSWORD"} {
		t.Setenv(name, "") // restores it
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

// All configurations of the repository are good where their secrets are not, as in CI.
func TestConfigsAreStrictlyValidWithoutSecrets(t *testing.T) {
	bare(t)
	paths, err := filepath.Glob("../../configs/*.yaml")
	if err != nil || len(paths) < 7 {
		t.Fatal(paths, err)
	}
	var stdout, stderr bytes.Buffer
	args := append([]string{"validate", "--strict"}, paths...)
	if code := Main(args, &stdout, &stderr); code != exitOK ||
		strings.Contains(stderr.String(), "warning") ||
		!strings.Contains(stderr.String(), "slack.yaml:26:28: note: outputs.chat.slack.url.fromEnv: the environment variable SLACK_URL is not set, or empty\n") {
		t.Errorf("exit %d\n%s%s", code, &stdout, &stderr)
	}
}

// What this machine does not have is a note; what is there and wrong is a warning.
func TestValidateNotesWhatIsNotHere(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"empty": "", "bad-url": "ftp://x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("NOT_SET", "")
	for output, want := range map[string]string{
		"slack: {url: {fromEnv: NOT_SET}}":                                         "note: outputs.out.slack.url.fromEnv: the environment variable NOT_SET is not set",
		"slack: {url: {fromFile: none}}":                                           "note: outputs.out.slack.url.fromFile: the file FOLDER/none cannot be read: no such file",
		"file: {path: none/x.jsonl}":                                               "note: outputs.out.file.path: the folder FOLDER/none cannot be read: no such file or directory; create it",
		"webhook: {url: https://a.b, tls: {caFile: none}}":                         "note: outputs.out.webhook.tls: the file FOLDER/none cannot be read",
		"slack: {url: {fromFile: empty}}":                                          "warning: outputs.out.slack.url.fromFile: the file FOLDER/empty is empty",
		"slack: {url: {fromFile: bad-url}}":                                        "warning: outputs.out.slack.url.fromFile: the value must be a URL that begins with https://",
		"stdout: {}}\nhttp: {address: 127.0.0.1:0, tls: {certFile: a, keyFile: b}": "note: http.tls: the file FOLDER/a cannot be read",
	} {
		path := filepath.Join(folder, "c.yaml")
		if err := os.WriteFile(path, []byte("apiVersion: informerd.dev/v1alpha1\nkind: Config\nstate: {dir: .}\n"+
			"listeners: {a: {informer: {resource: pods}, outputs: [out]}}\noutputs:\n  out: {"+
			output+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := Main([]string{"validate", "--strict", path}, &stdout, &stderr)
		note := strings.HasPrefix(want, "note")
		if (code == exitOK) != note || code != exitOK && code != exitConfig ||
			!strings.Contains(stderr.String(), strings.ReplaceAll(want, "FOLDER", folder)) {
			t.Errorf("%s: exit %d\n%s%s\nwant %s", output, code, &stdout, &stderr, want)
		}
	}
}

// What an API server would refuse is known of the common kinds without one.
func TestValidateWarnsOfInformersWithoutACluster(t *testing.T) {
	const mayBe = "; did you mean \"deployments\"? If not, validate --cluster asks the API server\n"
	for listeners, want := range map[string]string{
		"a: {informer: {resource: deploymnts}, outputs: [out]}": "<stdin>:4:38: warning: informerd knows no resource deploymnts" + mayBe,
		"a: {informer: {resource: deploymnts}, outputs: [out]}, b: {informer: {resource: deploymnts}, filter: object.spec.x == 1, outputs: [out]}": "<stdin>:4:38: warning: informerd knows no resource deploymnts" + mayBe,
		"a: {informer: {resource: nodes, namespaces: [shop]}, outputs: [out]}":                                                                     "<stdin>:4:57: warning: listeners.a.informer.namespaces: nodes belong to the whole cluster and cannot be limited to namespaces\n",
		"a: {informer: {resource: clusterrole, namespaces: [shop]}, outputs: [out]}":                                                               "listeners.a.informer.namespaces: clusterroles belong to the whole cluster",
		"a: {informer: {resource: persistentvolumes.v1, namespaces: [shop]}, outputs: [out]}":                                                      "persistentvolumes belong to the whole cluster",
		"a: {informer: {resource: pods, fieldSelector: status.phase=Runing}, outputs: [out]}":                                                      "<stdin>:4:59: warning: listeners.a.informer.fieldSelector: status.phase is never",
		"a: {informer: {resource: pods, drop: [status, spec.nodename]}, outputs: [out]}":                                                           "<stdin>:4:59: warning: listeners.a.informer.drop[1]: pods have no field spec.nodename; did you mean spec.nodeName?\n",

		"a: {informer: {resource: certificates}, outputs: [out]}":                            "",
		"a: {informer: {resource: deployments.apps, namespaces: [shop]}, outputs: [out]}":    "",
		"a: {informer: {resource: nodes.metrics.k8s.io}, outputs: [out]}":                    "",
		"a: {informer: {resource: widgets.example.com, namespaces: [shop]}, outputs: [out]}": "",
	} {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"validate", "-", "--strict"}, strings.NewReader(
			"apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {stdout: {}}}\nlisteners: {"+
				listeners+"}\n"), &stdout, &stderr)
		if (code == exitOK) != (want == "") || !strings.Contains(stderr.String(), want) ||
			strings.Count(stderr.String(), "warning: ") > 1 {
			t.Errorf("%s: exit %d\n%s%s\nwant %s", listeners, code, &stdout, &stderr, want)
		}
	}
}

// Warnings are an exit code if that is asked for, and findings are JSON for machines.
func TestValidateForMachines(t *testing.T) {
	suspicious := placed(`listener|filter: object.spec.nodeName != old.spec.nodeName`)
	for _, c := range []struct {
		text, args string
		code       int
		stdout     string
	}{
		{suspicious, "", exitOK, "<stdin> is valid: 1 listener, 1 output\n"},
		{suspicious, "--strict", exitConfig, "<stdin> has 1 warning\n"},
		{suspicious, "-o json", exitOK,
			`{"file":"<stdin>","valid":true,"listeners":1,"outputs":1,"findings":[{"severity":"warning","file":"<stdin>","line":8,"column":34,"field":"listeners.a.filter",`},
		{suspicious, "--strict -o json", exitConfig, `"valid":false,`},
		{placed("listener|workers: 0"), "-o json", exitConfig,
			`"findings":[{"severity":"error","file":"<stdin>","line":8,"column":14,"field":"listeners.a.workers","message":"listeners.a.workers must be 1 to 64, is 0"}]`},
		{strings.Replace(placed("listener|filter: object.spec == 1"), "resource: pods",
			"resource: widgets.example.com", 1), "-o json", exitOK, `"severity":"note"`},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(strings.Fields("validate - "+c.args), strings.NewReader(c.text), &stdout,
			&stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) ||
			strings.Contains(c.args, "json") && stderr.Len() > 0 {
			t.Errorf("%s: exit %d\n%s%s\nwant %s", c.args, code, stdout.String(), stderr.String(),
				c.stdout)
		}
	}
}

func TestValidateAPolicyAlone(t *testing.T) {
	policy := "apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: %\nrules: [{name: r, deny: object.spec.hostNetwrok}]\n"
	for informer, want := range map[string]string{
		"{resource: pods}": `<stdin>:4:37: listener "stdin": rule "r": there is no field hostNetwrok in object.spec; did you mean hostNetwork?`,
		"pods":             `<stdin>:3:11: informer: unknown informer "pods"; there are no informers`,
	} {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"validate", "-"},
			strings.NewReader(strings.Replace(policy, "%", informer, 1)), &stdout, &stderr)
		if code != exitConfig || !strings.Contains(stderr.String(), want) {
			t.Errorf("exit %d\n%s", code, stderr.String())
		}
		code = execute([]string{"run", "-"},
			strings.NewReader(strings.Replace(policy, "%", informer, 1)), &stdout, &stderr)
		if code != exitConfig ||
			!strings.Contains(stderr.String(), `kind must be Config, is "Policy"`) {
			t.Errorf("exit %d\n%s", code, stderr.String())
		}
	}
}
