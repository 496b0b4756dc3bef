package plugins

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/outbound"
)

// What the functions of informerd/http.v1 do; package abi says what they mean.

// failuresPerSecond is how many lines the host writes about a handler's requests that came to
// nothing.
const failuresPerSecond = 1

// httpCaller makes the requests of one handler's guests.
type httpCaller struct {
	client   *outbound.Client
	grant    HTTPGrant
	failures limiter
}

// httpState is what a guest has asked for and got during one event.
type httpState struct {
	requests int
	answer   *outbound.Response // of the last request; nil if there is none
}

// newHTTPCaller gives nil without a grant.
func newHTTPCaller(grant *HTTPGrant) (*httpCaller, error) {
	if grant == nil {
		return nil, nil
	}
	client, err := outbound.New(grant.outbound())
	if err != nil {
		return nil, err
	}
	return &httpCaller{client: client, grant: *grant,
		failures: limiter{perSecond: failuresPerSecond}}, nil
}

func (r *httpCaller) close() {
	if r != nil {
		r.client.Close()
	}
}

func httpRequest(c call, stack []uint64) {
	if c.phase != phaseEvent {
		stack[0] = status(abi.WrongPhase)
		return
	}
	head, body := c.read(uint32(stack[0]), uint32(stack[1])), c.read(uint32(stack[2]),
		uint32(stack[3]))
	c.http.answer = nil // the last one must not be taken for that of a request that failed
	answer, s := c.request(head, body)
	if s != 0 {
		stack[0] = status(s)
		return
	}
	c.http.answer = answer
	stack[0] = uint64(answer.Status)
}

func (c call) request(text, body []byte) (*outbound.Response, abi.Status) {
	r := c.module.caller
	if len(text) > abi.MaxHTTPHead {
		return nil, abi.BadArgument
	}
	head, err := outbound.ParseHead(text)
	if err != nil {
		return nil, abi.BadArgument
	}
	request, err := r.client.Prepare(head, int64(len(body)))
	if err != nil {
		return nil, httpStatus(err)
	}
	if c.http.requests >= r.grant.PerEvent {
		return nil, abi.Quota
	}
	c.http.requests++
	ctx, cancel := context.WithTimeout(c.ctx, requestTime(r.grant.Timeout, c.watch.left()))
	defer cancel()
	answer, err := r.client.Do(ctx, request, body)
	if c.ctx.Err() != nil { // the guest's time is up; guard knows why
		c.abort(ReasonDeadline, "its time ended during a request")
	}
	if err != nil {
		c.module.log.write(c.ctx, &r.failures, slog.LevelWarn, "request of the handler failed",
			slog.String("from", "handler http"),
			slog.String("method", request.Method()), slog.String("host", request.Host()),
			slog.String("error", err.Error()))
		return nil, httpStatus(err)
	}
	return answer, 0
}

// requestTime leaves the guest a tenth of its time to say what becomes of the event.
func requestTime(timeout, left time.Duration) time.Duration {
	return min(timeout, left-left/10)
}

// left is how long the running call may go on.
func (w *watch) left() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Until(w.deadline)
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

func httpHeader(c call, stack []uint64) {
	if c.phase != phaseEvent {
		stack[0] = status(abi.WrongPhase)
		return
	}
	name := c.read(uint32(stack[0]), uint32(stack[1]))
	if len(name) > abi.MaxHTTPHead {
		stack[0] = status(abi.BadArgument)
		return
	}
	if c.http.answer == nil {
		stack[0] = status(abi.NotFound)
		return
	}
	values := c.http.answer.Header.Values(string(name))
	if len(values) == 0 {
		stack[0] = status(abi.NotFound)
		return
	}
	stack[0] = c.answer(uint32(stack[2]), uint32(stack[3]), strings.Join(values, ", "))
}

func httpBody(c call, stack []uint64) {
	off, ptr, room := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	switch {
	case c.phase != phaseEvent:
		stack[0] = status(abi.WrongPhase)
		return
	case c.http.answer == nil:
		stack[0] = status(abi.NotFound)
		return
	}
	text := c.http.answer.Body
	text = text[min(uint64(off), uint64(len(text))):]
	text = text[:min(uint64(room), uint64(len(text)))]
	copy(c.read(ptr, uint32(len(text))), text)
	stack[0] = uint64(len(text))
}
