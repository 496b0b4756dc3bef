package handlers

import (
	"context"
	"errors"
	"log/slog"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// openInformerd runs a guest in informerd's host. Metering and a deadline are always on.
func openInformerd(build func() ([]byte, error)) func(context.Context) (call, func() error, error) {
	return func(ctx context.Context) (call, func() error, error) {
		wasm, err := build()
		if err != nil {
			return nil, nil, err
		}
		host := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.DiscardHandler)})
		instance, err := start(ctx, host, wasm)
		if err != nil {
			return nil, nil, errors.Join(err, host.Close(ctx))
		}
		return func(o *object.Object) (int32, error) {
			r, err := instance.Handle(ctx, event.Event{Op: event.Add, Object: o})
			return int32(r.Verdict), err
		}, func() error { return errors.Join(instance.Close(ctx), host.Close(ctx)) }, nil
	}
}

func start(ctx context.Context, host *plugins.Host, wasm []byte) (*plugins.Instance, error) {
	handler, err := host.Load(ctx,
		plugins.Spec{Listener: "pods", Wasm: wasm, Limits: plugins.Limits{Deadline: deadline}})
	if err != nil {
		return nil, err
	}
	return handler.NewInstance(ctx)
}
