package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// markVariable is set in informerd's environment to the demo's folder. A recorded pid may belong to
// another process by now; a process with the mark is the recorded one.
const markVariable = "INFORMERD_DEMO"

// stopGrace is how long informerd may take to stop. It promises five seconds.
const stopGrace = 10 * time.Second

// informerd returns a command that runs informerd.
func (d demo) informerd() (*exec.Cmd, error) {
	mark, err := d.mark()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(d.Informerd, "run", "--config", d.Config, "--kubeconfig", d.kubeconfig(),
		"--log-format", "json")
	cmd.Env = append(os.Environ(), mark)
	return cmd, nil
}

func (d demo) mark() (string, error) {
	dir, err := filepath.Abs(d.Dir)
	if err != nil {
		return "", fmt.Errorf("cannot find the demo's folder: %w", err)
	}
	return markVariable + "=" + dir, nil
}

// record starts informerd and writes its pid to a file.
func (d demo) record(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start informerd: %w", err)
	}
	if err := os.WriteFile(d.pidFile(), fmt.Appendln(nil, cmd.Process.Pid), 0o600); err != nil {
		_ = cmd.Process.Kill() // it has done nothing yet
		_ = cmd.Wait()
		return fmt.Errorf("cannot record informerd's pid: %w", err)
	}
	return nil
}

// createFiles creates the files for informerd's output and log.
func (d demo) createFiles() (output, log *os.File, err error) {
	output, err = os.OpenFile(d.output(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot keep informerd's output: %w", err)
	}
	log, err = os.OpenFile(d.log(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		output.Close()
		return nil, nil, fmt.Errorf("cannot keep informerd's log: %w", err)
	}
	return output, log, nil
}

// recorded returns the recorded informerd if it is still running, otherwise nil.
func (d demo) recorded() *os.Process {
	text, err := os.ReadFile(d.pidFile())
	if err != nil {
		return nil
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return nil
	}
	// The handle is opened before the mark is checked, so the handle is never another process's.
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	if !d.marked(pid) {
		_ = p.Release()
		return nil
	}
	return p
}

// marked reports whether a process is running and has the mark. A process that has ended has no
// environment, even before it is reaped.
func (d demo) marked(pid int) bool {
	mark, err := d.mark()
	if err != nil {
		return false
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for variable := range bytes.SplitSeq(environment, []byte{0}) {
		if string(variable) == mark {
			return true
		}
	}
	return false
}

// stopProcess ends a process with SIGTERM, and after the grace period with SIGKILL. It waits until
// ended is closed.
func stopProcess(ctx context.Context, p *os.Process, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	_ = p.Signal(syscall.SIGTERM) // an error means that it has ended
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	_ = p.Kill()
	<-ended
	return fmt.Errorf("informerd (pid %d) did not stop within %v of SIGTERM and was killed", p.Pid,
		stopGrace)
}
