package informertest

import (
	"errors"
	"io"
)

// Faults are what a disk cannot do.
type Faults struct {
	Create, Write, Read bool
	Written             int // bytes of a failed write that are written all the same
}

// ErrDisk is how a disk with faults fails.
var ErrDisk = errors.New("no space left on device")

// File makes a file in memory that has these faults, as they are when it is used.
func (f *Faults) File() (*File, error) {
	if f.Create {
		return nil, ErrDisk
	}
	return &File{Faults: f}, nil
}

// File is a file in memory, with the faults of its disk.
type File struct {
	Faults *Faults
	Data   []byte
	Closed bool
}

// WriteAt writes p at an offset.
func (m *File) WriteAt(p []byte, at int64) (n int, err error) {
	if m.Closed {
		return 0, errors.New("closed")
	}
	if m.Faults.Write {
		p, err = p[:min(len(p), m.Faults.Written)], ErrDisk
	}
	if end := int(at) + len(p); end > len(m.Data) {
		m.Data = append(m.Data, make([]byte, end-len(m.Data))...)
	}
	return copy(m.Data[at:], p), err
}

// ReadAt reads from an offset.
func (m *File) ReadAt(p []byte, at int64) (int, error) {
	if m.Faults.Read || m.Closed || int(at) > len(m.Data) {
		return 0, ErrDisk
	}
	n := copy(p, m.Data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close fails the second time.
func (m *File) Close() error {
	if m.Closed {
		return errors.New("closed twice")
	}
	m.Closed = true
	return nil
}
