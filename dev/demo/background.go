package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Up makes the control plane and informerd run in the background. What is already running is left
// alone, even if Up fails.
func (d demo) Up(ctx context.Context) (err error) {
	release, err := d.claim(d.Devcluster, d.Informerd, d.Config)
	if err != nil {
		return err
	}
	defer release()
	running, err := d.clusterRuns(ctx)
	if err != nil {
		return err
	}
	if !running {
		defer func() {
			if err != nil {
				err = errors.Join(err, d.clusterDown(ctx))
			}
		}()
	}
	d.Screen.Announce("start a control plane in %s", d.Dir)
	if err := d.clusterUp(ctx); err != nil {
		return err
	}
	d.Screen.Announce("start %s run --config %s --kubeconfig %s", d.Informerd, d.Config,
		d.kubeconfig())
	if p := d.recorded(); p != nil {
		d.Screen.Line("informerd is already running (pid %d)", p.Pid)
		_ = p.Release()
	} else if err := d.startBackground(ctx); err != nil {
		return err
	}
	d.Screen.Print("\nBoth run in the background.\n  act on the cluster   kubectl --kubeconfig %s create deployment web --image=nginx\n"+
		"  what informerd says  tail -f %s\n  its log              %s\n  stop both            make demo-down",
		d.kubeconfig(), d.output(), d.log())
	return nil
}

// startBackground starts informerd in its own session and waits until its listeners are listening.
func (d demo) startBackground(ctx context.Context) error {
	cmd, err := d.informerd()
	if err != nil {
		return err
	}
	output, log, err := d.createFiles()
	if err != nil {
		return err
	}
	defer output.Close() // informerd has its own copies
	defer log.Close()
	cmd.Stdout, cmd.Stderr = output, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := d.record(cmd); err != nil {
		return err
	}
	// Ends with informerd, or with the demo, which informerd should survive.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	if err := d.awaitListening(ctx, ended); err != nil {
		return errors.Join(err, stopProcess(ctx, cmd.Process, ended), removeIfThere(d.pidFile()))
	}
	d.Screen.Line("informerd listens (pid %d)", cmd.Process.Pid)
	return nil
}

// awaitListening reads the log until it has a line for each listener.
func (d demo) awaitListening(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %v", patience))
	defer cancel()
	for {
		text, err := os.ReadFile(d.log())
		if err != nil {
			return fmt.Errorf("cannot read informerd's log: %w", err)
		}
		if allListen(text) {
			return nil
		}
		select {
		case <-ended:
			return d.endedAtOnce()
		case <-ctx.Done():
			return fmt.Errorf("informerd's listeners do not listen, its log is in %s: %w", d.log(),
				context.Cause(ctx))
		case <-time.After(pollEvery):
		}
	}
}

// endedAtOnce shows why informerd has ended.
func (d demo) endedAtOnce() error {
	text, err := os.ReadFile(d.log())
	if err != nil {
		return fmt.Errorf("cannot read informerd's log: %w", err)
	}
	for line := range bytes.Lines(text) {
		if l := parseLog(bytes.TrimSuffix(line, []byte("\n"))); l.Important() {
			d.Screen.Line("%s", l.Short())
		}
	}
	return fmt.Errorf("informerd ended immediately, its log is in %s", d.log())
}

// allListen reports whether as many listeners are listening as informerd logged at its start.
func allListen(log []byte) bool {
	want, listening := -1, 0
	for line := range bytes.Lines(log) {
		switch l := parseLog(line); l.Message {
		case msgStarted:
			if n, ok := l.rest["listeners"].(float64); ok {
				want = int(n)
			}
		case msgListening:
			listening++
		}
	}
	return listening == want
}

// Down stops informerd, if it is the recorded one, and the control plane.
func (d demo) Down(ctx context.Context) error {
	release, err := d.claim(d.Devcluster)
	if err != nil {
		return err
	}
	defer release()
	err = d.stopRecorded(ctx)
	return errors.Join(err, d.clusterDown(ctx))
}

func (d demo) stopRecorded(ctx context.Context) error {
	p := d.recorded()
	if p == nil {
		d.Screen.Line("no informerd of the demo is running")
		return removeIfThere(d.pidFile())
	}
	defer p.Release()
	d.Screen.Announce("stop informerd (pid %d)", p.Pid)
	// It is another demo's child, so this process cannot wait for it.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for d.marked(p.Pid) {
			time.Sleep(pollEvery / 4)
		}
	}()
	if err := stopProcess(ctx, p, ended); err != nil {
		return err
	}
	return removeIfThere(d.pidFile())
}
