// Package httpv1 is the group informerd/http.v1: requests that a guest makes. It needs the grant
// http. For a guest it keeps the answer of the last request of the event at hand.
package httpv1

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/crash"
	"github.com/informerd/informerd/pkg/plugins/internal/guestlog"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// failuresPerSecond is how many lines are logged about a handler's requests that failed.
const failuresPerSecond = 1

// Group is informerd/http.v1. Its client is one for all guests of a handler.
type Group struct {
	Client   outbound.Config
	Timeout  time.Duration // of one request
	PerEvent int           // requests
	Log      *guestlog.Log // of requests that failed

	client   *outbound.Client // nil unless the group is open
	failures guestlog.Limiter
}

var functions = []hostfunc.Function{
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleHTTP, "request"), (*State).request),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleHTTP, "header"), (*State).header),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleHTTP, "body"), (*State).body),
}

// Functions are those of http.v1.
func (*Group) Functions() []hostfunc.Function { return functions }

// Open makes the client.
func (g *Group) Open() (err error) {
	g.failures.PerSecond = failuresPerSecond
	g.client, err = outbound.New(g.Client)
	return err
}

// NewState returns a *State.
func (g *Group) NewState(*hostfunc.Caller) hostfunc.State { return &State{group: g} }

// Close closes the client's connections.
func (g *Group) Close() error {
	if g.client != nil {
		g.client.Close()
	}
	return nil
}

// State is what a guest has asked for and got during one event.
type State struct {
	group    *Group
	requests int
	answer   *outbound.Response // of the last request; nil if there is none
}

// EndEvent forgets the answer, and starts counting requests again.
func (s *State) EndEvent() { s.requests, s.answer = 0, nil }

func (s *State) request(c hostfunc.Call, stack []uint64) {
	if c.Phase() != hostfunc.PhaseEvent {
		stack[0] = hostfunc.I32(abi.WrongPhase)
		return
	}
	head := c.Read(uint32(stack[0]), uint32(stack[1]))
	body := c.Read(uint32(stack[2]), uint32(stack[3]))
	s.answer = nil // the last one must not be taken for that of a request that failed
	answer, status := s.send(c, head, body)
	if status != 0 {
		stack[0] = hostfunc.I32(status)
		return
	}
	s.answer = answer
	stack[0] = uint64(answer.Status)
}

func (s *State) send(c hostfunc.Call, text, body []byte) (*outbound.Response, abi.Status) {
	g := s.group
	if len(text) > abi.MaxHTTPHead {
		return nil, abi.BadArgument
	}
	head, err := outbound.ParseHead(text)
	if err != nil {
		return nil, abi.BadArgument
	}
	request, err := g.client.Prepare(head, int64(len(body)))
	if err != nil {
		return nil, statusOf(err)
	}
	if s.requests >= g.PerEvent {
		return nil, abi.Quota
	}
	s.requests++
	ctx, cancel := context.WithTimeout(c.Context(), requestTime(g.Timeout, c.Remaining()))
	defer cancel()
	answer, err := g.client.Do(ctx, request, body)
	if c.Context().Err() != nil { // the guest's time is up; guard knows why
		c.Abort(crash.Deadline, "its time ended during a request")
	}
	if err != nil {
		g.Log.Write(c.Context(), &g.failures, slog.LevelWarn, "request of the handler failed",
			slog.String("from", "handler http"),
			slog.String("method", request.Method()), slog.String("host", request.Host()),
			slog.String("error", err.Error()))
		return nil, statusOf(err)
	}
	return answer, 0
}

// requestTime returns how long a request may take. The guest keeps a tenth of its time, for a
// verdict about the event.
func requestTime(timeout, remaining time.Duration) time.Duration {
	return min(timeout, remaining-remaining/10)
}

func statusOf(err error) abi.Status {
	switch {
	case errors.Is(err, outbound.ErrBad):
		return abi.BadArgument
	case errors.Is(err, outbound.ErrDenied):
		return abi.Denied
	case errors.Is(err, outbound.ErrTooLarge):
		return abi.Quota
	}
	return abi.Unavailable
}

func (s *State) header(c hostfunc.Call, stack []uint64) {
	if c.Phase() != hostfunc.PhaseEvent {
		stack[0] = hostfunc.I32(abi.WrongPhase)
		return
	}
	name := c.Read(uint32(stack[0]), uint32(stack[1]))
	if len(name) > abi.MaxHTTPHead {
		stack[0] = hostfunc.I32(abi.BadArgument)
		return
	}
	if s.answer == nil {
		stack[0] = hostfunc.I32(abi.NotFound)
		return
	}
	values := s.answer.Header.Values(string(name))
	if len(values) == 0 {
		stack[0] = hostfunc.I32(abi.NotFound)
		return
	}
	stack[0] = c.Answer(uint32(stack[2]), uint32(stack[3]), strings.Join(values, ", "))
}

func (s *State) body(c hostfunc.Call, stack []uint64) {
	off, ptr, room := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	switch {
	case c.Phase() != hostfunc.PhaseEvent:
		stack[0] = hostfunc.I32(abi.WrongPhase)
		return
	case s.answer == nil:
		stack[0] = hostfunc.I32(abi.NotFound)
		return
	}
	text := s.answer.Body
	text = text[min(uint64(off), uint64(len(text))):]
	text = text[:min(uint64(room), uint64(len(text)))]
	copy(c.Read(ptr, uint32(len(text))), text)
	stack[0] = uint64(len(text))
}
