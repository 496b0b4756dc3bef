package handlers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/plugins"
)

// Reader reads what one listener's handler is loaded from.
type Reader struct {
	plan.Section
	Persist bool           // values outlast the daemon if the configuration says so
	Caches  plugins.Caches // of the listener
	Shard   string         // that the handler works on, "" for all objects
	KV      plugins.KVBacking
}

// Spec returns what a listener's module is loaded from, nil without an error if a mistake was
// reported.
func (r *Reader) Spec() (*plugins.Spec, error) {
	l := r.Listener
	grants, ok := r.Grants(l.Handler.Grants)
	path := r.Config.Path(l.Handler.Wasm)
	limits := LimitsOf(l.Handler.Limits)
	wasm, err := readModule(path, limits.Module)
	if err != nil {
		return nil, fmt.Errorf("listener %q: cannot read the handler: %w", l.Name, err)
	}
	if err := checkDigest(path, l.Handler.SHA256, wasm); err != nil {
		return nil, fmt.Errorf("listener %q: %w", l.Name, err)
	}
	if !ok {
		return nil, nil
	}
	return &plugins.Spec{
		Listener: l.Name, Path: path, Wasm: wasm, Config: l.Handler.Config, Grants: grants,
		Caches: r.Caches, Limits: limits, Shard: r.Shard, KV: r.KV,
	}, nil
}

// LimitsOf returns the limits of the configuration as the host of handlers takes them.
func LimitsOf(l config.Limits) plugins.Limits {
	return plugins.Limits{
		Memory: int64(l.Memory), Deadline: l.Deadline.Duration, Fuel: int64(l.Fuel),
		Recycle: int64(l.Recycle), Module: int64(l.Module), LoadTime: l.Load.Time.Duration,
		LoadMemory: int64(l.Load.Memory),
	}
}

// readModule reads a handler's file of at most limit bytes. It refuses what is not a regular file,
// since reading that may never end.
func readModule(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path) // opening one may never end, either
	switch {
	case err != nil:
		return nil, fmt.Errorf("open %s: %s", path, document.Reason(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are allowed: raise limits.module", path,
			info.Size(), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil // it became shorter; parsing it will fail
	}
	return data[:n], err
}

// checkDigest compares a module with the digest that the configuration wants, if it has one.
func checkDigest(path, want string, wasm []byte) error {
	if want == "" {
		return nil
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(wasm)); !strings.EqualFold(got, want) {
		return fmt.Errorf("handler %s has the SHA-256 %s, the configuration wants %s", path, got,
			want)
	}
	return nil
}
