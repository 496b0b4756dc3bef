package nats_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/nats"
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

// The fence is asked when the client writes what it has buffered, too: one that refuses just then
// keeps all of it back.
func TestWhatTheClientHasBufferedPassesTheFence(t *testing.T) {
	s := start(t, &server.Options{})
	to, _ := client(t, s)
	arrived := make(chan *natsgo.Msg, 100)
	if _, err := to.ChanSubscribe("k8s.>", arrived); err != nil {
		t.Fatal(err)
	}
	if err := to.Flush(); err != nil {
		t.Fatal(err)
	}
	errLate := errors.New("it is written too late")
	fence := sink.NewFence(func() error {
		callers := make([]uintptr, 10)
		frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
		for frame, more := frames.Next(); more; frame, more = frames.Next() {
			if strings.HasSuffix(frame.Function, "sink.(*line).Write") {
				return errLate
			}
		}
		return nil
	})
	out := open(t, s, func(c *nats.Config) { c.Fence, c.Stream = fence, "" })
	errs := out.Write(t.Context(), messages(t, 1, "a", "b"))
	if len(errs) != 2 || errs[0] == nil || errs[1] == nil {
		t.Errorf("not all are refused: %v", errs)
	}
	if err := out.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := to.Flush(); err != nil {
		t.Error(err)
	}
	if n := len(arrived); n > 0 {
		t.Errorf("%d messages have arrived", n)
	}
}
