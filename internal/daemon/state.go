package daemon

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/plugins"
)

// The files in the folder for state.
const (
	handlersFile   = "handlers.db" // the values of handlers
	compiledFolder = "compiled"    // their compiled code
	digestKeyFile  = "secrets.key" // the key of the digests of Secrets
)

// userCache returns the folder for compiled code of commands that do not use a daemon's state, ""
// if there can be none.
func userCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "informerd", compiledFolder)
}

// CompilingHost returns a host of handlers that keeps compiled code in the user's cache. If
// there is none, it compiles a module each time that it is loaded.
func CompilingHost(ctx context.Context, log *slog.Logger) *plugins.Host {
	cfg := plugins.HostConfig{Log: log, Compiler: plugins.SelfCompiler(), CacheDir: userCache()}
	host := plugins.NewHost(cfg)
	if host.Open(ctx) == nil {
		return host
	}
	_ = host.Close(ctx) // nothing was loaded
	cfg.CacheDir = ""
	return plugins.NewHost(cfg)
}

// keepState makes the folder for state, if the configuration has one, and sets where the host of
// handlers keeps what outlasts the daemon.
func keepState(cfg *config.Config, host *plugins.HostConfig) error {
	if cfg.State.Dir == "" {
		return nil
	}
	dir := cfg.Path(cfg.State.Dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return config.Errors{cfg.ErrorAt("state.dir",
			fmt.Sprintf("state.dir: the folder %s cannot be made: %s", dir, withoutPath(err)), "")}
	}
	host.KVPath, host.CacheDir = filepath.Join(dir, handlersFile),
		filepath.Join(dir, compiledFolder)
	return nil
}

// digestKey returns the key of the digests of Secrets from the folder for state, where it makes one
// if there is none yet. So a value has the same digest after a restart. It is nil without such a
// folder, or if no Secrets are watched.
func digestKey(cfg *config.Config) ([]byte, error) {
	if cfg.State.Dir == "" || !watchesSecrets(cfg) {
		return nil, nil
	}
	path := filepath.Join(cfg.Path(cfg.State.Dir), digestKeyFile)
	wrong := func(what string) error {
		return config.Errors{cfg.ErrorAt("state.dir",
			fmt.Sprintf("state.dir: the key of the digests of Secrets, %s, %s", path, what), "")}
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key := make([]byte, sha256.Size)
		rand.Read(key)
		if err := writeKey(path, key); err != nil {
			return nil, wrong("cannot be written: " + withoutPath(err))
		}
		return key, nil
	}
	if err != nil {
		return nil, wrong("cannot be read: " + withoutPath(err))
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != sha256.Size {
		return nil, wrong(fmt.Sprintf(
			"is damaged: it should be %d hexadecimal digits; restore it, or remove it, which changes all digests once", 2*sha256.Size))
	}
	return key, nil
}

// writeKey writes the file completely or not at all.
func writeKey(path string, key []byte) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%x\n", key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func watchesSecrets(cfg *config.Config) bool {
	return slices.ContainsFunc(cfg.ListenersInOrder(), func(l *config.Listener) bool {
		for _, inf := range l.Informers() {
			if inf.AllowSecrets {
				return true
			}
		}
		return l.Informer().AllowSecrets
	})
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
