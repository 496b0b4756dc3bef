package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// demo is the demo's programs and files.
type demo struct {
	Devcluster, Informerd string // programs
	Config                string // informerd's configuration
	Dir                   string // the control plane's files and informerd's output
	Screen                *screen
}

const (
	// interruptGrace is how long devcluster may take to undo an interrupted start.
	interruptGrace = 40 * time.Second
	// downTimeout is the time limit for stopping the control plane, which takes seconds.
	downTimeout = 2 * time.Minute
)

func (d demo) kubeconfig() string { return filepath.Join(d.Dir, "kubeconfig") }
func (d demo) output() string     { return filepath.Join(d.Dir, "informerd.jsonl") }
func (d demo) log() string        { return filepath.Join(d.Dir, "informerd.log") }
func (d demo) pidFile() string    { return filepath.Join(d.Dir, "informerd.pid") }

// result is the result of a successful play.
type result struct {
	ready time.Duration // how long the control plane took to start
	lines int           // printed by informerd
}

// Play runs the whole demo.
func (d demo) Play(ctx context.Context) error {
	begun := time.Now()
	r, err := d.play(ctx, story)
	if err != nil {
		return err
	}
	d.Screen.Print("\ninformerd printed %d lines, all of them in %s. The control plane was ready after %.1f s, the demo took %.1f s.",
		r.lines, d.output(), r.ready.Seconds(), time.Since(begun).Seconds())
	return nil
}

// play starts the control plane, runs the story, which starts informerd, and stops both.
func (d demo) play(ctx context.Context, story func(context.Context, *stage) error) (r result,
	err error) {
	release, err := d.claim(d.Devcluster, d.Informerd, d.Config)
	if err != nil {
		return r, err
	}
	defer release()
	if err := d.refuseIfRunning(ctx); err != nil {
		return r, err
	}

	defer func() { err = errors.Join(err, d.clusterDown(ctx)) }()
	begun := time.Now()
	d.Screen.Announce("start a control plane in %s", d.Dir)
	if err := d.clusterUp(ctx); err != nil {
		return r, err
	}
	r.ready = time.Since(begun)

	s := &stage{demo: d}
	err = story(ctx, s)
	if s.daemon == nil {
		return r, err
	}
	d.Screen.Announce("stop informerd")
	if stopErr := s.daemon.Stop(ctx); !errors.Is(err, stopErr) {
		err = errors.Join(err, stopErr)
	}
	if err != nil {
		return r, err
	}
	r.lines, err = s.report()
	return r, err
}

// claim makes the folder and keeps other demos out of it until release. The needed files must
// exist.
func (d demo) claim(needed ...string) (release func(), err error) {
	for _, file := range needed {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf(
				"%w: run make demo in the root of the repository, which builds what is missing",
				err)
		}
	}
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the demo's folder: %w", err)
	}
	folder, err := os.Open(d.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the demo's folder: %w", err)
	}
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		folder.Close()
		return nil, fmt.Errorf(
			"another demo is running in %s (%w): wait for it to end, or stop it with Ctrl-C", d.Dir,
			err)
	}
	return func() { folder.Close() }, nil
}

// refuseIfRunning keeps play from stopping what another process has started.
func (d demo) refuseIfRunning(ctx context.Context) error {
	running, err := d.clusterRuns(ctx)
	if err != nil {
		return err
	}
	if running {
		return fmt.Errorf("a control plane is already running in %s: stop it first with make demo-down",
			d.Dir)
	}
	if p := d.recorded(); p != nil {
		defer p.Release()
		return fmt.Errorf("informerd of an earlier demo is still running (pid %d): stop it first with make demo-down", p.Pid)
	}
	return nil
}

// clusterRuns reports whether any part of a control plane is running in the folder.
func (d demo) clusterRuns(ctx context.Context) (bool, error) {
	var table, problem bytes.Buffer
	cmd := d.devcluster(ctx, "status", "--dir", d.Dir)
	cmd.Stdout, cmd.Stderr = &table, &problem
	err := cmd.Run()
	switch {
	case table.Len() > 0: // whatever the exit status: some components may be running and others not
		for line := range strings.Lines(table.String()) {
			if columns := strings.Fields(line); len(columns) > 1 && columns[1] == "running" {
				return true, nil
			}
		}
		return false, nil
	case err != nil && !strings.Contains(problem.String(), "no cluster is running"):
		return false, fmt.Errorf(
			"cannot determine whether a control plane is running in %s: %w: %s",
			d.Dir, err, strings.TrimSpace(problem.String()))
	}
	return false, nil
}

func (d demo) clusterUp(ctx context.Context) error {
	cmd := d.devcluster(ctx, "up", "--dir", d.Dir, "--with", "controllers", "--nodes", "3")
	cmd.Stderr = d.Screen.lines()
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("the control plane did not start, its logs are in %s: %w",
			filepath.Join(d.Dir, "logs"), err)
	}
	return nil
}

// clusterDown stops the control plane, if there is one, even if ctx is done.
func (d demo) clusterDown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), downTimeout)
	defer cancel()
	d.Screen.Announce("stop the control plane")
	cmd := d.devcluster(ctx, "down", "--dir", d.Dir)
	cmd.Stderr = d.Screen.lines()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the control plane in %s was not stopped, try make demo-down: %w", d.Dir,
			err)
	}
	return nil
}

// devcluster returns a command that runs devcluster. It gets its own process group: Ctrl-C in the
// terminal must reach the demo alone, which then stops everything in order.
func (d demo) devcluster(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, d.Devcluster, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = interruptGrace
	return cmd
}

// removeIfThere removes a file if it exists.
func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
