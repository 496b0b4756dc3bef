package child

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

// Serve does the one job that comes in. It is to be all that its process does: it limits the
// process, and may end it. The result is the process's exit code.
func Serve(in io.Reader, out io.Writer, do func(dir string, input []byte) error) int {
	var job Job
	if err := readHeader(in, &job); err != nil {
		fmt.Fprintln(os.Stderr,
			"this command is started by informerd itself, which sends it what to do on its standard input:", err)
		return exitBroken
	}
	lowerPriority()
	if err := limit(job); err != nil {
		return finish(out, answer{Started: true, Error: fmt.Sprintf("the limits cannot be set: %v",
			err)})
	}
	debug.SetMemoryLimit(job.Memory / 8 * 7 * larger)
	var once sync.Once
	end := func(a answer) {
		once.Do(func() {
			a.Started, a.Used = true, used()
			a.Used.Memory = max(a.Used.Memory, peak())
			os.Exit(finish(out, a))
		})
		select {} // somebody else ends the process
	}
	go watch(job, end)
	input := make([]byte, job.Size)
	if _, err := io.ReadFull(in, input); err != nil {
		return exitBroken
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // ends with the parent
		os.Exit(exitBroken)
	}()
	end(outcome(job, try(do, job.Dir, input)))
	return exitOK
}

// try makes an error of a panic.
func try(do func(string, []byte) error, dir string, input []byte) (err error) {
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

func outcome(job Job, err error) answer {
	var path *fs.PathError
	var number syscall.Errno
	switch {
	case err == nil:
		return answer{}
	case errors.Is(err, syscall.ENOMEM): // the kernel refuses more
		return answer{Limit: OfMemory, Error: memoryError(job).Error()}
	case errors.As(err, &path), errors.As(err, &number):
		return answer{Error: short(err), Folder: true}
	}
	return answer{Error: short(err)}
}

// short is an error's text within what an answer may have.
func short(err error) string {
	text := err.Error()
	return text[:min(len(text), maxHeader/8)] // a byte may take six in JSON
}

func finish(out io.Writer, a answer) int {
	if err := writeHeader(out, a); err != nil {
		return exitBroken
	}
	return exitOK
}

// watch ends the process when it has used more than it may.
func watch(job Job, end func(answer)) {
	for {
		now := used()
		switch {
		case now.Memory > job.Memory*larger:
			end(answer{Limit: OfMemory, Error: memoryError(job).Error()})
		case now.Time > job.Time*slower:
			end(answer{Limit: OfTime, Error: timeError(job).Error()})
		}
		time.Sleep(watchEvery)
	}
}

func memoryError(job Job) *LimitError {
	return &LimitError{OfMemory, fmt.Sprintf("it takes more than %d MiB of memory to compile",
		job.Memory>>20)}
}

func timeError(job Job) *LimitError {
	return &LimitError{OfTime, fmt.Sprintf("it takes more than %v of processor time to compile",
		job.Time)}
}
