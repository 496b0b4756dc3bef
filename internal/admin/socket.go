package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/informerd/informerd/internal/statefolder"
)

const (
	socketName = "informerd.sock"

	maxSocketPath = 103 // the least that systems allow
)

// Socket is where a daemon answers commands.
type Socket struct {
	listener *net.UnixListener
	path     string
	lock     *os.File
}

// ErrInUse is returned by Listen if another daemon uses the folder.
var ErrInUse = errors.New("another informerd uses this folder")

// Listen makes the socket in the folder for state, which must be there. Commands that connect wait
// for Serve. Close it, also after Serve.
func Listen(dir string) (*Socket, error) {
	lock, err := os.OpenFile(filepath.Join(dir, statefolder.LockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the socket for commands cannot be made: %w", err)
	}
	if err := tryLock(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w (%w)", dir, ErrInUse, err), lock.Close())
	}
	statefolder.MarkHolder(lock)
	s := &Socket{path: filepath.Join(dir, socketName), lock: lock}
	if err := s.bind(); err != nil {
		return nil, errors.Join(fmt.Errorf("the socket for commands cannot be made: %w", err),
			lock.Close())
	}
	return s, nil
}

// bind makes the socket under another name first: it is never there for others than its owner, and
// replaces what a killed daemon has left.
func (s *Socket) bind() error {
	private := s.path + ".new"
	if err := os.Remove(private); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := withShortPath(private, func(path string) (err error) {
		s.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return err
	}
	s.listener.SetUnlinkOnClose(false)
	if err = os.Chmod(private, 0o600); err == nil {
		err = os.Rename(private, s.path)
	}
	if err != nil {
		return errors.Join(err, s.listener.Close(), os.Remove(private))
	}
	return nil
}

// Path returns the socket's path.
func (s *Socket) Path() string { return s.path }

// Close removes the socket. That of nil, of a daemon without a folder for state, does nothing.
func (s *Socket) Close() error {
	if s == nil || s.lock == nil {
		return nil
	}
	err := os.Remove(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if closed := s.listener.Close(); !errors.Is(closed, net.ErrClosed) { // by Serve
		err = errors.Join(err, closed)
	}
	err = errors.Join(err, s.lock.Close()) // which unlocks it
	s.lock = nil
	return err
}

// withShortPath calls do with a path that is short enough for a socket.
func withShortPath(path string, do func(path string) error) error {
	if len(path) <= maxSocketPath {
		return do(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	short := fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path))
	if _, err := os.Stat(filepath.Dir(short)); err != nil {
		return fmt.Errorf("%s: the path is too long for a socket: use a shorter state.dir", path)
	}
	return do(short)
}
