// Package cluster starts, stops and describes a control plane whose files are all in one directory.
//
// The steps of a start: directory and lock (layout.go, lock.go) -> existing processes and files
// (up.go) -> ports and certificates (ports.go, package pki) -> components one after the other, each
// probed until it is ready (components.go, start.go, probe.go) -> nodes (nodes.go) -> the
// kubeconfig, whose presence means success. Which components are running is known from the process
// table alone (package process), never from a file.
// process), never from a file.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/informerd/informerd/dev/cluster/internal/pki"
	"github.com/informerd/informerd/dev/cluster/internal/process"
)

// DefaultTimeout is the time limit of a start; a slow machine takes a minute.
const DefaultTimeout = 3 * time.Minute

// Options of Up. The zero value starts etcd and the API server.
type Options struct {
	Controllers bool   // also run the controller manager, the scheduler and kwok
	Nodes       int    // number of nodes, with Controllers; default 3
	Kwok        string // path of kwok; default: next to this program
	// FeatureGates are the API server's, in the form of its flag.
	FeatureGates string
	Timeout      time.Duration // for the whole start; default DefaultTimeout
	// Say receives progress in short lines; default: discarded.
	Say func(format string, args ...any)
}

func (o Options) withDefaults() Options {
	if o.Nodes == 0 {
		o.Nodes = 3
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	return o
}

// errTimeout is the cause of a context that has ended by Options.Timeout.
var errTimeout = errors.New("the start took too long; a slow machine may need a longer --timeout")

// adoptTimeout is the time in which a running cluster must become ready.
const adoptTimeout = 20 * time.Second

var errUnhealthy = errors.New("timed out waiting for it")

// Up makes a cluster run in dir and returns the path of its kubeconfig. A cluster that already runs
// there is left alone; the remains of one that does not run are removed. If Up fails, it stops
// everything that it has started.
func Up(ctx context.Context, dir string, o Options) (kubeconfig string, err error) {
	o = o.withDefaults()
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
	defer cancel()

	l, err := newLayout(dir)
	if err != nil {
		return "", err
	}
	if err := l.create(); err != nil {
		return "", err
	}
	release, err := l.acquire(ctx, o.Say)
	if err != nil {
		return "", err
	}
	defer release()

	if done, err := takeOver(ctx, l, o); err != nil || done {
		return l.kubeconfig(), err
	}
	if err := startAll(ctx, l, o); err != nil {
		// The failure may be that ctx has ended, but the components still need time to exit in
		// order.
		stopErr := stopAll(context.WithoutCancel(ctx), l)
		return "", errors.Join(err, stopErr, l.clean())
	}
	return l.kubeconfig(), nil
}

// takeOver handles what is already in the directory. It returns done if that is the requested
// cluster, otherwise the directory is empty except for logs.
func takeOver(ctx context.Context, l layout, o Options) (done bool, err error) {
	running, err := process.List(l.dir)
	if err != nil {
		return false, err
	}
	defer running.Close()
	if len(running) == 0 {
		if l.used() {
			o.Say("removing the remains of an earlier run in %s", l.dir)
		}
		return false, l.clean()
	}

	missing := missingFrom(l, running)
	if missing == "" {
		return true, adopt(ctx, l, o)
	}
	o.Say("the cluster in %s is incomplete, %s is missing: stopping the rest and starting again",
		l.dir, missing)
	if err := stopAll(ctx, l); err != nil {
		return false, err
	}
	return false, l.clean()
}

// missingFrom returns the first thing without which the running processes are not a complete
// cluster, "" if none.
func missingFrom(l layout, running process.Running) string {
	s, err := l.readSettings()
	if err != nil {
		return filepath.Base(l.settings())
	}
	for _, c := range components(l, s) {
		if len(running.Named(c.name)) == 0 {
			return c.name
		}
	}
	if _, err := os.Stat(l.kubeconfig()); err != nil {
		return filepath.Base(l.kubeconfig()) // the start was interrupted
	}
	return ""
}

// adopt accepts a running cluster if it matches the options.
func adopt(ctx context.Context, l layout, o Options) error {
	s, err := l.readSettings()
	if err != nil {
		return err
	}
	if o.Controllers && !s.Controllers {
		return fmt.Errorf("the cluster running in %s has no controllers: run down first, then up --with controllers", l.dir)
	}
	if o.FeatureGates != "" && o.FeatureGates != s.FeatureGates {
		return fmt.Errorf("the cluster running in %s has the feature gates %q: change them with restart-apiserver", l.dir, s.FeatureGates)
	}
	o.Say("a cluster is already running in %s", l.dir)
	ctx, cancel := context.WithTimeoutCause(ctx, adoptTimeout, errUnhealthy)
	defer cancel()
	starter, err := newStarter(l, func(string, ...any) {})
	if err != nil {
		return err
	}
	for _, c := range components(l, s) {
		if err := starter.awaitReady(ctx, c, pollSlow); err != nil {
			return fmt.Errorf("the cluster running in %s is not healthy; run down to stop it: %w",
				l.dir, err)
		}
	}
	return nil
}

// startAll starts a cluster in a clean directory.
func startAll(ctx context.Context, l layout, o Options) error {
	s, err := newSettings(o)
	if err != nil {
		return err
	}
	if err := prepare(l, s); err != nil {
		return err
	}
	starter, err := newStarter(l, o.Say)
	if err != nil {
		return err
	}
	all := components(l, s)
	for _, c := range all[:2] { // etcd and the API server: everything else needs them
		if err := starter.start(c); err != nil {
			return err
		}
		if err := starter.awaitReady(ctx, c, pollQuick); err != nil {
			return err
		}
	}
	if s.Controllers {
		if err := startControllers(ctx, starter, all[2:], s.Nodes); err != nil {
			return err
		}
	}
	kubeconfig, err := os.ReadFile(l.pkiFile(pki.AdminConf))
	if err != nil {
		return fmt.Errorf("cannot read the admin kubeconfig: %w", err)
	}
	return writeFile(l.kubeconfig(), kubeconfig)
}

// startControllers starts the rest at once: these components wait for each other's work, but not
// for each other.
func startControllers(ctx context.Context, starter *starter, all []component, nodes int) error {
	for _, c := range all {
		if err := starter.start(c); err != nil {
			return err
		}
	}
	config, err := adminConfig(starter.layout)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for the API server: %w", err)
	}
	if err := createNodes(ctx, client, nodes); err != nil {
		return err
	}
	for _, c := range all {
		if err := starter.awaitReady(ctx, c, pollSlow); err != nil {
			return err
		}
	}
	err = starter.until(ctx, controllerManager, pollSlow, func(ctx context.Context) error {
		return canRunPods(ctx, client)
	})
	if err != nil {
		return err
	}
	starter.say("%d nodes are ready (%.1f s)", nodes, time.Since(starter.begun).Seconds())
	return nil
}
