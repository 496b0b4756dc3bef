package plugins

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// failuresPerSecond is how many lines are logged about a handler's requests that failed.
const failuresPerSecond = 1

var httpFunctions = []function{
	httpFunc("request", (*httpState).request),
	httpFunc("header", (*httpState).header),
	httpFunc("body", (*httpState).body),
}

func httpFunc(name string, body func(*httpState, call, []uint64)) function {
	return define(abi.ModuleHTTP, name, func(c call, stack []uint64) { body(&c.http, c, stack) })
}

// httpState is what a guest has asked for and got during one event.
type httpState struct {
	requests int
	answer   *outbound.Response // of the last request; nil if there is none
}

// endEvent forgets the answer, and starts counting requests again.
func (s *httpState) endEvent() { s.requests, s.answer = 0, nil }

func (s *httpState) request(c call, stack []uint64) {
	if c.phase != phaseEvent {
		stack[0] = i32(abi.WrongPhase)
		return
	}
	head := c.read(uint32(stack[0]), uint32(stack[1]))
	body := c.read(uint32(stack[2]), uint32(stack[3]))
	s.answer = nil // the last one must not be taken for that of a request that failed
	answer, status := s.send(c, head, body)
	if status != 0 {
		stack[0] = i32(status)
		return
	}
	s.answer = answer
	stack[0] = uint64(answer.Status)
}

func (s *httpState) send(c call, text, body []byte) (*outbound.Response, abi.Status) {
	h, grant := c.handler, c.handler.spec.Grants.HTTP
	if len(text) > abi.MaxHTTPHead {
		return nil, abi.BadArgument
	}
	head, err := outbound.ParseHead(text)
	if err != nil {
		return nil, abi.BadArgument
	}
	request, err := h.client.Prepare(head, int64(len(body)))
	if err != nil {
		return nil, httpStatus(err)
	}
	if s.requests >= grant.PerEvent {
		return nil, abi.Quota
	}
	s.requests++
	ctx, cancel := context.WithTimeout(c.calls, requestTime(grant.Timeout, c.calls.remaining()))
	defer cancel()
	h.host.turns.end(c.guest)
	answer, err := h.client.Do(ctx, request, body)
	if c.calls.Err() != nil { // the guest's time is up; guard knows why
		c.abort(ReasonDeadline, "its time ended during a request")
	}
	if err != nil {
		h.log.write(c.calls, &h.failures, slog.LevelWarn, "request of the handler failed",
			slog.String("from", "handler http"),
			slog.String("method", request.Method()), slog.String("host", request.Host()),
			slog.String("error", err.Error()))
		return nil, httpStatus(err)
	}
	return answer, 0
}

// requestTime returns how long a request may take. The guest keeps a tenth of its time, for a
// verdict about the event.
func requestTime(timeout, remaining time.Duration) time.Duration {
	return min(timeout, remaining-remaining/10)
}

func httpStatus(err error) abi.Status {
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

func (s *httpState) header(c call, stack []uint64) {
	if c.phase != phaseEvent {
		stack[0] = i32(abi.WrongPhase)
		return
	}
	name := c.read(uint32(stack[0]), uint32(stack[1]))
	if len(name) > abi.MaxHTTPHead {
		stack[0] = i32(abi.BadArgument)
		return
	}
	if s.answer == nil {
		stack[0] = i32(abi.NotFound)
		return
	}
	values := s.answer.Header.Values(string(name))
	if len(values) == 0 {
		stack[0] = i32(abi.NotFound)
		return
	}
	stack[0] = c.answer(uint32(stack[2]), uint32(stack[3]), strings.Join(values, ", "))
}

func (s *httpState) body(c call, stack []uint64) {
	off, ptr, room := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	switch {
	case c.phase != phaseEvent:
		stack[0] = i32(abi.WrongPhase)
		return
	case s.answer == nil:
		stack[0] = i32(abi.NotFound)
		return
	}
	text := s.answer.Body
	text = text[min(uint64(off), uint64(len(text))):]
	text = text[:min(uint64(room), uint64(len(text)))]
	copy(c.read(ptr, uint32(len(text))), text)
	stack[0] = uint64(len(text))
}
