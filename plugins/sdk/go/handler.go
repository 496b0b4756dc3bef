package informerd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Verdict is a handler's decision about an event.
type Verdict int32

// The verdicts.
const (
	Done  Verdict = 0 // the event, or what was emitted in its place, goes to the outputs
	Drop  Verdict = 1 // nothing goes to the outputs
	Retry Verdict = 2 // try this event again later
	Fail  Verdict = 3 // do not try again; the event becomes a dead letter
)

// Handler is a guest's implementation. OnEvent is required.
type Handler struct {
	// Configure runs once, before the first event. It reads the configuration and rejects invalid
	// settings.
	Configure func() error
	// OnEvent runs for each event. The event is valid until OnEvent returns; the next one reuses
	// its memory.
	OnEvent func(e *Event) Verdict
}

var registered Handler

// Register makes h the handler of this guest. Call it once, in an init function.
func Register(h Handler) {
	if registered.OnEvent != nil {
		panic("informerd: Register was called twice")
	}
	if h.OnEvent == nil {
		panic("informerd: Register needs a handler with OnEvent")
	}
	registered = h
}

func init() {
	host.Configure = configure
	host.OnEvent = onEvent
}

// configure runs when the host calls the export of that name.
func configure() int32 {
	if err := prepare(); err != nil {
		host.ResultError(err.Error())
		return 1
	}
	return 0
}

func prepare() error {
	switch {
	case registered.OnEvent == nil:
		return errors.New("the guest registers no handler: call informerd.Register in an init function")
	case host.Batches && host.OnBatch == nil:
		return errors.New("the guest imports package batch, but registers its handler with informerd.Register: call batch.Register")
	}
	compiled, prefetchCalled = nil, false
	if compileDeclared != nil {
		if err := compileDeclared(); err != nil {
			return err
		}
	}
	configuring = true
	defer func() { configuring = false }()
	if registered.Configure != nil {
		if err := registered.Configure(); err != nil {
			return err
		}
	}
	if prefetchDefault == nil {
		return nil
	}
	return prefetchDefault()
}

// onEvent runs when the host calls the export on_event.
func onEvent(op, flags, objectLen, oldLen uint32) int32 {
	begin(op, flags, objectLen, oldLen)
	return int32(registered.OnEvent(&current))
}

// Config decodes the handler's configuration into v, a pointer to a struct. An unknown field is an
// error.
func Config(v any) error {
	text, _ := readAll(host.ConfigGet)
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil && err != io.EOF {
		return fmt.Errorf("config: %w", err)
	}
	return nil
}
