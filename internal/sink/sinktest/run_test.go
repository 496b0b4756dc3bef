package sinktest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// memory is a sink without a receiver of its own. A fault breaks one promise.
type memory struct {
	*sinktest.Log
	fault string
	fence *sink.Fence
	mu    sync.RWMutex // held for reading by writes under way
	stop  chan struct{}
	once  sync.Once
	kept  []sink.Message
}

var _ sink.Sink = (*memory)(nil)

func newMemory(fault string) *memory {
	return &memory{Log: sinktest.NewLog(), fault: fault, stop: make(chan struct{})}
}

func (s *memory) Pace() sink.Pace { return sink.Pace{Batch: 4} }

func (s *memory) Write(ctx context.Context, messages []sink.Message) []error {
	if !s.mu.TryRLock() {
		return sink.AllFailed(len(messages), s.closedError())
	}
	defer s.mu.RUnlock()
	select {
	case <-s.stop:
		return sink.AllFailed(len(messages), s.closedError())
	default:
	}
	if s.fault == "late" { // what was written before arrives after
		messages, s.kept = s.kept, messages
	}
	if s.fault == "leak" {
		go func() { time.Sleep(5 * time.Second) }()
	}
	if s.fault == "changes" && len(messages) > 0 {
		messages[0].Subject += "x"
	}
	if err := s.fence.Check(); err != nil {
		return sink.AllFailed(len(messages), err)
	}
	errs := sinktest.Each(ctx, messages, s.write)
	if s.fault == "one for all" && errs != nil {
		return sink.AllFailed(len(messages), errors.Join(errs...))
	}
	if s.fault == "never nil" && errs == nil {
		return make([]error, len(messages))
	}
	return errs
}

func (s *memory) closedError() error {
	if s.fault == "closed for good" {
		return sink.Permanent(sink.ErrClosed)
	}
	return sink.ErrClosed
}

func (s *memory) write(ctx context.Context, m sink.Message) error {
	if err := s.fence.Check(); err != nil && s.fault != "checks once" {
		return err
	}
	text := cloudevent.Append(nil, m)
	done := ctx.Done()
	switch s.fault {
	case "loses":
		if m.ResourceVersion == "3" {
			return nil
		}
	case "alters":
		text[len(text)/2] ^= 1
	case "deaf":
		done = nil
	case "hungry":
		_ = make([]byte, 200*len(text))
	}
	switch s.Take(done, string(text)) {
	case sinktest.Refuse:
		err := fmt.Errorf("%s is refused", m.Subject)
		switch s.fault {
		case "refuses for now":
			return err
		case "shows secrets":
			err = fmt.Errorf("%s is refused", text)
		}
		return sink.Permanent(err)
	case sinktest.Hang:
		return fmt.Errorf("no answer: %w", ctx.Err())
	case sinktest.Fail, sinktest.Break:
		if s.fault == "gives up" {
			return sink.Permanent(errors.New("not now"))
		}
		return errors.New("not now")
	}
	return nil
}

func (s *memory) Close(ctx context.Context) error {
	if s.fault == "open" {
		return nil
	}
	s.once.Do(func() { close(s.stop) })
	if s.fault == "hasty" {
		return nil
	}
	for !s.mu.TryLock() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(time.Millisecond)
	}
	s.mu.Unlock()
	return nil
}

func run(t *testing.T, fault string) {
	sinktest.Run(t, sinktest.Target{New: func(_ *testing.T, f *sink.Fence) (
		sink.Sink, sinktest.Receiver) {
		s := newMemory(fault)
		if fault != "no fence" {
			s.fence = f
		}
		return s, s.Log
	}})
}

func TestASoundSinkPasses(t *testing.T) { run(t, "") }

const faultVariable = "INFORMERD_SINKTEST_FAULT"

// TestFaulty is what TestEachFaultIsFound runs.
func TestFaulty(t *testing.T) {
	fault := os.Getenv(faultVariable)
	if fault == "" {
		t.Skip("run by TestEachFaultIsFound")
	}
	sinktest.SetPatience(time.Second)
	run(t, fault)
}

// The suite bites: whatever breaks one promise fails the case that is about it.
func TestEachFaultIsFound(t *testing.T) {
	for fault, name := range map[string]string{
		"late":            "order of one caller",
		"loses":           "order of one caller",
		"alters":          "odd messages/huge",
		"changes":         "pace",
		"leak":            "no messages",
		"never nil":       "pace",
		"one for all":     "one message is refused",
		"refuses for now": "one message is refused",
		"shows secrets":   "one message is refused",
		"gives up":        "failure for now",
		"deaf":            "context done during a hang",
		"hasty":           "close waits for writes under way",
		"open":            "write after close",
		"closed for good": "write after close",
		"hungry":          "memory",
		"checks once":     "fence",
		"no fence":        "fence",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			pattern := strings.ReplaceAll(regexp.QuoteMeta(name), " ", "_")
			pattern = "^TestFaulty$/^" + strings.ReplaceAll(pattern, "/", "$/^") + "$"
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0], "-test.run", pattern)
			child.Env = append(os.Environ(), faultVariable+"="+fault)
			out, err := child.CombinedOutput()
			if !strings.Contains(string(out), "--- FAIL") {
				t.Errorf("it passed %q: %v\n%s", name, err, out)
			}
		})
	}
}
