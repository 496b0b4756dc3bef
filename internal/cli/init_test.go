package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/starter"
)

// unknownNote is what is said of resources that init does not know.
var unknownNote = regexp.MustCompile(`note: --from: informerd knows no resource (a-b+|crash-loop); .*\n`)

// Whatever init is asked for, validate --strict accepts what it writes.
func TestInitIsValid(t *testing.T) {
	t.Setenv("SLACK_URL", "https://hooks.slack.com/services/x")
	t.Setenv("WEBHOOK_URL", "https://hooks.example.com/x")
	dir := t.TempDir()
	file := filepath.Join(dir, "informerd.yaml")
	for _, name := range []string{"d", "E.F"} { // what addresses name
		if err := os.WriteFile(filepath.Join(dir, name), []byte("https://a.example.com"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	valid := func(fatal func(string, ...any), args ...string) {
		var stdout, stderr bytes.Buffer
		code := Main(append([]string{"init", "--force", file}, args...), &stdout, &stderr)
		said := unknownNote.ReplaceAllString(stderr.String(), "")
		if code != exitOK || said != "" {
			if strings.HasPrefix(said, "informerd: --alert: nothing would go to ") ||
				strings.HasPrefix(said, "informerd: --namespace: listener ") &&
					strings.Contains(said, `namespace not in ["kube-system"]`) {
				return
			}
			fatal("init %q: exit code %d\n%s", args, code, said)
		}
		stderr.Reset()
		if code := Main([]string{"validate", "--strict", file}, &stdout, &stderr); code != exitOK {
			text, _ := os.ReadFile(file)
			fatal("init %q: exit code %d\n%s%s", args, code, stderr.String(), text)
		}
	}
	resources := append(starter.Resources(), "foos.example.com", "foos.v1.example.com",
		"events.example.com", "secrets.v1", "pods.v1", "deploy", "a-"+strings.Repeat("b", 61),
		"pods", "crash-loop")
	lists := map[string][]string{"from": resources, "policy": starter.Policies(),
		"about": starter.Subjects, "alert": append(starter.Kinds(), "file=a b: #c", "slack=./d",
			"slack=E.F", "webhook=https://a.example.com/b", "alertmanager=http://am:9093"),
		"namespace": {"shop", "kube-system"}, "state-dir": {"state", "/var/lib/informerd", "a b: #c",
			"true", "1"}}
	valid(t.Fatalf)
	valid(t.Fatalf, "--from", strings.Join(resources, ","), "--policy",
		strings.Join(starter.Policies(), ","), "--about", "problems,changes", "--alert",
		strings.Join(starter.Kinds(), ","))
	for _, subject := range starter.Subjects {
		valid(t.Fatalf, "--from", strings.Join(resources, ","), "--about", subject, "-n", "shop")
	}
	rapid.Check(t, func(t *rapid.T) {
		var args []string
		for _, flag := range []string{"from", "policy", "about", "alert", "namespace"} {
			some := rapid.SliceOfN(rapid.SampledFrom(lists[flag]), 0, 4)
			for _, item := range some.Draw(t, flag) {
				args = append(args, "--"+flag, item)
			}
		}
		if rapid.Bool().Draw(t, "a folder") {
			args = append(args, "--state-dir",
				rapid.SampledFrom(lists["state-dir"]).Draw(t, "the folder"))
		}
		valid(t.Fatalf, args...)
	})
}

// Files that exist are kept, and what is wrong with a flag is said of the flag.
func TestInitCommand(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("old.yaml", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere.yaml", "link.yaml"); err != nil {
		t.Fatal(err)
	}
	const hint = "\nRun \"informerd init --help\" for its usage.\n"
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"init", exitOK, "informerd.yaml is written: 2 listeners, 1 output. Next:\n" +
			"  informerd validate informerd.yaml --cluster\n  informerd run informerd.yaml\n", ""},
		{"init", exitUsage, "", "informerd: informerd.yaml exists: --force overwrites it" + hint},
		{"init old.yaml --from x.example.com", exitUsage, "",
			"informerd: old.yaml exists: --force overwrites it" + hint},
		{"init link.yaml", exitUsage, "", "informerd: link.yaml exists: --force overwrites it" +
			hint},
		{"init .", exitUsage, "", "informerd: . is a folder: name the file" + hint},
		{"init . --force", exitUsage, "", "informerd: . is a folder: name the file" + hint},
		{"init none/a.yaml", exitRun, "", "informerd: the configuration cannot be written: open" +
			" none/a.yaml: no such file or directory\n"},
		{"init a b", exitUsage, "", `informerd: informerd init takes one file, found "b" as well` +
			hint},
		{"init a --stdout", exitUsage, "",
			"informerd: --stdout and the file a exclude each other" + hint},
		{"init a_'b.yaml --alert slack=A,webhook=B,slack=A --from pod", exitOK,
			"a 'b.yaml is written: 1 listener, 2 outputs. Next:\n  export A=…\n  export B=…\n" +
				`  informerd validate 'a '\''b.yaml' --cluster` + "\n" +
				`  informerd run 'a '\''b.yaml'` + "\n", ""},
		{"init --force old.yaml --from node", exitOK, "old.yaml is written: 1 listener, 1 output." +
			" Next:\n  informerd validate old.yaml --cluster\n  informerd run old.yaml\n", ""},
		{"init unknown.yaml --from pod,foo,foos.example.com,lease", exitOK,
			"unknown.yaml is written: 4 listeners, 1 output. Next:\n  informerd validate" +
				" unknown.yaml --cluster\n  informerd run unknown.yaml\n",
			"note: --from: informerd knows no resource foo; name a custom resource with its group, as" +
				" in certificates.cert-manager.io, or have validate --cluster ask the API server\n"},
		{"init new.yaml --from podz,podz", exitUsage, "",
			"informerd: --from: there is no such resource; did you mean \"pods\"?\n"},
		{"init new.yaml --from a_b", exitUsage, "", "informerd: --from: resource must be" +
			` the name of one resource, is "a b"; an informer watches one resource: write an` +
			` informer and a listener for each, as in listeners: {a: {informer: {resource: a},` +
			" outputs: […]}, b: {informer: {resource: b}, outputs: […]}}\n"},
		{"init new.yaml -n A --from pods,nodes,jobs", exitUsage, "", "informerd: --namespace:" +
			` namespaces must be the name of a namespace, is "A"; use at most 63 lower-case` +
			` letters, digits and "-", with a letter or digit at both ends` + "\n"},
		{"init new.yaml --alert kafka=x", exitUsage, "", "informerd: --alert: brokers must be a" +
			` host and a port, is "x"; write it as kafka:9092` + "\n"},
		{"init new.yaml --alert webhook=https://a:SECRET@b.example", exitUsage, "", "informerd:" +
			" --alert: url must not have a user name; put the credential into headers, as in" +
			" headers: {Authorization: {fromEnv: NAME}}\n"},
		{"init new.yaml --about all", exitUsage, "", `informerd: --about: unknown subject "all";` +
			" it is problems or changes" + hint},
		{"init new.yaml --policy crashloop", exitUsage, "", `informerd: --policy: unknown policy` +
			` "crashloop"; did you mean crash-loop?` + hint},
		{"init new.yaml --from=", exitUsage, "", "informerd: --from is empty" + hint},
		{"init new.yaml --state-dir=", exitUsage, "", "informerd: --state-dir is empty" + hint},
	} {
		var stdout, stderr bytes.Buffer
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		code := Main(args, &stdout, &stderr)
		if code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: exit %d, stdout\n%s\nstderr\n%s\nwant %s%s", c.args, code,
				stdout.String(), stderr.String(), c.stdout, c.stderr)
		}
	}
	for _, name := range []string{"nowhere.yaml", "new.yaml", "state"} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	// What is printed is what would be written, and nothing is in its way.
	var printed, dash bytes.Buffer
	Main([]string{"init", "--stdout"}, &printed, &printed)
	Main([]string{"init", "-"}, &dash, &dash)
	written, err := os.ReadFile("informerd.yaml")
	if err != nil || printed.String() != string(written) || dash.String() != string(written) {
		t.Errorf("%v: written\n%sprinted\n%s", err, written, printed.String())
	}
}

// Without a configuration, the commands that need one say how to begin.
func TestBeginnings(t *testing.T) {
	t.Chdir(t.TempDir())
	for range 2 {
		_, err := os.Stat("informerd.yaml")
		for _, command := range []string{"run", "validate", "plan", "rbac", "dlq ls", "status"} {
			want := "informerd: --config is required\nTo begin without one:\n" +
				"  informerd init        write a configuration, with explanations\n" +
				"  informerd watch pods  show changes at once\n" +
				"The quick start is at https://github.com/informerd/informerd#try-it\n"
			if err == nil {
				want = "informerd: --config is required\ninformerd.yaml is in this folder; to use" +
					" it:\n  informerd " + command + " -c informerd.yaml\n"
			}
			want += "Run \"informerd " + command + " --help\" for its usage.\n"
			var stdout, stderr bytes.Buffer
			if code := Main(strings.Fields(command), &stdout, &stderr); code != exitUsage ||
				stdout.Len() > 0 || stderr.String() != want {
				t.Errorf("%s: exit code %d, %s\n got %s\nwant %s", command, code, stdout.String(),
					stderr.String(), want)
			}
		}
		Main([]string{"init"}, &bytes.Buffer{}, &bytes.Buffer{})
	}
}
