package nats_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/nats"
)

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
