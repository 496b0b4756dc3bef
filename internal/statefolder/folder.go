// Package statefolder opens what is in the folder for state: the key of the digests of Secrets,
// dead letters, checkpoints, and the files of the host of handlers. Its errors are config.Errors
// that name state.dir.
package statefolder

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/plugins"
)

const (
	// CompiledFolder is the name of the folder for compiled code of handlers.
	CompiledFolder = "compiled"
)

// The other files in the folder for state.
const (
	handlersFile  = "handlers.db" // the values of handlers
	digestKeyFile = "secrets.key" // the key of the digests of Secrets
	// the folders for the checkpoint, and with one for each of several clusters
	checkpointFolder, clustersFolder = "checkpoint", "clusters"
)

// Prepare makes the folder for state, if the configuration has one, and sets where the host of
// handlers keeps what outlasts the daemon.
func Prepare(cfg *config.Config, host *plugins.HostConfig) error {
	if cfg.State.Dir == "" {
		return nil
	}
	dir := cfg.Path(cfg.State.Dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return config.Errors{cfg.ErrorAt("state.dir",
			fmt.Sprintf("state.dir: the folder %s cannot be made: %s", dir, document.Reason(err)), "")}
	}
	if err := checkFolder(dir); err != nil {
		return config.Errors{cfg.ErrorAt("state.dir", "state.dir: "+document.Reason(err), "")}
	}
	host.KVPath, host.CacheDir = filepath.Join(dir, handlersFile),
		filepath.Join(dir, CompiledFolder)
	return nil
}

// DigestKey returns the key of the digests of Secrets from the folder for state, where it makes one
// if there is none yet. So a value has the same digest after a restart. It is nil without such a
// folder, or if no Secrets are watched.
func DigestKey(cfg *config.Config) ([]byte, error) {
	if cfg.State.Dir == "" || !watchesSecrets(cfg) {
		return nil, nil
	}
	path := filepath.Join(cfg.Path(cfg.State.Dir), digestKeyFile)
	wrong := func(what string) error {
		return config.Errors{cfg.ErrorAt("state.dir",
			fmt.Sprintf("state.dir: the key of the digests of Secrets, %s, %s", path, what), "")}
	}
	if info, err := os.Lstat(path); err == nil {
		if err := checkPrivate(info, path, 0o007); err != nil {
			return nil, config.Errors{cfg.ErrorAt("state.dir", "state.dir: "+err.Error(), "")}
		}
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key := make([]byte, sha256.Size)
		rand.Read(key)
		if err := writeKey(path, key); err != nil {
			return nil, wrong("cannot be written: " + document.Reason(err))
		}
		return key, nil
	}
	if err != nil {
		return nil, wrong("cannot be read: " + document.Reason(err))
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
	if err := os.Remove(path + ".new"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
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

// UserCache returns the folder for compiled code of commands that do not use a daemon's state, ""
// if there can be none.
func UserCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "informerd", CompiledFolder)
}
