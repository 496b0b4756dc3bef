package author

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
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
	// handler is open until the next one is loaded, so that the same module is compiled once.
	handler  *plugins.Handler
	instance *plugins.Instance
	loading  time.Duration
	log      []string // what the module wrote while it was loaded
}

func newRig(ctx context.Context) *rig {
	j := &journal{}
	return &rig{host: daemon.CompilingHost(ctx, slog.New(j)), journal: j}
}

func (r *rig) close(ctx context.Context) error { return r.host.Close(ctx) }

// noNetwork answers no request.
var noNetwork = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("requests are not made here")
}}

// linesPerSecond replaces the rate in a grant, since a module on trial gets its events all at once.
const linesPerSecond = 100_000

// load loads a module. The error is a *plugins.LoadError if the module is to blame. Call unload
// before the next one is loaded.
func (r *rig) load(ctx context.Context, spec plugins.Spec) error {
	spec.CountCalls = true
	if log := spec.Grants.Log; log != nil {
		granted := *log
		granted.LinesPerSecond = linesPerSecond
		spec.Grants.Log = &granted
	}
	if http := spec.Grants.HTTP; http != nil {
		granted := *http
		granted.Transport = noNetwork
		spec.Grants.HTTP = &granted
	}
	r.journal.take()
	start := time.Now()
	handler, err := r.host.Load(ctx, spec)
	r.loading = time.Since(start)
	if err == nil {
		r.instance, err = handler.NewInstance(ctx)
	}
	if err != nil {
		return err
	}
	if r.handler != nil {
		_ = r.handler.Close(ctx) // nothing runs in it
	}
	r.handler, r.log = handler, r.journal.take()
	return nil
}

func (r *rig) unload(ctx context.Context) error {
	return r.instance.Close(ctx)
}

// outcome is the result of an event, as JSON as well.
type outcome struct {
	File    string            `json:"file"`
	Line    int               `json:"line"`
	Op      string            `json:"op"`
	Object  string            `json:"object"`
	Verdict string            `json:"verdict,omitempty"` // empty after a crash
	Message string            `json:"message,omitempty"`
	Emitted []emission        `json:"emitted,omitempty"`
	Log     []string          `json:"log,omitempty"` // as in "info: text", "stdout: text"
	Crash   string            `json:"crash,omitempty"`
	Stack   []string          `json:"stack,omitempty"`
	Fuel    int64             `json:"fuel"`
	Time    time.Duration     `json:"ns"`
	Calls   map[string]uint64 `json:"calls"` // by function, as in "event.v1 field"
	Memory  int64             `json:"memory"`

	crash *plugins.CrashError
}

// emission is what a module emitted: an event of a type, or data for the object's own event.
type emission struct {
	Type string          `json:"type,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// handle passes the module an event. The error is not the module's.
func (r *rig) handle(ctx context.Context, e event.Event) (o outcome, err error) {
	start := time.Now()
	done, err := r.instance.Handle(ctx, e)
	used := r.instance.Usage()
	o = outcome{Op: e.Op.String(), Object: e.Object.Key().String(), Time: time.Since(start),
		Fuel: r.instance.Fuel(), Calls: map[string]uint64{}, Log: r.journal.take(),
		Memory: used.Memory}
	for f, n := range used.Calls {
		o.Calls[strings.TrimPrefix(f.Module, "informerd/")+" "+f.Name] = n
	}
	if errors.As(err, &o.crash) {
		o.Crash, o.Stack = string(o.crash.Reason), o.crash.Stack
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.Verdict, o.Message = done.Verdict.String(), done.Message
	for _, emitted := range done.Emitted {
		found := emission{Data: emitted.Data}
		if emitted.Kind == abi.EmitEvent {
			if found.Type, found.Data, err = emitted.Event(); err != nil {
				return o, err
			}
		}
		o.Emitted = append(o.Emitted, found)
	}
	return o, nil
}
