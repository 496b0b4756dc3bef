package code

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

const (
	exitOK     = 0
	exitBroken = 3 // the parent is gone, or what it says is not a job
)

// watchEvery is how often a child looks at what it uses.
const watchEvery = 5 * time.Millisecond

// serveJob does the one job that comes in. It is to be all that its process does: it limits the
// process, and may end it. The result is the process's exit code.
func serveJob(in io.Reader, out io.Writer, do func(dir string, input []byte) error) int {
	var job compileJob
	if err := readHeader(in, &job); err != nil {
		fmt.Fprintln(os.Stderr,
			"this command is started by informerd itself, which sends it what to do on its standard input:", err)
		return exitBroken
	}
	lowerPriority()
	if err := limitProcess(job); err != nil {
		return finishJob(out, answer{Started: true, Error: fmt.Sprintf("the limits cannot be set: %v",
			err)})
	}
	debug.SetMemoryLimit(job.Memory / 8 * 7 * larger)
	var once sync.Once
	end := func(a answer) {
		once.Do(func() {
			a.Started, a.Used = true, used()
			a.Used.Memory = max(a.Used.Memory, peak())
			os.Exit(finishJob(out, a))
		})
		select {} // somebody else ends the process
	}
	go watchLimits(job, end)
	input := make([]byte, job.Size)
	if _, err := io.ReadFull(in, input); err != nil {
		return exitBroken
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // ends with the parent
		os.Exit(exitBroken)
	}()
	end(jobOutcome(job, tryJob(do, job.Dir, input)))
	return exitOK
}

// tryJob makes an error of a panic.
func tryJob(do func(string, []byte) error, dir string, input []byte) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("the compiler panics: %w", p)
		default:
			err = fmt.Errorf("the compiler panics: %v", p)
		}
	}()
	return do(dir, input)
}

func jobOutcome(job compileJob, err error) answer {
	var path *fs.PathError
	var number syscall.Errno
	switch {
	case err == nil:
		return answer{}
	case errors.Is(err, syscall.ENOMEM): // the kernel refuses more
		return answer{Limit: ofMemory, Error: memoryError(job).Error()}
	case errors.As(err, &path), errors.As(err, &number):
		return answer{Error: shortText(err), Folder: true}
	}
	return answer{Error: shortText(err)}
}

// shortText is an error's text within what an answer may have.
func shortText(err error) string {
	text := err.Error()
	return text[:min(len(text), maxHeader/8)] // a byte may take six in JSON
}

func finishJob(out io.Writer, a answer) int {
	if err := writeHeader(out, a); err != nil {
		return exitBroken
	}
	return exitOK
}

// watchLimits ends the process when it has used more than it may.
func watchLimits(job compileJob, end func(answer)) {
	for {
		now := used()
		switch {
		case now.Memory > job.Memory*larger:
			end(answer{Limit: ofMemory, Error: memoryError(job).Error()})
		case now.Time > job.Time*slower:
			end(answer{Limit: ofTime, Error: timeError(job).Error()})
		}
		time.Sleep(watchEvery)
	}
}

func memoryError(job compileJob) *limitError {
	return &limitError{ofMemory, fmt.Sprintf("it takes more than %d MiB of memory to compile",
		job.Memory>>20)}
}

func timeError(job compileJob) *limitError {
	return &limitError{ofTime, fmt.Sprintf("it takes more than %v of processor time to compile",
		job.Time)}
}
