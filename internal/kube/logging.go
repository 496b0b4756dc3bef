package kube

import (
	"context"
	"errors"
	"log/slog"

	"k8s.io/klog/v2"
)

// SetLogger sends what client-go logs to log, for the whole process. Its informational lines become
// debug lines, and so do errors about requests that informerd itself has canceled. Its verbosity
// stays at 0, since nothing here sets klog's flags: at high verbosity it would log credentials
// (CVE-2019-11250, CVE-2020-8565).
func SetLogger(log *slog.Logger) {
	klog.SetSlogLogger(slog.New(quieter{log.Handler()}))
}

// quieter lowers the level of everything but warnings and errors by one: client-go's information is
// detail here.
type quieter struct{ slog.Handler }

func (h quieter) Enabled(ctx context.Context, level slog.Level) bool {
	return h.Handler.Enabled(ctx, lowered(level))
}

func (h quieter) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lowered(r.Level)
	if canceled(r) {
		r.Level = slog.LevelDebug
		if !h.Handler.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// canceled reports whether a record is about a request that was canceled: client-go calls that an
// error, but only a process that stops, or a listener that ends, cancels one.
func canceled(r slog.Record) (is bool) {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok && errors.Is(err, context.Canceled) {
			is = true
		}
		return !is
	})
	return is
}

func (h quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{h.Handler.WithAttrs(attrs)}
}

func (h quieter) WithGroup(name string) slog.Handler { return quieter{h.Handler.WithGroup(name)} }

func lowered(level slog.Level) slog.Level {
	if level < slog.LevelWarn {
		return level + slog.LevelDebug // slog.LevelDebug is -4
	}
	return level
}
