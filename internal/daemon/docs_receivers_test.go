package daemon

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/sink"
)

// received writes messages to an output, with a receiver of the test in place of the configured
// one, and returns what arrives.
func received(t *testing.T, cfg *config.Config, schemas plan.Schemas, o *config.Output,
	messages []sink.Message) []string {
	t.Helper()
	switch {
	case o.File != nil:
		write(t, cfg, schemas, o, nil, messages)
		text, err := os.ReadFile(cfg.Path(o.File.Path))
		if err != nil {
			t.Fatal(err)
		}
		return []string{string(text)}
	case o.NATS != nil:
		return fromNATS(t, cfg, schemas, o, messages)
	case o.Kafka != nil:
		return fromKafka(t, cfg, schemas, o, messages)
	}
	r := &recorder{t: t}
	s := httptest.NewServer(r)
	defer s.Close()
	switch {
	case o.Webhook != nil:
		o.Webhook.URL, o.Webhook.TLS = config.Value{Text: s.URL + "/in"}, nil
	case o.Slack != nil:
		o.Slack.URL = config.Value{Text: s.URL + "/services/T0/B0"}
	case o.Alertmanager != nil:
		o.Alertmanager.URL, o.Alertmanager.TLS = config.Value{Text: s.URL}, nil
	}
	api, err := sinks.NewAPI(quiet)
	if err != nil {
		t.Fatal(err)
	}
	w, err := kube.NewWriter(&rest.Config{Host: s.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.CloseIdleConnections()
	api.Connect(cfg.Cluster.Name, w)
	write(t, cfg, schemas, o, api, messages)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// write writes messages to an output, one after the other.
func write(t *testing.T, cfg *config.Config, schemas plan.Schemas, o *config.Output, api *sinks.API,
	messages []sink.Message) {
	t.Helper()
	p, wrong := plan.Compile(cfg, schemas)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	planned := p.Outputs[o.Name]
	s, err := (&sinks.Maker{API: api}).New(cfg, o, sinks.Expressions{Subject: planned.Subject,
		Patch: planned.Patch, Text: planned.Text, Labels: planned.Labels})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	for _, m := range messages {
		if errs := s.Write(t.Context(), []sink.Message{m}); errs != nil {
			t.Errorf("output %q: %v", o.Name, errs)
		}
	}
}

// recorder answers every request, and keeps what it has.
type recorder struct {
	t        *testing.T
	mu       sync.Mutex
	requests []string
}

var shownHeaders = regexp.MustCompile(`^(Content-Type|Ce-.*|Webhook-.*)$`)

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		r.t.Error(err)
	}
	text := req.Method + " " + req.URL.RequestURI() + "\n"
	var names []string
	for name := range req.Header {
		if shownHeaders.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		text += name + ": " + req.Header.Get(name) + "\n"
	}
	if req.Header.Get("Webhook-Signature") != "" && !verify(docKey, req.Header, body, time.Now()) {
		r.t.Error("the signature is wrong")
	}
	r.mu.Lock()
	r.requests = append(r.requests, unlike(text+"\n"+legible(r.t, body)+"\n"))
	r.mu.Unlock()
	switch {
	case strings.HasSuffix(req.URL.Path, "/events"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body)
	case req.Method == http.MethodPatch:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"metadata":{"name":"web","uid":"uid-of-web","resourceVersion":"17"}}`)
	case strings.HasPrefix(req.URL.Path, "/services"):
		fmt.Fprint(w, "ok")
	}
}

var (
	instant   = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
	signature = regexp.MustCompile(`(Webhook-(?:Timestamp|Signature): (?:v1,)?).*`)
	agent     = regexp.MustCompile(`("reportingInstance": )".*"`)
)

// unlike puts … where a request has something else each time.
func unlike(text string) string {
	text = instant.ReplaceAllStringFunc(text, func(m string) string {
		at, err := time.Parse(time.RFC3339Nano, m)
		if err != nil || at.Sub(storyTime).Abs() > 20*24*time.Hour {
			return "…"
		}
		return m
	})
	return agent.ReplaceAllString(signature.ReplaceAllString(text, "${1}…"), `$1"…"`)
}

// legible breaks JSON into lines. A whole CloudEvent stays as it is.
func legible(t *testing.T, text []byte) string {
	if strings.HasPrefix(string(text), `{"specversion"`) {
		return string(text)
	}
	return indented(t, text)
}

func fromNATS(t *testing.T, cfg *config.Config, schemas plan.Schemas, o *config.Output,
	messages []sink.Message) (all []string) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	client, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	arrived := make(chan *nats.Msg, len(messages))
	if _, err := client.ChanSubscribe(">", arrived); err != nil {
		t.Fatal(err)
	}
	if err := client.Flush(); err != nil {
		t.Fatal(err)
	}
	o.NATS.Servers = []string{s.ClientURL()}
	write(t, cfg, schemas, o, nil, messages)
	for range messages {
		m := <-arrived
		text := "subject: " + m.Subject + "\n"
		for _, name := range []string{"Ce-Id", "ce-id", "Content-Type", "content-type"} {
			if v := m.Header[name]; v != nil {
				text += name + ": " + v[0] + "\n"
			}
		}
		all = append(all, text+"\n"+legible(t, m.Data)+"\n")
	}
	return all
}

func fromKafka(t *testing.T, cfg *config.Config, schemas plan.Schemas, o *config.Output,
	messages []sink.Message) (all []string) {
	t.Helper()
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, o.Kafka.Topic)}
	if o.Kafka.SASL != nil {
		o.Kafka.SASL, o.Kafka.TLS = nil, nil // the broker of the test has no TLS
	}
	c, err := kfake.NewCluster(options...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	o.Kafka.Brokers = c.ListenAddrs()
	write(t, cfg, schemas, o, nil, messages)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...),
		kgo.ConsumeTopics(o.Kafka.Topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for len(all) < len(messages) {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		for _, r := range fetches.Records() {
			text := fmt.Sprintf("topic: %s\nkey: %s\n", r.Topic, r.Key)
			for _, h := range r.Headers {
				text += fmt.Sprintf("%s: %s\n", h.Key, h.Value)
			}
			all = append(all, text+"\n"+legible(t, r.Value)+"\n")
		}
	}
	return all
}
