package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/rogpeppe/go-internal/testscript"
)

// process is an informerd in the background.
type process struct {
	cmd      *exec.Cmd
	out, err *stream
	text     bool             // standard output is for people: expect-line has read it
	named    []*regexp.Regexp // the log lines that the script expects or allows
	silent   []*os.File       // the reading and the writing end of a pipe nobody reads
	reading  sync.WaitGroup   // copies from this pipe
	done     chan struct{}    // closed when it has ended and all its output is in out and err
}

// stream records what a process writes, also in a file, and notifies those who wait for more.
type stream struct {
	mu      sync.Mutex // guards the fields below
	file    *os.File
	text    strings.Builder
	changed chan struct{} // closed and replaced when text grows
}

func newStream(path string) (*stream, error) {
	file, err := os.Create(path)
	return &stream{file: file, changed: make(chan struct{})}, err
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	close(s.changed)
	s.changed = make(chan struct{})
	return s.file.Write(p)
}

// lines returns the complete lines so far, and a channel that is closed when there is more.
func (s *stream) lines() (text string, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = s.text.String()
	return text[:strings.LastIndexByte(text, '\n')+1], s.changed
}

// await waits until found returns nil. It returns the last error when the process has ended, or
// after some time.
func (p *process) await(s *stream, found func(lines string) error) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		ended := p.hasEnded() // before the check, so that nothing can follow the last one
		lines, changed := s.lines()
		err := found(lines)
		if err == nil {
			return nil
		}
		if ended {
			return fmt.Errorf("informerd has ended (%v): %w", p.cmd.ProcessState, err)
		}
		select {
		case <-changed:
		case <-p.done:
		case <-deadline.C:
			return fmt.Errorf("after %v: %w", patience, err)
		}
	}
}

func (p *process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) kill() {
	// Only its wait reaps the process, so before done is closed the id cannot be another's.
	if !p.hasEnded() {
		_ = p.cmd.Process.Kill()
	}
	<-p.done
}

