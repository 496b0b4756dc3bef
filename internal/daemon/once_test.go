package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/plugins"
)

// onceAt runs a configuration that ends by itself, and returns what it did, what it wrote, and its
// error.
func onceAt(t *testing.T, k *kubernetes, cfg *config.Config, change func(*Options)) (Summary,
	string, error) {
	t.Helper()
	var out bytes.Buffer
	var sum Summary
	options := Options{Kubeconfig: kubeconfig(t, k.url), Stdout: &out, Version: "test",
		Log:  slog.New(slog.DiscardHandler),
		Once: &Once{Timeout: 20 * time.Second, Done: func(s Summary) { sum = s }}}
	if change != nil {
		change(&options)
	}
	err := Run(t.Context(), cfg, options)
	return sum, out.String(), err
}

// configOf returns a configuration in a folder of its own.
func configOf(t *testing.T, text string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "informerd.yaml")
	text = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" + text
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func maps3(t *testing.T) *kubernetes {
	return kubernetesWith(t, map[string][]string{"configmaps": {
		named("shop", "a", "", ""), named("shop", "b", "", ""), named("shop", "c", "", "")}})
}

// TestOnceEndsWhenAllIsDelivered: all objects of the first list come to the output, and the run
// ends without an error. Violations of rules count, and a rule with for is not waited for.
func TestOnceEndsWhenAllIsDelivered(t *testing.T) {
	sum, out, err := onceAt(t, maps3(t), configOf(t, `
listeners:
  all: {informer: {resource: configmaps}, outputs: [stdout]}
  bad:
    informer: {resource: configmaps}
    rules: [{name: named-a, deny: object.metadata.name == "a"},
      {name: later, deny: "true", for: 1h}]
    outputs: [stdout]
outputs: {stdout: {stdout: {}}}
`), nil)
	want := Summary{Listeners: 2, Events: 6, Messages: 4, Violations: 1}
	if err != nil || sum != want || strings.Count(out, "\n") != 4 {
		t.Errorf("got %+v, %v\n%s", sum, err, out)
	}
}

// TestOnceRetries: a message that is not taken at first is tried again.
func TestOnceRetries(t *testing.T) {
	failures := 2
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if failures--; failures >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(receiver.Close)
	sum, _, err := onceAt(t, kubernetesWith(t, map[string][]string{"configmaps": {
		named("shop", "a", "", "")}}), configOf(t, `
listeners:
  all: {informer: {resource: configmaps}, outputs: [hook], retry: {minBackoff: 10ms}}
outputs: {hook: {webhook: {url: "`+receiver.URL+`"}}}
`), nil)
	if err != nil || sum.Messages != 1 || failures >= 0 {
		t.Errorf("got %+v, %v", sum, err)
	}
}

