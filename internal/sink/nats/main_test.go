package nats_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"encoding/pem"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/nats"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestMain(m *testing.M) {
	nats.Hurry()
	goleak.VerifyTestMain(m)
}

var _ sink.Sink = (*nats.Sink)(nil)

// patience is how long tests wait for what must happen.
const patience = 20 * time.Second

// start starts a server on the loopback interface, which is shut down at the end of the test.
func start(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoLog, o.NoSigs = "127.0.0.1", true, true
	if o.MaxPayload == 0 {
		o.MaxPayload = 16 << 20
	}
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { stop(s) })
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// withStream starts a server with JetStream.
func withStream(t testing.TB, o *server.Options, config jetstream.StreamConfig) *server.Server {
	t.Helper()
	o.JetStream, o.StoreDir = true, t.TempDir()
	s := start(t, o)
	createStream(t, s, config)
	return s
}

func createStream(t testing.TB, s *server.Server, config jetstream.StreamConfig) {
	t.Helper()
	_, js := client(t, s)
	config.Name = "K8S"
	if config.Subjects == nil {
		config.Subjects = []string{"k8s.>"}
	}
	// The server answers a deletion before the files are gone, and until then it cannot make a
	// stream of the same name.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := js.CreateOrUpdateStream(ctx, config)
	for isCreateError(err) && ctx.Err() == nil {
		_, err = js.CreateOrUpdateStream(ctx, config)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func isCreateError(err error) bool {
	var answer *jetstream.APIError
	const createError = jetstream.ErrorCode(server.JSStreamCreateErrF)
	return errors.As(err, &answer) && answer.ErrorCode == createError
}

// client connects to a server until the end of the test.
func client(t testing.TB, s *server.Server, options ...natsgo.Option) (*natsgo.Conn,
	jetstream.JetStream) {
	t.Helper()
	nc, err := natsgo.Connect(s.ClientURL(), append(options, natsgo.MaxReconnects(-1),
		natsgo.ReconnectWait(10*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return nc, js
}

// stored returns what a stream has, in order.
func stored(t testing.TB, s *server.Server) (all []*jetstream.RawStreamMsg) {
	t.Helper()
	_, js := client(t, s)
	stream, err := js.Stream(t.Context(), "K8S")
	if err != nil {
		t.Fatal(err)
	}
	state := stream.CachedInfo().State
	for n := state.FirstSeq; n <= state.LastSeq && n > 0; n++ {
		m, err := stream.GetMsg(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// bySubject publishes pods to k8s.<name>.
func bySubject(m *sink.Message) (string, error) { return "k8s." + m.Object.Name(), nil }

// open makes a sink that is closed at the end of the test. What change does not set is for s.
func open(t testing.TB, s *server.Server, change func(*nats.Config)) *nats.Sink {
	t.Helper()
	config := nats.Config{Servers: []string{s.ClientURL()}, Subject: bySubject, Stream: "K8S",
		Timeout: patience}
	if change != nil {
		change(&config)
	}
	out, err := nats.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeSink(t, out) })
	return out
}

func closeSink(t testing.TB, s *nats.Sink) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

// messages returns an update for each name.
func messages(t testing.TB, version int, names ...string) (all []sink.Message) {
	t.Helper()
	for _, name := range names {
		all = append(all, sinktest.Message(t, name, version))
	}
	return all
}

func deliver(t testing.TB, s *nats.Sink, all ...sink.Message) {
	t.Helper()
	if errs := s.Write(context.Background(), all); errs != nil {
		t.Fatal(errors.Join(errs...))
	}
}

// retry writes messages until they are taken, as the route does.
func retry(t testing.TB, s *nats.Sink, all ...sink.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		errs := s.Write(ctx, all)
		if errs == nil {
			return
		}
		var again []sink.Message
		for i, err := range errs {
			if ctx.Err() != nil || sink.IsPermanent(err) {
				t.Fatal(err)
			}
			if err != nil {
				again = append(again, all[i])
			}
		}
		all = again
	}
}

// wantError checks that every message has failed, and how.
func wantError(t testing.TB, errs []error, permanent bool, text string) {
	t.Helper()
	if len(errs) == 0 {
		t.Fatal("nothing has failed")
	}
	for _, err := range errs {
		if err == nil || sink.IsPermanent(err) != permanent ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q, permanent: %t", err, text, permanent)
		}
	}
}

func write(t testing.TB, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// certificate returns a server with a certificate for 127.0.0.1 and example.com, and the file of
// its CA.
func certificate(t testing.TB) (s *httptest.Server, caFile string) {
	t.Helper()
	s = httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	return s, write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: s.Certificate().Raw})))
}
