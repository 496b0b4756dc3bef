package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// how much longer than its processor time a child may take on the clock
	wallFactor = 10
	endGrace   = 2 * time.Second // for the streams of a child that has ended
	maxWords   = 4 << 10         // bytes that are kept of what a child writes to stderr
	// bytes beyond its limit with which a child may still end itself, which says more
	childSlack = 8 << 20
)

// runJob has a child do a job. The command is one that calls Serve.
func runJob(ctx context.Context, command []string, job compileJob, input []byte) (jobUsage, error) {
	job.Size = len(input)
	allowed, cancel := context.WithTimeout(ctx, wallFactor*job.Time*slower)
	defer cancel()
	reply, output := answer{}, &stderrHead{}
	used, err := startJob(allowed, command, job, input, &reply, output)
	switch {
	case ctx.Err() != nil:
		return used, ctx.Err()
	case reply.Started:
		return reply.Used, reply.err()
	case allowed.Err() != nil:
		return used, &limitError{ofClock,
			fmt.Sprintf("it takes longer than %v to compile", wallFactor*job.Time)}
	case output.outOfMemory(), err != nil && used.Memory > job.Memory/2 && output.crashed():
		return used, memoryError(job)
	case output.outOfTime():
		return used, timeError(job)
	case err == nil:
		err = errors.New("it ended without an answer")
	}
	if reply := output.first(); reply != "" {
		err = fmt.Errorf("%w: %q", err, reply)
	}
	return used, fmt.Errorf("the process that compiles: %w", err)
}

// startJob runs the process to its end, and returns what the kernel says that it used.
func startJob(ctx context.Context, command []string, job compileJob, input []byte, reply *answer,
	output *stderrHead) (jobUsage, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = job.Dir, []string{}, output, endGrace
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return jobUsage{}, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return jobUsage{}, err
	}
	if err := cmd.Start(); err != nil {
		return jobUsage{}, err
	}
	oversized := watchMemory(cmd.Process, job)
	err = writeHeader(stdin, job)
	if err == nil {
		_, err = stdin.Write(input)
	}
	// stdin stays open: its end shows the child that there is no parent any more.
	if readErr := readHeader(stdout, reply); err == nil && !errors.Is(readErr, io.EOF) {
		err = readErr
	}
	stdin.Close()
	_, _ = io.Copy(io.Discard, stdout)
	waitErr := cmd.Wait() // says more than what reading and writing met
	used := usedBy(cmd.ProcessState)
	if oversized() && !reply.Started {
		return used, memoryError(job)
	}
	if waitErr != nil {
		return used, waitErr
	}
	return used, err
}

// parentWatchEvery is how often the parent looks at a child's memory.
const parentWatchEvery = 2 * time.Millisecond

// watchMemory ends a process that has more memory than it may, until stop is called, which reports
// whether that was done. The process does so itself, but not while its collector waits for a
// goroutine that copies: compiled code may have a hundred megabytes, and goes into a buffer that
// doubles.
func watchMemory(process *os.Process, job compileJob) (stop func() (ended bool)) {
	done, ended := make(chan struct{}), make(chan bool, 1)
	go func() {
		ticker := time.NewTicker(parentWatchEvery)
		defer ticker.Stop()
		number := strconv.Itoa(process.Pid)
		for {
			select {
			case <-ticker.C:
				if residentMemory(number) > (job.Memory+childSlack)*larger {
					ended <- process.Kill() == nil
					return
				}
			case <-done:
				ended <- false
				return
			}
		}
	}()
	return func() bool { close(done); return <-ended }
}

func (a answer) err() error {
	switch {
	case a.Error == "":
		return nil
	case a.Limit != "":
		return &limitError{a.Limit, a.Error}
	case a.Folder:
		return fmt.Errorf("%w: %s", errFolder, a.Error)
	}
	return errors.New(a.Error)
}

// stderrHead keeps the beginning of what a child writes to stderr.
type stderrHead struct{ bytes.Buffer }

func (t *stderrHead) Write(p []byte) (int, error) {
	if left := maxWords - t.Len(); left > 0 {
		t.Buffer.Write(p[:min(left, len(p))])
	}
	return len(p), nil
}

// outOfMemory reports whether the Go runtime of the child was given no more memory, whether for the
// stack of a thread.
func (t *stderrHead) outOfMemory() bool {
	text := t.String()
	return slices.ContainsFunc([]string{"out of memory", "cannot allocate memory",
		"pthread_create failed"}, func(sign string) bool {
		return strings.Contains(text, sign)
	})
}

// crashed reports whether the Go runtime of the child met what it is not made for. Some of its
// parts do not look whether they were given memory.
func (t *stderrHead) crashed() bool {
	text := t.String()
	return strings.Contains(text, "SIGSEGV") || strings.Contains(text, "fatal error")
}

// outOfTime reports whether the kernel ended the child for the time it took.
func (t *stderrHead) outOfTime() bool { return strings.Contains(t.String(), "SIGXCPU") }

func (t *stderrHead) first() string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.String()), "\n")
	return line
}
