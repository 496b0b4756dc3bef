package daemon

import (
	"context"
	"log/slog"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/pkg/plugins"
)

// CompilingHost returns a host of handlers that keeps compiled code in the user's cache. If
// there is none, it compiles a module each time that it is loaded.
func CompilingHost(ctx context.Context, log *slog.Logger) *plugins.Host {
	cfg := plugins.HostConfig{Log: log, Compiler: plugins.SelfCompiler(),
		CacheDir: statefolder.UserCache()}
	host := plugins.NewHost(cfg)
	if host.Open(ctx) == nil {
		return host
	}
	_ = host.Close(ctx) // nothing was loaded
	cfg.CacheDir = ""
	return plugins.NewHost(cfg)
}

// openHost opens the folder for compiled code, if there are handlers, so that what is wrong with it
// is not blamed on one of them.
func openHost(ctx context.Context, cfg *config.Config, host *plugins.Host) error {
	if !hasHandlers(cfg) {
		return nil
	}
	if err := host.Open(ctx); err != nil {
		return config.Errors{cfg.ErrorAt("state.dir", "state.dir: "+err.Error(), "")}
	}
	return nil
}

func hasHandlers(cfg *config.Config) bool {
	return slices.ContainsFunc(cfg.ListenersInOrder(), func(l *config.Listener) bool {
		return l.Handler != nil
	})
}

// logEngine logs what runs the handlers. An interpreter takes many times as long as a compiler, so
// its reason is a warning.
func logEngine(ctx context.Context, log *slog.Logger, host *plugins.Host) {
	engine, why := host.Engine(ctx)
	if why == "" {
		log.Info("handlers are run by wazero", "engine", engine)
		return
	}
	log.Warn("handlers are run by wazero, and slowly", "engine", engine, "reason", why)
}
