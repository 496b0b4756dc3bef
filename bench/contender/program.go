package contender

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/informerd/informerd/bench/measure"
)

// program is a contender in a separate process.
type program struct {
	name     string
	exitCode int // on SIGTERM
	cmd      *exec.Cmd
	stopping atomic.Bool
	done     chan error
}

// start starts the program; read reads its stdout until it ends.
func (p *program) start(ctx context.Context, cmd *exec.Cmd, read func(out io.Reader) error) (
	measure.Process, error) {
	p.cmd = cmd
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var log tail
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return measure.Process{}, err
	}
	if err := cmd.Start(); err != nil {
		return measure.Process{}, fmt.Errorf("cannot start %s: %w", p.name, err)
	}
	p.done = make(chan error, 1)
	go func() {
		err := read(out)
		exit := cmd.Wait()
		asked := (p.stopping.Load() || ctx.Err() != nil) &&
			cmd.ProcessState.ExitCode() == p.exitCode
		if exit != nil && !asked {
			err = errors.Join(err, fmt.Errorf("%s: %w: %s", p.name, exit, log.last()))
		}
		p.done <- err
	}()
	return measure.Other(cmd.Process.Pid), nil
}

// Stop implements Contender.
func (p *program) Stop() error {
	if p.done == nil {
		return nil
	}
	p.stopping.Store(true)
	// An error means that it has ended, which done reports.
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	return <-p.done
}

// tail keeps the end of a log.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	const maxTail = 4 << 10
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(p), nil
}

func (t *tail) last() []byte { return bytes.TrimSpace(t.text) }
