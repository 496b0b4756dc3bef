package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// killWait is how long a process may take to disappear after SIGKILL: the kernel only has to
// release its memory.
const killWait = 10 * time.Second

// Stop sends SIGTERM to every process of the set, kills those still running after the grace period,
// and returns when all are gone. The end of ctx ends the grace period.
func (r Running) Stop(ctx context.Context, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for _, p := range r {
		if err := p.signal(unix.SIGTERM); err != nil {
			return err
		}
	}
	for _, p := range r {
		gone, err := p.wait(ctx)
		if err != nil {
			return err
		}
		if gone {
			continue
		}
		if err := p.kill(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *Process) kill(ctx context.Context) error {
	if err := p.signal(unix.SIGKILL); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killWait)
	defer cancel()
	gone, err := p.wait(ctx)
	if err == nil && !gone {
		err = fmt.Errorf("%s (pid %d) is still running %v after SIGKILL: it hangs in the kernel, see /proc/%d/stack",
			p.Name, p.PID, killWait, p.PID)
	}
	return err
}

func (p *Process) signal(signal unix.Signal) error {
	err := unix.PidfdSendSignal(p.fd, signal, nil, 0)
	if err != nil && !errors.Is(err, unix.ESRCH) { // ESRCH: it has ended already
		return fmt.Errorf("cannot send %s to %s (pid %d): %w", unix.SignalName(signal), p.Name,
			p.PID, err)
	}
	return nil
}

// wait reports whether the process ended before ctx did. A pidfd becomes readable when the last
// thread of the process is gone, and with it its listening sockets, so the ports are free again.
func (p *Process) wait(ctx context.Context) (gone bool, err error) {
	const slice = 50 * time.Millisecond // how soon an ended ctx is noticed
	for {
		fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(slice.Milliseconds()))
		switch {
		case err != nil && !errors.Is(err, unix.EINTR):
			return false, fmt.Errorf("cannot wait for the end of %s (pid %d): %w", p.Name, p.PID,
				err)
		case n > 0:
			return true, nil
		case ctx.Err() != nil:
			return false, nil
		}
	}
}
