package nats_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/nats"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// answers are what a stream answers.
var answers = map[sinktest.Behaviour]string{
	sinktest.Healthy: `{"stream":"K8S","seq":1}`,
	sinktest.Refuse:  `{"error":{"code":400,"err_code":10054,"description":"message size exceeds maximum allowed"}}`,
	sinktest.Fail:    `{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}`,
}

// TestConformanceWithStream has a real server, and a client of it that answers as a stream does.
func TestConformanceWithStream(t *testing.T) {
	sinktest.Run(t, sinktest.Target{New: func(t *testing.T, f *sink.Fence) (
		sink.Sink, sinktest.Receiver) {
		s := start(t, &server.Options{})
		log := sinktest.NewLog()
		done := make(chan struct{})
		stream, _ := client(t, s)
		_, err := stream.Subscribe("k8s.>", func(m *natsgo.Msg) {
			b := log.Take(done, string(m.Data))
			if b == sinktest.Break {
				disconnect(s)
			} else if answer, ok := answers[b]; ok {
				_ = m.Respond([]byte(answer)) // the test fails without it
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Flush(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { close(done) })
		return openFor(t, s, "K8S", f), log
	}})
}

// openFor makes a sink that the caller closes, for messages with any names.
func openFor(t *testing.T, s *server.Server, stream string, f *sink.Fence) *nats.Sink {
	t.Helper()
	out, err := nats.New(nats.Config{Servers: []string{s.ClientURL()}, Stream: stream,
		Subject: func(*sink.Message) (string, error) { return "k8s.all", nil },
		Timeout: timeout(f), Fence: f})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// timeout returns the timeout of a sink. What a fence refuses is given up when it is over.
func timeout(f *sink.Fence) time.Duration {
	if f != nil {
		return time.Second
	}
	return 5 * time.Second
}

// disconnect breaks the connections of sinks.
func disconnect(s *server.Server) {
	connections, err := s.Connz(nil)
	if err != nil {
		return
	}
	for _, c := range connections.Conns {
		if c.Name == "informerd" {
			_ = s.DisconnectClientByID(c.Cid) // it may have gone by itself
		}
	}
}

// TestConformanceWithoutStream has a real server behind a proxy, and a subscriber.
func TestConformanceWithoutStream(t *testing.T) {
	sinktest.Run(t, sinktest.Target{New: func(t *testing.T, f *sink.Fence) (
		sink.Sink, sinktest.Receiver) {
		s := start(t, &server.Options{})
		r := &subscriber{proxy: newProxy(t, s.Addr().String()),
			messages: make(chan *natsgo.Msg, 10_000)}
		r.client, _ = client(t, s)
		if _, err := r.client.ChanSubscribe("k8s.>", r.messages); err != nil {
			t.Fatal(err)
		}
		if err := r.client.Flush(); err != nil {
			t.Fatal(err)
		}
		out, err := nats.New(nats.Config{Servers: []string{r.proxy.url()}, Fence: f,
			Timeout: timeout(f),
			Subject: func(m *sink.Message) (string, error) {
				b, _ := r.proxy.get()
				if b == sinktest.Refuse && m.Object.Name() == sinktest.RefusedName {
					return "", errors.New("no subject")
				}
				return "k8s.all", nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		for !isConnected(s) { // else what hangs may be the beginning of the connection
			runtime.Gosched()
		}
		return out, r
	}})
}

// isConnected reports whether the server has the connection of a sink.
func isConnected(s *server.Server) bool {
	connections, err := s.Connz(nil)
	return err == nil && slices.ContainsFunc(connections.Conns, func(c *server.ConnInfo) bool {
		return c.Name == "informerd"
	})
}

// subscriber is a receiver without a stream.
type subscriber struct {
	proxy    *proxy
	client   *natsgo.Conn
	messages chan *natsgo.Msg
	mu       sync.Mutex
	taken    []string
}

func (r *subscriber) Hung() <-chan struct{} { return r.proxy.hung }

func (r *subscriber) Set(b sinktest.Behaviour) { r.proxy.set(b) }

// Taken asks the server first whether there is more.
func (r *subscriber) Taken() []string {
	_ = r.client.Flush() // what is missing then fails the test
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		select {
		case m := <-r.messages:
			r.taken = append(r.taken, string(m.Data))
			continue
		default:
		}
		return slices.Clone(r.taken)
	}
}
