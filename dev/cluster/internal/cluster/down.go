package cluster

import (
	"context"
	"slices"
	"time"

	"github.com/informerd/informerd/dev/cluster/internal/process"
)

// Down stops the cluster in dir and removes everything but its logs. It reports whether there was
// one.
func Down(ctx context.Context, dir string, say func(string, ...any)) (stopped bool, err error) {
	l, err := newLayout(dir)
	if err != nil {
		return false, err
	}
	release, err := l.acquireExisting(ctx, say)
	if err != nil {
		return false, err
	}
	defer release()

	running, err := process.List(l.dir)
	if err != nil {
		return false, err
	}
	stopped = len(running) > 0
	running.Close()
	if err := stopAll(ctx, l); err != nil {
		return stopped, err
	}
	// the directory is gone or was never a cluster's: it contains nothing to remove
	if !l.owned() {
		return stopped, nil
	}
	return stopped, l.clean()
}

// stopGrace is the time between SIGTERM and SIGKILL. The API server is the slowest to exit, and
// takes a second or two while clients watch it.
const stopGrace = 20 * time.Second

// stopOrder stops clients before the servers they write to. The components of one step stop
// together.
var stopOrder = [][]string{{kwok, scheduler, controllerManager}, {apiServer}, {etcd}}

// stopAll stops every running component, in order.
func stopAll(ctx context.Context, l layout) error {
	for _, names := range stopOrder {
		if err := stopNamed(ctx, l, names...); err != nil {
			return err
		}
	}
	return nil
}

// stopNamed stops the named components together.
func stopNamed(ctx context.Context, l layout, names ...string) error {
	running, err := process.List(l.dir)
	if err != nil {
		return err
	}
	defer running.Close()
	var step process.Running
	for _, p := range running {
		if slices.Contains(names, p.Name) {
			step = append(step, p)
		}
	}
	return step.Stop(ctx, stopGrace)
}
