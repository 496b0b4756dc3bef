package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/informerd/informerd/dev/cluster/internal/process"
)

// RestartAPIServer ends the API server, if it is running, and starts it again with the same port,
// certificates and data, and with the same feature gates if gates is nil. Everything else keeps
// running. If the new one does not become ready, it is stopped.
func RestartAPIServer(ctx context.Context, dir string, gates *string, timeout time.Duration,
	say func(string, ...any)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	l, err := newLayout(dir)
	if err != nil {
		return err
	}
	release, err := l.acquireExisting(ctx, say)
	if err != nil {
		return err
	}
	defer release()

	s, err := l.readSettings()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s: start one with up", ErrNone, l.dir)
	}
	if err != nil {
		return err
	}
	running, err := process.List(l.dir)
	if err != nil {
		return err
	}
	defer running.Close()
	if len(running.Named(etcd)) == 0 {
		return fmt.Errorf("etcd is not running in %s, so an API server would not start: start again with up", l.dir)
	}
	if err := running.Named(apiServer).Stop(ctx, stopGrace); err != nil {
		return err
	}

	starter, err := newStarter(l, say)
	if err != nil {
		return err
	}
	if gates != nil {
		s.FeatureGates = *gates
	}
	c := apiServerComponent(l, s)
	if err := starter.start(c); err != nil {
		return err
	}
	if err := starter.awaitReady(ctx, c, pollQuick); err != nil {
		return errors.Join(err, stopNamed(context.WithoutCancel(ctx), l, apiServer))
	}
	if gates == nil {
		return nil
	}
	return l.writeSettings(s)
}
