package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// acquire makes commands on the same directory wait for each other. It returns a function that
// releases the lock; the end of this process releases it, too. The lock's file stays: it also marks
// the directory as a devcluster's.
func (l layout) acquire(ctx context.Context, say func(string, ...any)) (release func(), err error) {
	return l.lockFile(ctx, os.O_CREATE|os.O_RDWR, say)
}

// acquireExisting is acquire for commands that must not create a file in a directory that never had
// a cluster.
func (l layout) acquireExisting(ctx context.Context, say func(string, ...any)) (release func(),
	err error) {
	release, err = l.lockFile(ctx, os.O_RDWR, say)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	return release, err
}

func (l layout) lockFile(ctx context.Context, flag int, say func(string, ...any)) (release func(),
	err error) {
	f, err := os.OpenFile(l.lock(), flag, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the cluster's lock: %w", err)
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for waiting := false; ; waiting = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			f.Close()
			return nil, fmt.Errorf("cannot lock %s: %w", l.lock(), err)
		}
		if !waiting {
			say("waiting for another devcluster command on %s", l.dir)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("another devcluster command on %s did not end: %w", l.dir,
				context.Cause(ctx))
		case <-ticker.C:
		}
	}
}
