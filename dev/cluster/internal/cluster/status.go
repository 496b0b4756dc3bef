package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/informerd/informerd/dev/cluster/internal/process"
)

// ErrNone means that no cluster was started in the directory, or that it was stopped.
var ErrNone = errors.New("no cluster is running")

// ComponentStatus is the status of one component that should be running.
type ComponentStatus struct {
	Name    string
	PID     int    // 0 if it is not running
	Address string // its URL
	Ready   error  // nil if it is, otherwise the reason; undefined if it is not running
}

// Running reports whether the component's process exists.
func (s ComponentStatus) Running() bool { return s.PID != 0 }

// Status returns the status of every component of the cluster in dir. The error is ErrNone if there
// is no cluster.
func Status(ctx context.Context, dir string) ([]ComponentStatus, error) {
	l, err := newLayout(dir)
	if err != nil {
		return nil, err
	}
	s, err := l.readSettings()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNone, l.dir)
	}
	if err != nil {
		return nil, err
	}
	running, err := process.List(l.dir)
	if err != nil {
		return nil, err
	}
	defer running.Close()
	probes, err := newProbes(l)
	if err != nil {
		return nil, err
	}

	all := components(l, s)
	status := make([]ComponentStatus, len(all))
	var asked sync.WaitGroup
	for i, c := range all {
		status[i] = ComponentStatus{Name: c.name, Address: c.address}
		found := running.Named(c.name)
		if len(found) == 0 {
			continue
		}
		status[i].PID = found[0].PID
		asked.Go(func() { status[i].Ready = probes.ready(ctx, c) })
	}
	asked.Wait()
	return status, nil
}
