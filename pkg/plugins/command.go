package plugins

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// command is one run of a WASI command: the events that it reads, and the verdicts that it writes.
type command struct {
	guest  *guest
	begun  int    // events whose line it has begun to read
	in     []byte // of the last of them
	rest   []byte // what it has not read of that
	out    []byte // the line that it has not completed
	exited bool   // it ended itself, successfully
}

// runCommand calls _start.
func (g *guest) runCommand(ctx context.Context) ([]Result, error) {
	c := &command{guest: g}
	g.command = c
	g.events.batch.pulled++
	err := g.guard(ctx, abi.ExportStart, g.batchTime, g.callSingle)
	if err == nil {
		if broken := c.line(c.out); broken != nil { // the last line may have no end
			err = g.crash(abi.ExportStart, ReasonProtocol, broken)
		}
	}
	if err != nil {
		return nil, err
	}
	results := g.events.batch.results
	if got, want := len(results), len(g.events.batch.events); got < want {
		return nil, g.crash(abi.ExportStart, ReasonProtocol,
			fmt.Errorf("it ended with %d verdicts for %d events", got, want))
	}
	return results, nil
}

// read fills b with what is next on stdin.
func (c *command) read(b []byte) (read int) {
	for len(b) > 0 && c.more() {
		copied := copy(b, c.rest)
		c.rest, b = c.rest[copied:], b[copied:]
		read += copied
	}
	return read
}

// more reports whether there is more to read, and makes the next line if need be.
func (c *command) more() bool {
	if len(c.rest) > 0 {
		return true
	}
	events := c.guest.events.batch.events
	if c.begun == len(events) {
		return false
	}
	c.in = appendEvent(c.in[:0], events[c.begun], c.guest.handler.spec.Config)
	c.rest = c.in
	c.begun++
	return true
}

// appendEvent appends an event as a line of JSON.
func appendEvent(b []byte, e event.Event, config []byte) []byte {
	b = append(b, `{"op":"`...)
	b = append(b, e.Op.String()...)
	b = append(b, '"')
	if e.Initial {
		b = append(b, `,"initial":true`...)
	}
	if e.FinalStateUnknown {
		b = append(b, `,"finalStateUnknown":true`...)
	}
	if e.Missed > 0 {
		b = append(b, `,"missed":`...)
		b = strconv.AppendInt(b, int64(e.Missed), 10)
	}
	if e.Resumed {
		b = append(b, `,"resumed":true`...)
	}
	from := len(b)
	if config = bytes.TrimSpace(config); string(config) != "{}" {
		b = append(append(b, `,"config":`...), config...)
	}
	b = append(append(b, `,"object":`...), e.Object.JSON()...)
	if e.Old != nil {
		b = append(append(b, `,"old":`...), e.Old.JSON()...)
	}
	for i, c := range b[from:] { // a line's end is nothing but space in JSON
		if c == '\n' || c == '\r' {
			b[from+i] = ' '
		}
	}
	return append(b, '}', '\n')
}

// write takes what the command writes to stdout.
func (c *command) write(_ context.Context, b []byte) {
	longest := int(c.guest.events.rules().Bytes) + 64<<10
	for len(b) > 0 {
		line, rest, complete := bytes.Cut(b, []byte{'\n'})
		if c.out = append(c.out, line...); len(c.out) > longest {
			c.guest.abort(ReasonProtocol, "a line of its output has more than %d bytes",
				longest)
		}
		if complete {
			if err := c.line(c.out); err != nil {
				c.guest.abort(ReasonProtocol, "%w", err)
			}
			c.out = c.out[:0]
		}
		b = rest
	}
}

// line takes the verdict about the next event.
func (c *command) line(text []byte) error {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil
	}
	events, verdicts := &c.guest.events, len(c.guest.events.batch.results)
	if n := len(events.batch.events); verdicts == n {
		return fmt.Errorf("it writes more than one line for each of %d events: %.100q", n, text)
	}
	r, err := c.guest.parseVerdict(text)
	if err != nil {
		return fmt.Errorf("its verdict about event %d is %.100q: %w", verdicts, text, err)
	}
	events.addResult(r)
	events.batch.pulled++
	return nil
}

var verdicts = map[string]abi.Verdict{"done": abi.Done, "drop": abi.Drop, "retry": abi.Retry,
	"fail": abi.Fail}

// parseVerdict parses a line of the command's output.
func (g *guest) parseVerdict(text []byte) (Result, error) {
	var v struct {
		Verdict *string           `json:"verdict"`
		Error   string            `json:"error"`
		Emit    []json.RawMessage `json:"emit"`
	}
	if !validJSON(text) {
		return Result{}, errors.New("it is not valid JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return Result{}, err
	}
	if v.Verdict == nil {
		return Result{}, errors.New("verdict is missing")
	}
	verdict, ok := verdicts[*v.Verdict]
	if !ok {
		return Result{}, fmt.Errorf("verdict %q is none of done, drop, retry and fail",
			*v.Verdict)
	}
	g.events.endEvent()
	for n, e := range v.Emit {
		if err := g.emitElement(e); err != nil {
			return Result{}, fmt.Errorf("emit[%d]: %w", n, err)
		}
	}
	r := g.events.result(verdict)
	r.Message = validText([]byte(v.Error), abi.MaxMessage)
	if verdict != abi.Done {
		r.Emitted = nil
	}
	return r, nil
}

// emitElement emits an element of emit, one with a type as an event and one without as data.
func (g *guest) emitElement(text json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return errors.New("it is not a JSON object")
	}
	kind := abi.EmitEvent
	if data, ok := fields["data"]; ok && len(fields) == 1 {
		kind, text = abi.EmitData, data
	}
	switch s := g.events.take(kind, text); s {
	case 0:
		return nil
	case abi.Quota:
		return errors.New("it is too much for one event")
	case abi.Denied:
		return g.events.rules().denial(kind, text)
	}
	_, _, err := parseEvent(text)
	return err
}
