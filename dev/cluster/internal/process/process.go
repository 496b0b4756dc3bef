// Package process starts the cluster's components as detached processes, finds them again and stops
// them.
//
// There are no pid files: a pid on disk outlives its process, and may by then be that of another
// one. Instead every component is started with an environment variable that contains its cluster's
// directory and its name, and List searches the process table for it. What List returns is
// therefore running and ours, whatever happened to the files of the directory. Each Process is held
// by a pidfd that was opened before the variable was read, so a signal can never reach another
// process that got the same pid later.
//
// The process table is read from /proc, so the package needs Linux (5.3 or newer, for pidfds).
package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// markVariable is set in a component's environment to "<directory>/<component>".
const markVariable = "DEVCLUSTER_COMPONENT"

// Spec is how to start one component.
type Spec struct {
	Cluster string // the cluster's directory, absolute
	Name    string // of the component, unique in the cluster
	Path    string // of the program
	Args    []string
	Env     []string // in addition to the caller's environment
	Log     string   // file to which stdout and stderr are appended
}

// Started is a component that this process has started and may watch.
type Started struct {
	PID  int
	done chan struct{}
	err  error
}

// Start starts the component in its own session, so that it survives its starter and the terminal.
func Start(spec Spec) (*Started, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the log of %s: %w", spec.Name, err)
	}
	defer log.Close() // the component has its own copy

	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir = spec.Cluster
	cmd.Env = append(append(os.Environ(), spec.Env...),
		markVariable+"="+filepath.Join(spec.Cluster, spec.Name))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", spec.Name, err)
	}

	s := &Started{PID: cmd.Process.Pid, done: make(chan struct{})}
	// Ends with the component, or with this process, which the component should survive.
	go func() {
		defer close(s.done)
		if err := cmd.Wait(); err != nil {
			s.err = err
		} else {
			s.err = errors.New("exit status 0")
		}
	}()
	return s, nil
}

// Exited is closed when the component has ended; Err then returns how.
func (s *Started) Exited() <-chan struct{} { return s.done }

// Err returns how the component ended. It must not be called before Exited is closed.
func (s *Started) Err() error { return s.err }

// Process is a running component of a cluster. Close it after use.
type Process struct {
	Name string
	PID  int
	fd   int // a pidfd
}

// Close releases the handle; the process keeps running.
func (p *Process) Close() { unix.Close(p.fd) }

// Running is a set of processes.
type Running []*Process

// Close releases all handles.
func (r Running) Close() {
	for _, p := range r {
		p.Close()
	}
}

// Named returns the processes of one component. There is more than one only if an earlier start was
// interrupted and left a process behind.
func (r Running) Named(name string) Running {
	var found Running
	for _, p := range r {
		if p.Name == name {
			found = append(found, p)
		}
	}
	return found
}

// List returns the running components of the cluster in the given directory.
func List(cluster string) (Running, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("cannot read the process table (devcluster needs Linux): %w", err)
	}
	var running Running
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // not a process
		}
		// Most processes are not ours. The handle is opened, and the mark read again, only for
		// those that are.
		if _, ok := componentOf(pid, cluster); !ok {
			continue
		}
		p, err := open(pid, cluster)
		if err != nil {
			running.Close()
			return nil, err
		}
		if p != nil {
			running = append(running, p)
		}
	}
	return running, nil
}

// open returns a handle on a process if it is a component of the cluster, otherwise nil.
func open(pid int, cluster string) (*Process, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open process %d (devcluster needs Linux 5.3 or newer): %w",
			pid, err)
	}
	name, ok := componentOf(pid, cluster)
	if !ok {
		unix.Close(fd)
		return nil, nil
	}
	return &Process{Name: name, PID: pid, fd: fd}, nil
}

// componentOf returns the process's component name, if it belongs to the cluster. A process that
// has ended but was not reaped yet has no environment any more, so it does not count.
func componentOf(pid int, cluster string) (string, bool) {
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", false // gone, or another user's
	}
	for variable := range bytes.SplitSeq(environment, []byte{0}) {
		mark, ok := strings.CutPrefix(string(variable), markVariable+"=")
		if ok && filepath.Dir(mark) == cluster {
			return filepath.Base(mark), true
		}
	}
	return "", false
}