// TestOnceFails: what cannot be delivered, or cannot begin, is in the error.
func TestOnceFails(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if strings.HasPrefix(r.URL.Path, "/refuse") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(refuses.Close)
	for name, c := range map[string]struct {
		config  string
		timeout time.Duration
		want    []string
	}{
		"dead letters": {`
listeners: {all: {informer: {resource: configmaps}, outputs: [hook]}}
outputs: {hook: {webhook: {url: "` + refuses.URL + `/refuse"}}}
`, 20 * time.Second, []string{`listener "all": could not be delivered: 3`}},
		"an output is away": {`
listeners: {all: {informer: {resource: configmaps}, outputs: [hook]}}
outputs: {hook: {webhook: {url: "` + refuses.URL + `/away"}}}
`, 2 * time.Second, []string{`listener "all": waiting for output "hook": 3`,
			`listener "all": unfinished: 3`}},
		"a resource is missing": {`
listeners:
  none: {informer: {resource: widgets}, outputs: [stdout]}
  all: {informer: {resource: configmaps}, outputs: [stdout]}
outputs: {stdout: {stdout: {}}}
`, 20 * time.Second, []string{`listener "none": no resource "widgets"`}},
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			_, _, err := onceAt(t, maps3(t), configOf(t, c.config),
				func(o *Options) { o.Once.Timeout = c.timeout })
			if err == nil || !strings.HasPrefix(err.Error(), "not everything is done:\n  ") {
				t.Fatalf("got %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %v", want, err)
				}
			}
			if took := time.Since(begun); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestOnceThatIsStopped: a signal ends it, and that is an error.
func TestOnceThatIsStopped(t *testing.T) {
	k := maps3(t)
	defer k.withhold("configmaps")()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		k.waitForRequest(t, "configmaps")
		stop()
	}()
	err := Run(ctx, configOf(t, `
listeners: {all: {informer: {resource: configmaps}, outputs: [stdout]}}
outputs: {stdout: {stdout: {}}}
`), Options{Kubeconfig: kubeconfig(t, k.url), Stdout: io.Discard, Once: &Once{},
		Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "it was stopped before all was through") {
		t.Errorf("got %v", err)
	}
}

// TestOnceGoesOnFromACheckpoint: each run delivers what has changed since the one before, deletes
// included, and ends.
func TestOnceGoesOnFromACheckpoint(t *testing.T) {
	k := maps3(t)
	cfg := configOf(t, `
state: {dir: state}
listeners: {all: {informer: {resource: configmaps}, checkpoint: true, outputs: [stdout]}}
outputs: {stdout: {stdout: {}}}
`)
	run := func(want ...string) {
		t.Helper()
		again, err := config.Load(cfg.File())
		if err != nil {
			t.Fatal(err)
		}
		_, out, err := onceAt(t, k, again, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(out) {
			var e struct{ Op, Subject string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Op+" "+e.Subject)
		}
		slices.Sort(got)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	run("add configmaps/shop/a", "add configmaps/shop/b", "add configmaps/shop/c")
	run()
	k.mu.Lock()
	k.items["configmaps"] = []string{
		strings.Replace(named("shop", "a", `"color":"red"`, ""), `"7"`, `"9"`, 1),
		named("shop", "b", "", "")}
	k.mu.Unlock()
	run("delete configmaps/shop/c", "update configmaps/shop/a")
}

// TestDryRun: outputs of all kinds show what they would send, and nothing is sent, kept or locked.
func TestDryRun(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked++
	}))
	t.Cleanup(server.Close)
	t.Setenv("TOKEN", "hunter2")
	t.Setenv("SLACK_URL", server.URL+"/hunter2")
	cfg := configOf(t, `
state: {dir: state}
http: {address: "127.0.0.1:1"}
leaderElection: {namespace: default}
listeners:
  all:
    informer: {resource: configmaps}
    checkpoint: true
    outputs: [stdout, file, hook, batch, chat, bus, log, note, fix]
  bad:
    informer: {resource: configmaps}
    rules: [{name: r, deny: "true", message: '"\u001b[2Jodd"'}]
    outputs: [pager]
outputs:
  stdout: {stdout: {}}
  file: {file: {path: events.jsonl}}
  hook: {webhook: {url: "`+server.URL+`/hunter2", headers: {Authorization: {fromEnv: TOKEN}}}}
  batch: {webhook: {url: "`+server.URL+`", mode: batch}}
  chat: {slack: {url: {fromEnv: SLACK_URL}}}
  bus: {nats: {servers: ["nats://127.0.0.1:1"], subject: '"k8s." + name'}}
  log: {kafka: {brokers: ["127.0.0.1:1"], topic: changes}}
  note: {kubernetesEvent: {}}
  fix: {patch: {type: merge, patch: '{"metadata": {"labels": {"x": "y"}}}'}}
  pager: {alertmanager: {url: "`+server.URL+`"}}
`)
	var out bytes.Buffer
	_, written, err := onceAt(t, kubernetesWith(t, map[string][]string{"configmaps": {
		named("shop", "a", "", "")}}), cfg,
		func(o *Options) { o.DryRun = &sink.DryRun{To: &out} })
	if err != nil || asked > 0 || written != "" {
		t.Fatalf("%v, asked %d times, wrote %q", err, asked, written)
	}
	lines := out.String()
	for _, want := range []string{
		`would write to stdout (output stdout, stdout) of listener all about configmaps/shop/a: {"specversion":`,
		"would append to " + filepath.Dir(cfg.File()) + "/events.jsonl (output file, file) of",
		"would POST " + server.URL + "/… (output hook, webhook) of listener all about configmaps/shop/a [Authorization: (hidden)] [Content-Type: application/cloudevents+json]: {",
		"would POST " + server.URL + " (output batch, webhook) of",
		"would POST " + server.URL + "/… (output chat, slack) of",
		"would publish to k8s.a on nats://127.0.0.1:1 (output bus, nats) of",
		"would produce to topic changes of 127.0.0.1:1 (output log, kafka) of listener all about configmaps/shop/a [ce_id:",
		"would POST /apis/events.k8s.io/v1/namespaces/shop/events?fieldManager=informerd (output note, kubernetesEvent) of",
		`would PATCH /api/v1/namespaces/shop/configmaps/a?fieldManager=`,
		`"metadata":{"labels":{"x":"y"}`,
		"would POST " + server.URL + "/… (output pager, alertmanager) of listener bad about configmaps/shop/a",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
	if strings.Count(lines, "\n") != 10 || strings.Contains(lines, "hunter2") ||
		strings.Contains(lines, "\x1b") {
		t.Errorf("got\n%s", lines)
	}
	files, err := os.ReadDir(filepath.Dir(cfg.File()))
	if err != nil || len(files) != 1 {
		t.Errorf("there are %v, %v", files, err)
	}
}

// TestHandlersOfADryRunSendNothing: a request is one that the handler has no right to, so that it
// does not try again.
func TestHandlersOfADryRunSendNothing(t *testing.T) {
	spec := plugins.Spec{Grants: plugins.Grants{HTTP: &plugins.HTTPGrant{}}}
	granted := spec.Grants.HTTP
	withoutEffects(&spec)
	if granted.Transport != nil {
		t.Error("the grant of others has changed")
	}
	client, err := outbound.New(outbound.Config{Allow: []string{"http://127.0.0.1:1/"},
		Methods: []string{"POST"}, Transport: spec.Grants.HTTP.Transport, MaxResponse: 1})
	if err != nil {
		t.Fatal(err)
	}
	head, err := outbound.ParseHead([]byte(`{"method":"POST","url":"http://127.0.0.1:1/secret"}`))
	if err != nil {
		t.Fatal(err)
	}
	request, err := client.Prepare(head, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Do(t.Context(), request, nil)
	if !errors.Is(err, outbound.ErrDenied) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestSummary(t *testing.T) {
	for want, s := range map[string]Summary{
		"1 listener, 0 events, 0 messages taken":                   {Listeners: 1},
		"2 listeners, 1 event, 3 messages taken, 1 open violation": {Listeners: 2, Events: 1, Messages: 3, Violations: 1},
		"0 listeners, 2 events, 1 message taken, 2 dead letters, 4 unfinished": {Events: 2, Messages: 1,
			DeadLetters: 2, Unfinished: 4},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
