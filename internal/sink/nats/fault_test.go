package nats_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"crypto/tls"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/nats"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestConfigErrors(t *testing.T) {
	servers, subject := []string{"nats://127.0.0.1:4222"}, bySubject
	for want, config := range map[string]nats.Config{
		"no/such": {Servers: servers, Subject: subject,
			TLS: &secret.TLSFiles{CAFile: "/no/such"}},
	} {
		_, err := nats.New(config)
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A server may come later, and go.
func TestServerIsAway(t *testing.T) {
	t.Parallel()
	o := &server.Options{}
	s := start(t, o)
	url, port := s.ClientURL(), o.Port
	stop(s)
	out := open(t, s, func(c *nats.Config) {
		c.Servers, c.Stream, c.Timeout = []string{url}, "", 2*time.Second
	})
	for range 2 {
		wantError(t, out.Write(t.Context(), messages(t, 1, "a")), false, "no connection")
	}
	start(t, &server.Options{Port: port})
	retry(t, out, messages(t, 1, "a")...)
}

// Writes that wait for a server do not wait for each other.
func TestWritesWaitTogether(t *testing.T) {
	t.Parallel()
	s := start(t, &server.Options{})
	stop(s)
	out := open(t, s, func(c *nats.Config) { c.Stream, c.Timeout = "", 4*time.Second })
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			wantError(t, out.Write(t.Context(), messages(t, 1, "a")), false, "no connection")
		})
	}
	wg.Wait()
}

// A connection that takes nothing holds up nobody beyond the timeout or the context.
func TestBlackHole(t *testing.T) {
	t.Parallel()
	s := start(t, &server.Options{})
	for _, stream := range []string{"", "K8S"} {
		p := newProxy(t, s.Addr().String())
		out := open(t, s, func(c *nats.Config) {
			c.Servers, c.Stream, c.Timeout = []string{p.url()}, stream, 200*time.Millisecond
		})
		_ = out.Write(t.Context(), messages(t, 1, "a")) // it connects
		p.set(sinktest.Hang)
		large := messages(t, 1, "a")
		large[0].Body, large[0].Data = sink.BodyData, `"`+strings.Repeat("x", 12<<20)+`"`
		for range 3 {
			for _, err := range out.Write(t.Context(), append(messages(t, 1, "b"), large...)) {
				if err == nil || sink.IsPermanent(err) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			}
		}
		p.set(sinktest.Healthy)
	}
}

// The client closes its connection on an error that it does not know. The sink makes another one.
func TestUnknownErrorOfTheServer(t *testing.T) {
	t.Parallel()
	s := withStream(t, &server.Options{}, jetstream.StreamConfig{})
	p := newProxy(t, s.Addr().String())
	out := open(t, s, func(c *nats.Config) { c.Servers = []string{p.url()} })
	deliver(t, out, messages(t, 1, "a")...)
	p.inject("-ERR 'out of ideas'\r\n")
	retry(t, out, messages(t, 2, "a")...)
}

// withTLS starts a server with the certificate of another one.
func withTLS(t *testing.T, with *httptest.Server) *server.Server {
	t.Helper()
	return start(t, &server.Options{TLS: true, TLSTimeout: 5,
		TLSConfig: &tls.Config{Certificates: with.TLS.Certificates}})
}

func TestTLS(t *testing.T) {
	t.Parallel()
	with, caFile := certificate(t)
	secure, plain := withTLS(t, with), start(t, &server.Options{})
	for _, test := range []struct {
		server *server.Server
		files  *secret.TLSFiles
		want   string
	}{
		{secure, &secret.TLSFiles{CAFile: caFile}, ""},
		{secure, &secret.TLSFiles{CAFile: caFile, ServerName: "example.com"}, ""},
		{secure, &secret.TLSFiles{CAFile: caFile, ServerName: "other.example"}, "other.example"},
		{secure, &secret.TLSFiles{}, "unknown authority"},
		{secure, nil, "unknown authority"},
		{plain, &secret.TLSFiles{CAFile: caFile}, "secure connection not available"},
		{plain, nil, ""},
	} {
		out := open(t, test.server, func(c *nats.Config) {
			c.Stream, c.TLS, c.Timeout = "", test.files, patience
			c.Servers = []string{"nats://" + test.server.Addr().String()}
		})
		errs := out.Write(t.Context(), messages(t, 1, "a"))
		if test.want == "" && errs != nil {
			t.Errorf("%+v: %v", test.files, errs)
		} else if test.want != "" {
			wantError(t, errs, false, test.want)
		}
	}
}

func TestCredentialsCannotBeRead(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	s := start(t, a.options())
	for want, credentials := range map[string]secret.Value{
		"no such file":      secret.FromFile("/no/such"),
		"not a credentials": secret.Literal("hunter2"),
		"authorization":     {},
		"seed in a text":    secret.Literal(a.user(t, nil) + "-----hunter2"),
	} {
		if want == "seed in a text" {
			text, _ := credentials.Read()
			credentials = secret.Literal(strings.Replace(text, "SU", "XX", 1))
		}
		out := open(t, s, func(c *nats.Config) {
			c.Stream, c.Credentials, c.Timeout = "", credentials, time.Second
		})
		errs := out.Write(t.Context(), messages(t, 1, "a"))
		for _, err := range errs {
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v", err)
			}
		}
		wantError(t, errs, false, "no connection")
	}
}

