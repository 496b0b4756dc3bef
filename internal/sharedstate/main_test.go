package sharedstate

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(childConfig) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}

// start starts a server in this process, which syncs each write. It ends with the test.
func start(t testing.TB, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: t.TempDir(), SyncAlways: true}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { stop(s) })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// within is a context for what a test does.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

const bucket = "state"

func openState(t testing.TB, url string, replicas int) *State {
	t.Helper()
	s, err := Open(within(t, 30*time.Second), Config{URL: url, Bucket: bucket, Replicas: replicas,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func take(t testing.TB, s *State, name string, epoch int64) *Hold {
	t.Helper()
	h, err := s.Hold(within(t, 20*time.Second), name, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// values are changes of one table, in pairs of key and value, - for none.
func values(table string, pairs ...string) map[string]map[string]*Value {
	all := map[string]*Value{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &Value{Data: pairs[i+1]}
		if pairs[i+1] == "-" {
			all[pairs[i]] = nil
		}
	}
	return map[string]map[string]*Value{table: all}
}

func commit(t testing.TB, h *Hold, changes map[string]map[string]*Value) {
	t.Helper()
	if err := h.Commit(within(t, 20*time.Second), changes); err != nil {
		t.Fatal(err)
	}
}

// loaded returns a table as text.
func loaded(t testing.TB, h *Hold, table string) string {
	t.Helper()
	all, err := h.Load(within(t, 20*time.Second), table)
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for key, v := range all {
		text[key] = v.Data
	}
	return fmt.Sprint(text)
}

func expectLoaded(t testing.TB, h *Hold, table, want string) {
	t.Helper()
	if got := loaded(t, h, table); got != want {
		t.Errorf("table %q has %s, want %s", table, got, want)
	}
}

func put(t testing.TB, h *Hold, id, data string) {
	t.Helper()
	if err := h.PutLetter(within(t, 20*time.Second), id, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// letters returns those of a hold, oldest first, as id=data.
func letters(t testing.TB, h *Hold) (all []string) {
	t.Helper()
	for l, err := range h.Letters(within(t, 20*time.Second)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l.ID+"="+string(l.Data))
	}
	return all
}

// plain connects to servers with nothing of this package.
func plain(t testing.TB, url string) (*natsgo.Conn, jetstream.JetStream) {
	t.Helper()
	nc, err := natsgo.Connect(url, natsgo.MaxReconnects(-1), natsgo.RetryOnFailedConnect(true))
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
