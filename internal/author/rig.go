package author

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// rig is the host in which modules are tried, one after the other.
type rig struct {
	host    *plugins.Host
	journal *journal
	// last is open until the next one is loaded, so that the same module is compiled once.
	last *plugins.Handler
}

func newRig(ctx context.Context) *rig {
	j := &journal{}
	return &rig{host: daemon.CompilingHost(ctx, slog.New(j)), journal: j}
}

func (r *rig) close(ctx context.Context) error { return r.host.Close(ctx) }

// setting is the environment of a module.
type setting struct {
	web *web // nil: the network
	kv  map[string]string
	now time.Time // zero: the real time
}

// subject is a loaded module. Close it before the next one is loaded.
type subject struct {
	rig      *rig
	instance *plugins.Instance
	values   *plugins.Values
	web      *web
	loading  time.Duration
	deadline time.Duration // of an event
	log      []string      // what it wrote while it was loaded
	notes    []string      // of the host
}

// remarkable is how long after its deadline an event may end without a note.
const remarkable = 100 * time.Millisecond

// linesPerSecond replaces the rate in a grant, since a module on trial gets its events all at once.
const linesPerSecond = 100_000

// load loads a module. The error is a *plugins.LoadError if the module is to blame.
func (r *rig) load(ctx context.Context, spec plugins.Spec, s setting) (*subject, error) {
	around(&spec, s)
	values, err := r.host.Values(spec.Listener)
	if err != nil {
		return nil, err
	}
	sub := &subject{rig: r, values: values, web: s.web, deadline: spec.Limits.Deadline}
	for key, value := range s.kv {
		if err := values.Set(key, value); err != nil {
			return nil, errors.Join(err, values.Close())
		}
	}
	r.journal.take()
	start := time.Now()
	handler, err := r.host.Load(ctx, spec)
	sub.loading = time.Since(start)
	if err == nil {
		sub.instance, err = handler.NewInstance(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, values.Close())
	}
	if r.last != nil {
		_ = r.last.Close(ctx) // nothing runs in it
	}
	r.last = handler
	sub.log, sub.notes = r.journal.take()
	return sub, nil
}

// around changes a spec for a trial.
func around(spec *plugins.Spec, s setting) {
	spec.CountCalls = true
	g := &spec.Grants
	if g.Log != nil {
		granted := *g.Log
		granted.LinesPerSecond = linesPerSecond
		g.Log = &granted
	}
	if g.HTTP != nil && s.web != nil {
		granted := *g.HTTP
		granted.Transport = s.web
		g.HTTP = &granted
	}
	// The clock of WASI needs no grant, and must have the same time; a module that imports clock.v1
	// without the grant must still be refused.
	if !s.now.IsZero() && (g.Clock != nil || !imports(spec.Wasm, abi.ModuleClock)) {
		g.Clock = &plugins.ClockGrant{Fixed: s.now}
	}
}

func imports(wasm []byte, module string) bool {
	in, err := plugins.Inspect(wasm)
	if err != nil {
		return false
	}
	for _, i := range in.Imports {
		if i.Module == module {
			return true
		}
	}
	return false
}

func (s *subject) close(ctx context.Context) error {
	return errors.Join(s.instance.Close(ctx), s.values.Close())
}

// Outcome is the result of an event.
type Outcome struct {
	Verdict  string     `json:"verdict,omitempty"` // empty after a crash
	Message  string     `json:"message,omitempty"`
	Emitted  []Emission `json:"emitted,omitempty"`
	Log      []string   `json:"log,omitempty"` // as in "info: text", "stdout: text"
	Requests []Request  `json:"requests,omitempty"`
	Crash    *Crash     `json:"crash,omitempty"`
	Notes    []string   `json:"notes,omitempty"` // of the host

	Fuel   int64             `json:"fuel"`
	Time   time.Duration     `json:"ns"`
	Calls  map[string]uint64 `json:"calls"` // by function, as in "event.v1 field"
	Memory int64             `json:"memory"`

	late time.Duration // beyond its deadline, if that is worth a note
}

// Emission is what a module emitted: an event of a type, or data for the object's own event.
type Emission struct {
	Type string          `json:"type,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Crash is how a module crashed.
type Crash struct {
	Reason string `json:"reason"`
	Func   string `json:"function"`
	Text   string `json:"text"` // of several lines
	// Stack has the functions that it was in, the innermost first, as plugins.CrashError has them.
	Stack []string `json:"stack,omitempty"`
}

// handle passes the module an event. The error is not the module's.
func (s *subject) handle(ctx context.Context, e event.Event) (Outcome, error) {
	start := time.Now()
	r, err := s.instance.Handle(ctx, e)
	o := Outcome{Time: time.Since(start), Fuel: s.instance.Fuel(), Calls: map[string]uint64{},
		Requests: s.web.take()}
	if late := o.Time - s.deadline; s.deadline > 0 && late > remarkable {
		o.late = late
	}
	o.Log, o.Notes = s.rig.journal.take()
	used := s.instance.Usage()
	o.Memory = used.Memory
	for f, n := range used.Calls {
		o.Calls[callName(f)] = n
	}
	var crash *plugins.CrashError
	switch {
	case errors.As(err, &crash):
		o.Crash = &Crash{Reason: string(crash.Reason), Func: crash.Func,
			Text: crash.Cause.Error(), Stack: crash.Stack}
		return o, nil
	case err != nil:
		return o, err
	}
	o.Verdict, o.Message = r.Verdict.String(), r.Message
	for _, emitted := range r.Emitted {
		found := Emission{Data: emitted.Data}
		if emitted.Kind == abi.EmitEvent {
			if found.Type, found.Data, err = emitted.Event(); err != nil {
				return o, err
			}
		}
		o.Emitted = append(o.Emitted, found)
	}
	return o, nil
}
