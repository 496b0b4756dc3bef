package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// daemon is an informerd that the demo has started, and whose output it reads and shows.
type daemon struct {
	Feed *feed

	demo demo
	cmd  *exec.Cmd
	// closed when the process is gone and all its output has been read; the fields below are set
	// then
	ended chan struct{}
	err   error           // how the process ended
	stats []listenerStats // from its log
	lines int             // of its stdout
}

// errEnded is the end of a feed when informerd ended without an error.
var errEnded = errors.New("informerd has ended")

// startDaemon starts informerd. The caller must stop it.
func startDaemon(d demo) (*daemon, error) {
	cmd, err := d.informerd()
	if err != nil {
		return nil, err
	}
	// As for devcluster: Ctrl-C reaches the demo alone. informerd would give up at a second signal.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r := &daemon{Feed: newFeed(), demo: d, cmd: cmd, ended: make(chan struct{})}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot read informerd's output: %w", err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot read informerd's log: %w", err)
	}
	output, log, err := d.createFiles()
	if err != nil {
		return nil, err
	}
	if err := d.record(cmd); err != nil {
		output.Close()
		log.Close()
		return nil, err
	}
	go func() {
		defer close(r.ended)
		var readers sync.WaitGroup
		readers.Go(func() { r.read(stdout, output, r.event) })
		readers.Go(func() { r.read(stderr, log, r.logged) })
		readers.Wait()
		r.wait()
		output.Close()
		log.Close()
	}()
	return r, nil
}

// wait ends the feed when the process has ended.
func (r *daemon) wait() {
	err := r.cmd.Wait()
	if err == nil {
		r.Feed.End(errEnded)
		return
	}
	r.err = fmt.Errorf("informerd has ended with %w, its log is in %s", err, r.demo.log())
	r.Feed.End(r.err)
}

// Stop ends informerd in order, even if ctx is done, and returns an error if that failed.
func (r *daemon) Stop(ctx context.Context) error {
	err := stopProcess(ctx, r.cmd.Process, r.ended)
	if removeErr := removeIfThere(r.demo.pidFile()); removeErr != nil {
		err = errors.Join(err, fmt.Errorf("cannot remove the record of informerd's pid: %w",
			removeErr))
	}
	if err != nil {
		return err
	}
	var exit *exec.ExitError
	if errors.As(r.err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
		return nil // it was stopped before it handled signals
	}
	return r.err
}

// Stats returns the listeners' counters. It must not be called before Stop has returned.
func (r *daemon) Stats() (stats []listenerStats, lines int) { return r.stats, r.lines }

// read copies each line to a file and passes it on, until the stream ends.
func (r *daemon) read(from io.Reader, file *os.File, line func([]byte)) {
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadBytes('\n')
		if len(text) > 0 {
			if _, err := file.Write(text); err != nil {
				r.Feed.End(fmt.Errorf("cannot keep informerd's output: %w", err))
			}
			line(bytes.TrimSuffix(text, []byte("\n")))
		}
		if err != nil {
			return
		}
	}
}

// event handles a line of stdout. The first one is shown whole.
func (r *daemon) event(line []byte) {
	r.lines++
	e, err := parseEvent(line)
	if err != nil {
		r.Feed.End(fmt.Errorf("line %d of informerd's output, see %s: %w", r.lines, r.demo.output(),
			err))
		return
	}
	if r.lines == 1 {
		r.demo.Screen.Print("   the first line, complete; this and all others follow in short: listener, type, subject, details\n%s", line)
	}
	r.demo.Screen.Line("%s", cut(e.Short()))
	r.Feed.Add(e)
}

// logged handles a line of stderr.
func (r *daemon) logged(line []byte) {
	l := parseLog(line)
	if l.Important() {
		r.demo.Screen.Line("%s", l.Short())
	}
	if l.Message == msgStopped && l.Events != nil {
		r.stats = append(r.stats, *l.Events)
	}
}
