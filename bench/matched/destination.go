package matched

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Destination is where lines are written to.
type Destination string

// The destinations.
const (
	File Destination = "file"
	Pipe Destination = "pipe"
)

// open opens the destination; a file is created in dir, "" for the system's folder for temporary
// files.
func (d Destination) open(dir string) (*target, error) {
	switch d {
	case File:
		return openFile(dir)
	case Pipe:
		return openPipe()
	default:
		return nil, fmt.Errorf("unknown destination %q", d)
	}
}

// target is an open destination.
type target struct {
	*os.File
	empty func() error // restores the state after opening
	close func() error
}

func openFile(dir string) (*target, error) {
	f, err := os.CreateTemp(dir, "matched-")
	if err != nil {
		return nil, err
	}
	empty := func() error {
		if err := f.Truncate(0); err != nil {
			return err
		}
		_, err := f.Seek(0, 0)
		return err
	}
	return &target{File: f, empty: empty, close: func() error {
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}}, nil
}

// openPipe opens a pipe that another process reads, so that the cost of reading is not counted.
func openPipe() (*target, error) {
	// Not os.Pipe: a daemon's standard output blocks, without the runtime's poller.
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("pipe2", err)
	}
	out, in := os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe")
	defer out.Close()
	reader := exec.Command("cat")
	reader.Stdin = out
	if err := reader.Start(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &target{File: in, empty: func() error { return nil }, close: func() error {
		return errors.Join(in.Close(), reader.Wait())
	}}, nil
}
