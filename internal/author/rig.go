package author

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
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

// subject is a loaded module. Close it before the next one is loaded.
type subject struct {
	rig      *rig
	instance *plugins.Instance
	values   *plugins.Values
	loading  time.Duration
	log      []string // what it wrote while it was loaded
}

// noNetwork answers no request.
type noNetwork struct{}

// RoundTrip returns an error.
func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("requests are not made here")
}

// linesPerSecond replaces the rate in a grant, since a module on trial gets its events all at once.
const linesPerSecond = 100_000

// load loads a module. The error is a *plugins.LoadError if the module is to blame.
func (r *rig) load(ctx context.Context, spec plugins.Spec) (*subject, error) {
	spec.CountCalls = true
	if log := spec.Grants.Log; log != nil {
		granted := *log
		granted.LinesPerSecond = linesPerSecond
		spec.Grants.Log = &granted
	}
	if http := spec.Grants.HTTP; http != nil {
		granted := *http
		granted.Transport = noNetwork{}
		spec.Grants.HTTP = &granted
	}
	values, err := r.host.Values(spec.Listener)
	if err != nil {
		return nil, err
	}
	sub := &subject{rig: r, values: values}
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
	sub.log = r.journal.take()
	return sub, nil
}

func (s *subject) close(ctx context.Context) error {
	return errors.Join(s.instance.Close(ctx), s.values.Close())
}

// outcome is the result of an event.
type outcome struct {
	verdict, message string // empty after a crash
	emitted          []emission
	log              []string // as in "info: text", "stdout: text"
	crash            *plugins.CrashError

	fuel   int64
	time   time.Duration
	calls  map[string]uint64 // by function, as in "event.v1 field"
	memory int64
}

// emission is what a module emitted: an event of a type, or data for the object's own event.
type emission struct {
	Type string          `json:"type,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// handle passes the module an event. The error is not the module's.
func (s *subject) handle(ctx context.Context, e event.Event) (o outcome, err error) {
	start := time.Now()
	r, err := s.instance.Handle(ctx, e)
	used := s.instance.Usage()
	o = outcome{time: time.Since(start), fuel: s.instance.Fuel(), calls: map[string]uint64{},
		log: s.rig.journal.take(), memory: used.Memory}
	for f, n := range used.Calls {
		o.calls[callName(f)] = n
	}
	if errors.As(err, &o.crash) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.verdict, o.message = r.Verdict.String(), r.Message
	for _, emitted := range r.Emitted {
		found := emission{Data: emitted.Data}
		if emitted.Kind == abi.EmitEvent {
			if found.Type, found.Data, err = emitted.Event(); err != nil {
				return o, err
			}
		}
		o.emitted = append(o.emitted, found)
	}
	return o, nil
}
