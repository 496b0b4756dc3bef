package nats_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// The connection is there before the fence lets anything pass, so that the first message need not
// wait for one.
func TestConnectionBehindAFence(t *testing.T) {
	s := start(t, &server.Options{})
	other := errors.New("another one leads")
	var open atomic.Bool
	out := openFor(t, s, "", sink.NewFence(func() error {
		if open.Load() {
			return nil
		}
		return other
	}))
	defer out.Close(context.Background())
	for deadline := time.Now().Add(10 * time.Second); !connected(t, s); {
		if time.Now().After(deadline) {
			t.Fatal("there is no connection")
		}
		time.Sleep(time.Millisecond)
	}
	messages := []sink.Message{sinktest.Message(t, "web", 1)}
	if errs := out.Write(t.Context(), messages); len(errs) != 1 || !errors.Is(errs[0], other) {
		t.Errorf("the fence refuses: %v", errs)
	}
	if !connected(t, s) {
		t.Error("the connection has ended with that")
	}
	open.Store(true)
	if errs := out.Write(t.Context(), messages); errs != nil {
		t.Error(errs)
	}
}

// connected reports whether a sink is connected.
func connected(t *testing.T, s *server.Server) bool {
	t.Helper()
	all, err := s.Connz(nil)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(all.Conns, func(c *server.ConnInfo) bool {
		return c.Name == "informerd"
	})
}
