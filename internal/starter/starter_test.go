package starter

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/informer/event"
)

var update = flag.Bool("update", false, "write the expected files")

// A whole configuration, as people get it.
func TestText(t *testing.T) {
	w := Wishes{Resources: []string{"pods", "cm", "foos.example.com"}, Policies: []string{"pvc-lost"},
		About: Subjects, Namespaces: []string{"shop"},
		Alerts: []Alert{{Kind: "slack"}, {Kind: "file", Address: "all of them.jsonl"}}}
	got, err := w.Config()
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/informerd.yaml"
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the text differs from %s; go test -update writes it\n%s", golden, got)
	}
}

// Every resource that a cluster has is known, by names that no other has.
func TestResources(t *testing.T) {
	builtin, err := schema.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range builtin.Resources() {
		if !slices.Contains(Resources(), resource) {
			t.Errorf("%s is not known", resource)
		}
	}
	seen := map[string]string{}
	for _, known := range topics {
		for _, name := range append([]string{known.resource}, known.names...) {
			if seen[name] != "" {
				t.Errorf("%s is %s and %s", name, seen[name], known.resource)
			}
			seen[name] = known.resource
			if got := topicOf(strings.ToUpper(" " + name)).resource; got != known.resource {
				t.Errorf("%s is %s, not %s", name, got, known.resource)
			}
		}
	}
}