// informerd runs informerd to completion.
func informerd(ts *testscript.TestScript, args []string) {
	want := number(ts, args[0])
	err := ts.Exec(informerdBin(), args[1:]...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	got := 0
	if exit != nil {
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func informerdStart(ts *testscript.TestScript, args []string) {
	blocked := args[0] == "-blocked"
	if blocked {
		args = args[1:]
	}
	s := storyOf(ts)
	name := args[0]
	if _, taken := s.processes[name]; taken {
		ts.Fatalf("informerd %s was already started; use another name", name)
	}
	p := &process{cmd: exec.Command(informerdBin(), args[1:]...), done: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+ts.Getenv("KUBECONFIG"))
	p.cmd.Env = append(p.cmd.Env, s.receivers...)
	var err error
	p.out, err = newStream(ts.MkAbs(name + ".out"))
	ts.Check(err)
	p.err, err = newStream(ts.MkAbs(name + ".err"))
	ts.Check(err)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	if blocked {
		p.silent, err = silentPipe()
		ts.Check(err)
		p.cmd.Stdout = p.silent[1]
	}
	ts.Check(p.start())
	s.processes[name] = p
}

func (p *process) start() error {
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() { // ends with the process, for which story.end waits
		defer close(p.done)
		_ = p.cmd.Wait() // the status is in cmd.ProcessState
		p.reading.Wait()
		for _, end := range append(p.silent, p.out.file, p.err.file) {
			_ = end.Close()
		}
	}()
	return nil
}

// silentPipe returns a pipe that holds one page, so that a few events fill it.
func silentPipe() ([]*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	const setSize = 1031 // F_SETPIPE_SZ
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, w.Fd(), setSize, 4096); errno != 0 {
		return nil, errors.Join(fmt.Errorf("cannot make a pipe smaller: %w", errno), r.Close(),
			w.Close())
	}
	return []*os.File{r, w}, nil
}

// informerdBlocked waits until the pipe that nobody reads has content. What follows has no room.
func informerdBlocked(ts *testscript.TestScript, args []string) {
	p := storyOf(ts).process(ts, args[0])
	if p.silent == nil {
		ts.Fatalf("informerd %s was not started with -blocked", args[0])
	}
	ts.Check(eventually(func() error {
		var n int32
		const unread = 0x541b // FIONREAD
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, p.silent[0].Fd(), unread,
			uintptr(unsafe.Pointer(&n)))
		if errno != 0 {
			return errno
		}
		if n == 0 {
			return fmt.Errorf("informerd %s wrote nothing; its log is\n%s", args[0], p.written())
		}
		return nil
	}))
}

// informerdUnblock copies from the pipe until the process, the last one to have it open, ends.
func informerdUnblock(ts *testscript.TestScript, args []string) {
	p := storyOf(ts).process(ts, args[0])
	if p.silent == nil {
		ts.Fatalf("informerd %s was not started with -blocked", args[0])
	}
	ts.Check(p.silent[1].Close())
	p.reading.Go(func() { _, _ = io.Copy(p.out, p.silent[0]) })
}

func (s *story) process(ts *testscript.TestScript, name string) *process {
	p, found := s.processes[name]
	if !found {
		ts.Fatalf("no informerd %s was started", name)
	}
	return p
}

var signals = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL,
	"STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT}

func informerdSignal(ts *testscript.TestScript, args []string) {
	p := storyOf(ts).process(ts, args[0])
	sig, found := signals[args[1]]
	if !found {
		ts.Fatalf("the signals are TERM, KILL, STOP and CONT")
	}
	ts.Check(p.cmd.Process.Signal(sig))
	if sig == syscall.SIGSTOP {
		ts.Check(eventually(func() error {
			if state := processState(p.cmd.Process.Pid); state != "T" {
				return fmt.Errorf("informerd has not stopped, it is in state %s", state)
			}
			return nil
		}))
	}
}

func informerdWait(ts *testscript.TestScript, args []string) {
	s := storyOf(ts)
	s.endsWith(ts, args[0], args[1], duration(ts, args[2])+delay(ts))
}

func informerdStop(ts *testscript.TestScript, args []string) {
	s := storyOf(ts)
	ts.Check(s.process(ts, args[0]).cmd.Process.Signal(syscall.SIGTERM))
	s.endsWith(ts, args[0], "0", 5*time.Second+delay(ts))
}

// delay returns how much longer than on an idle machine something may take now: 20 times as long as
// informerd needs to print its version.
func delay(ts *testscript.TestScript) time.Duration {
	begun := time.Now()
	ts.Check(exec.Command(informerdBin(), "version").Run())
	return 20 * time.Since(begun)
}

func (s *story) endsWith(ts *testscript.TestScript, name, want string, within time.Duration) {
	p := s.process(ts, name)
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	select {
	case <-p.done:
	case <-deadline.C:
		ts.Fatalf("informerd %s is still running after %v; it wrote\n%s", name, within, p.written())
	}
	if lines, _ := p.out.lines(); !p.text {
		_, err := parseEvents(lines)
		ts.Check(err)
	}
	got := strconv.Itoa(p.cmd.ProcessState.ExitCode())
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		got = map[bool]string{true: "KILL",
			false: status.Signal().String()}[status.Signal() == syscall.SIGKILL]
	}
	if got != want {
		ts.Fatalf("informerd %s ended with %s, want %s; it wrote\n%s", name, got, want, p.written())
	}
}

// processState returns the letter of Linux for the state of a process, "" if there is none.
func processState(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	state, _, _ := strings.Cut(after, " ")
	return state
}

// startIn starts an informerd whose working directory is dir. What it writes is in NAME.out and NAME.err
// there, too.
func startIn(dir, name string, env []string, arguments ...string) (*process, error) {
	p := &process{cmd: exec.Command(informerdBin(), arguments...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	var err error
	if p.out, err = newStream(filepath.Join(dir, name+".out")); err != nil {
		return nil, err
	}
	if p.err, err = newStream(filepath.Join(dir, name+".err")); err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	return p, p.start()
}