// A user that is revoked is no reason to give up: credentials may come, and are read then.
func TestCredentialsAreRevoked(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	s := start(t, a.options())
	path := write(t, "user.creds", a.user(t, nil))
	out := open(t, s, func(c *nats.Config) {
		c.Stream, c.Credentials, c.Timeout = "", secret.FromFile(path), time.Second
	})
	deliver(t, out, messages(t, 1, "a")...)
	a.revoke(t, s)
	wantError(t, failing(t, out), false, "no connection")
	rewrite(t, path, a.user(t, nil))
	retry(t, out, messages(t, 2, "a")...)
}

// failing writes until something fails.
func failing(t *testing.T, out *nats.Sink) []error {
	t.Helper()
	for range 1000 {
		if errs := out.Write(t.Context(), messages(t, 1, "a")); errs != nil &&
			strings.Contains(errs[0].Error(), "no connection") {
			return errs
		}
	}
	t.Fatal("nothing fails")
	return nil
}

// A subject that the user must not publish to fails alone. The server says so after the fact.
func TestPermissions(t *testing.T) {
	a := newAccount(t)
	s := start(t, a.options())
	creds := secret.Literal(a.user(t, []string{"k8s.a", `k8s."q"`}))
	out := open(t, s, func(c *nats.Config) {
		c.Stream, c.Credentials = "", creds
		c.Subject = func(m *sink.Message) (string, error) {
			if name := m.Object.Name(); name > "p" {
				return `k8s."` + name + `"`, nil
			}
			return bySubject(m)
		}
	})
	all := messages(t, 1, "a", "b", "c", "q", "r")
	for range 3 {
		errs := out.Write(t.Context(), all)
		if len(errs) != 5 || errs[0] != nil || errs[3] != nil {
			t.Fatalf("got %v", errs)
		}
		wantError(t, errs[1:3], false, "do not allow")
		wantError(t, errs[4:], false, "do not allow")
		deliver(t, out, all[0])
	}
}

// A server that answers on a new connection has not got what was sent on the one before.
func TestAnotherConnectionConfirmsNothing(t *testing.T) {
	t.Parallel()
	s := start(t, &server.Options{})
	p := newProxy(t, s.Addr().String())
	subscriber, _ := client(t, s)
	arrived := make(chan *natsgo.Msg, 100)
	if _, err := subscriber.ChanSubscribe("k8s.>", arrived); err != nil {
		t.Fatal(err)
	}
	if err := subscriber.Flush(); err != nil {
		t.Fatal(err)
	}
	out := open(t, s, func(c *nats.Config) { c.Servers, c.Stream = []string{p.url()}, "" })
	retry(t, out, messages(t, 1, "first")...)
	p.set(sinktest.Hang)
	all := messages(t, 1, "a", "large", "b")
	all[1].Body, all[1].Data = sink.BodyData, `"`+strings.Repeat("x", 12<<20)+`"`
	written := make(chan []error)
	go func() { written <- out.Write(t.Context(), all) }()
	<-p.hung
	p.heal()
	errs := <-written
	if len(errs) != len(all) {
		t.Fatalf("got %v", errs)
	}
	retry(t, out, messages(t, 1, "last")...)
	if err := subscriber.Flush(); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for len(arrived) > 0 {
		got[(<-arrived).Subject] = true
	}
	for i, err := range errs {
		if err == nil && !got["k8s."+all[i].Object.Name()] {
			t.Errorf("%s was reported as taken, and has not arrived", all[i].Object.Name())
		}
	}
	if !got["k8s.last"] {
		t.Error("the last message is missing")
	}
}

// A message to a stream that may not be published says so when nobody confirms it. What is refused
// for another reason says that.
func TestPermissionsWithAStream(t *testing.T) {
	limited := &server.User{Username: "limited", Password: "x", Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{"k8s.a"}}}}
	s := start(t, &server.Options{MaxPayload: 100_000, JetStream: true, StoreDir: t.TempDir(),
		NoAuthUser: "limited", Users: []*server.User{{Username: "admin", Password: "x"}, limited}})
	_, js := client(t, s, natsgo.UserInfo("admin", "x"))
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "K8S",
		Subjects: []string{"k8s.>"}}); err != nil {
		t.Fatal(err)
	}
	out := open(t, s, func(c *nats.Config) { c.Timeout = time.Second })
	errs := out.Write(t.Context(), messages(t, 1, "a", "b"))
	if len(errs) != 2 || errs[0] != nil {
		t.Fatalf("got %v", errs)
	}
	wantError(t, errs[1:], false, "do not allow")
	large := messages(t, 2, "b")
	large[0].Body, large[0].Data = sink.BodyData, `"`+strings.Repeat("x", 200_000)+`"`
	wantError(t, out.Write(t.Context(), large), true, "larger than max_payload")
}