// Every output of a configuration is one that alerts can go to, but for patches.
func TestOutputs(t *testing.T) {
	var want []string
	kind := reflect.TypeFor[config.Output]()
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		if strings.Contains(kind.Field(i).Tag.Get("jsonschema"), "oneof_required=kind") &&
			name != "patch" {
			want = append(want, name)
		}
	}
	got := Kinds()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseAlert(t *testing.T) {
	for text, want := range map[string]string{
		"slack":             "slack ",
		" Slack = MY_URL ":  "slack MY_URL",
		"file=a=b":          "file a=b",
		"KUBERNETESEVENT":   "kubernetesEvent ",
		"slack=/run/url":    "slack /run/url",
		"slack=https://x.y": "--alert: the URL of slack is a secret: name the environment variable or the file that has it, as in slack=SLACK_URL",
		"stdout=x":          "--alert: stdout has no address",
		"file=":             "--alert: the address of file is empty",
		"slak":              `--alert: unknown output "slak"; did you mean slack?`,
		"": `--alert: unknown output ""; there are stdout, file, slack, webhook, alertmanager, ` +
			"kubernetesEvent, nats, kafka",
	} {
		a, err := ParseAlert(text)
		got := a.Kind + " " + a.Address
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

// Where an output is, or where that is said, and what has to be in the environment for it.
func TestAddresses(t *testing.T) {
	for _, c := range []struct{ alert, want string }{
		{"slack", "url:\n        fromEnv: SLACK_URL\n"},
		{"slack=url.txt", "url:\n        fromFile: url.txt\n"},
		{"webhook=secrets/url", "url:\n        fromFile: secrets/url\n"},
		{"webhook=https://hooks.example.com/in", "url: \"https://hooks.example.com/in\"\n"},
		{"alertmanager=AM", "url:\n        fromEnv: AM\n"},
		{"file=A", "path: A\n"},
		{"nats", "servers:\n        - \"nats://nats.nats.svc:4222\"\n      subject: "},
	} {
		a, err := ParseAlert(c.alert)
		if err != nil {
			t.Fatal(err)
		}
		w := Wishes{Alerts: []Alert{a, a}}
		text, err := w.Config()
		if err != nil || strings.Count(string(text), "      "+c.want) != 1 {
			t.Errorf("%s: %v, want %s in\n%s", c.alert, err, c.want, text)
		}
		if named := strings.Contains(c.want, "fromEnv"); named != (len(w.Variables()) == 1) {
			t.Errorf("%s needs %q", c.alert, w.Variables())
		}
	}
}

// Alertmanager gets no changes, and nobody gets Events about Events.
func TestWhatGoesWhere(t *testing.T) {
	w := Wishes{Resources: []string{"events", "configmaps", "pods"},
		Alerts: []Alert{{Kind: "alertmanager"}, {Kind: "kubernetesEvent"}}}
	listeners, alerts, err := w.settled()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, l := range listeners {
		got[l.name] = l.outputs
	}
	for _, a := range alerts {
		got["all"] = append(got["all"], a.name)
	}
	if want := map[string][]string{"events": {"stdout"}, "configmaps": {"event"},
		"pods": {"alertmanager", "event"}, "all": {"alertmanager", "event", "stdout"},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for kind, want := range map[string]string{
		"alertmanager": "--alert: nothing would go to alertmanager: it takes problems, and there" +
			" are only changes",
		"kubernetesEvent": "--alert: nothing would go to kubernetesEvent: Events about Events help" +
			" nobody",
	} {
		w := Wishes{Resources: []string{"events"}, Alerts: []Alert{{Kind: "stdout"}, {Kind: kind}}}
		if _, err := w.Config(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Listeners and outputs have names that are allowed, and each another one.
func TestNames(t *testing.T) {
	names := map[string]bool{}
	long := strings.Repeat("x", 70)
	for _, c := range []struct{ wish, want string }{
		{"pods", "pods"}, {"pods", "pods-2"}, {"pods", "pods-3"}, {"Pods.v1", "pods-v1"},
		{"…", "listener"}, {"-", "listener-2"},
		{long, long[:63]}, {long, long[:61] + "-2"},
	} {
		if got := freeName(c.wish, names); got != c.want {
			t.Errorf("%q: got %s, want %s", c.wish, got, c.want)
		}
	}
}

// Each rule is violated by an object, which its message describes, and not by an empty one.
func TestRules(t *testing.T) {
	builtin, err := schema.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range append(slices.Clone(troubled), topic{resource: "foos.example.com",
		rules: unknownTopic.rules}) {
		w := Wishes{Resources: []string{known.resource}}
		text, err := w.Config()
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Loading{Stdin: bytes.NewReader(text)}.Load("-")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		identity := identities[known.resource]
		if name, ok := builtin.Find(known.resource); ok {
			identity = `"kind": "` + name.Kind + `", "apiVersion": "` + strings.TrimPrefix(
				name.Group+"/v1", "/") + `"`
		}
		violations := func(object string) string {
			q := plan.Question{Op: event.Add, Object: plan.ObjectFile{Path: "object",
				JSON: []byte(`{` + identity + `, "metadata": {"name": "x", "namespace": "n"}, ` +
					object + `}`)}}
			var out strings.Builder
			for name := range cfg.Listeners {
				if err := plan.Explain(cfg, schemas, name, q, &out); err != nil {
					t.Fatalf("%s: %v", known.resource, err)
				}
			}
			return out.String()
		}
		if out := violations(cmp.Or(healthy[known.resource], `"status": {}`)); strings.Contains(out,
			"The object violates") {
			t.Errorf("%s: nothing is wrong, and yet\n%s", known.resource, out)
		}
		for _, r := range known.rules {
			key := known.resource + " " + r.name
			out := violations(unwanted[key].object)
			_, out, _ = strings.Cut(out, "rule "+r.name+" (")
			at := strings.Index(out, "The object violates the rule")
			line, _, _ := strings.Cut(out[max(at, 0):], "\n")
			if other := strings.Index(out, "does not violate"); at < 0 || other >= 0 && other < at ||
				!strings.HasSuffix(line, `: "`+unwanted[key].message+`"`) {
				t.Errorf("%s: want %q, got\n%s", key, unwanted[key].message, out)
			}
		}
	}
}

func checked(w *Wishes) func() error {
	return func() error { _, err := w.Config(); return err }
}

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		answers string
		wishes  Wishes // before
		want    Wishes
		says    []string
	}{
		{answers: "\n\n\n\n", want: Wishes{Resources: []string{"pods", "deployments"},
			About: []string{"problems"}, Alerts: []Alert{{Kind: "stdout"}}}},
		{answers: "pods, nodes\nboth\nslack,file webhook\n\nx.jsonl\nhttps://a.example/b\nshop,web\n",
			want: Wishes{Resources: []string{"pods", "nodes"}, About: Subjects,
				Alerts: []Alert{{Kind: "slack", Address: "SLACK_URL"},
					{Kind: "file", Address: "x.jsonl"},
					{Kind: "webhook", Address: "https://a.example/b"}},
				Namespaces: []string{"shop", "web"}},
			says: []string{"[SLACK_URL]: ", "[events.jsonl]: ", "[WEBHOOK_URL]: "}},
		{answers: "pods\nsome\nchanges\nslak\nslack\nhttps://hooks.slack.com/x\n./url\nALL\n",
			want: Wishes{Resources: []string{"pods"}, About: []string{"changes"},
				Alerts: []Alert{{Kind: "slack", Address: "./url"}}},
			says: []string{"  unknown subject \"some\"; it is problems or changes\n",
				"  unknown output \"slak\"; did you mean slack?\n",
				"  the URL of slack is a secret: name the environment variable"}},
		{answers: "events\n\nalertmanager\nstdout\n\n", want: Wishes{
			Resources: []string{"events"}, About: []string{"problems"},
			Alerts: []Alert{{Kind: "stdout"}}},
			says: []string{"  nothing would go to alertmanager: it takes problems"}},
		{answers: "\n", wishes: Wishes{Resources: []string{"pods"}, About: Subjects,
			Alerts: []Alert{{Kind: "stdout"}}}, want: Wishes{Resources: []string{"pods"},
			About: Subjects, Alerts: []Alert{{Kind: "stdout"}}}},
	} {
		var out strings.Builder
		err := Ask(strings.NewReader(c.answers), &out, &c.wishes, checked(&c.wishes))
		if err != nil || !reflect.DeepEqual(c.wishes, c.want) {
			t.Errorf("%q: %v\n got %+v\nwant %+v\n%s", c.answers, err, c.wishes, c.want,
				out.String())
		}
		for _, says := range c.says {
			if !strings.Contains(out.String(), says) {
				t.Errorf("%q: %q is not in\n%s", c.answers, says, out.String())
			}
		}
	}
	for _, answers := range []string{"", "pods\n", "pods\n\n\n", "pods\nx\nx\n",
		strings.Repeat("x", maxAnswer+1) + "\n\n\n\n"} {
		var w Wishes
		if err := Ask(strings.NewReader(answers), &strings.Builder{}, &w,
			checked(&w)); !errors.Is(err,
			ErrNoAnswer) {
			t.Errorf("%.20q: got %v", answers, err)
		}
	}
}
