package guesttest_test

import (
	"log/slog"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

func TestGuest(t *testing.T) {
	wasm := Guest{
		Configure: []Action{Call(abi.ModuleKV, "set", "k", "v", int64(0))},
		Events: map[int][]Action{
			1: {Emit(`{"type":"a.b"}`)},
			3: {Reason("why"), Return(3)},
			4: {Trap()},
		},
	}.Bytes()
	host := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.DiscardHandler)})
	defer host.Close(t.Context())
	h, err := host.Load(t.Context(),
		plugins.Spec{Listener: "l", Wasm: wasm, Grants: plugins.Grants{KV: &plugins.KVGrant{}}})
	if err != nil {
		t.Fatal(err)
	}
	i, err := h.NewInstance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close(t.Context())
	var p object.Parser
	o, err := p.Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[event.Op]plugins.Result{
		event.Add:    {Verdict: plugins.Done, Emitted: []plugins.Emission{{}}},
		event.Update: {Verdict: plugins.Done},
		event.Delete: {Verdict: plugins.Fail, Message: "why"},
	} {
		r, err := i.Handle(t.Context(), event.Event{Op: op, Object: o})
		if err != nil || r.Verdict != want.Verdict || r.Message != want.Message ||
			len(r.Emitted) != len(want.Emitted) {
			t.Errorf("%s: got %+v, %v", op, r, err)
		}
	}
	if _, err := i.Handle(t.Context(), event.Event{Op: event.Resync, Object: o}); err == nil {
		t.Error("it did not crash")
	}
}
