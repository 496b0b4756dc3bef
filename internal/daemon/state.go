package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/plugins"
)

// What there is in the folder for state.
const (
	handlersFile   = "handlers.db" // the values of handlers
	compiledFolder = "compiled"    // their compiled code
)

// keepState tells the host of handlers where to keep what outlasts the daemon, if there is a folder for that. It makes it.
func keepState(cfg *config.Config, host *plugins.HostConfig) error {
	if cfg.State.Dir == "" {
		return nil
	}
	dir := cfg.Path(cfg.State.Dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return config.Errors{cfg.ErrorAt("state.dir", fmt.Sprintf("state.dir: the folder %s cannot be made: %s", dir, withoutPath(err)), "")}
	}
	host.KVPath, host.CacheDir = filepath.Join(dir, handlersFile), filepath.Join(dir, compiledFolder)
	return nil
}

// openHost finds out what is wrong with the folder for compiled code, if there are handlers, before one of them is blamed.
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
	return slices.ContainsFunc(cfg.ListenersInOrder(), func(l *config.Listener) bool { return l.Handler != nil })
}

// logEngine says what runs the handlers. An interpreter takes many times as long as a compiler, so its reason is a warning.
func logEngine(ctx context.Context, log *slog.Logger, host *plugins.Host) {
	engine, why := host.Engine(ctx)
	if why == "" {
		log.Info("handlers are run by wazero", "engine", engine)
		return
	}
	log.Warn("handlers are run by wazero, and slowly", "engine", engine, "reason", why)
}
