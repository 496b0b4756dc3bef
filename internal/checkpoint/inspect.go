package checkpoint

import (
	"fmt"
	"os"
	"time"
)

// Contents says how much a checkpoint has.
type Contents struct {
	Bytes     int64     // of all files
	Committed time.Time // when the last block was, as the file system has it; zero if there is none
}

// Inspect calls f with what Load would call it with, and changes and locks nothing. While another
// process uses the checkpoint, a file may go before it is read: that is an error of Inspect, which
// may be called again.
func Inspect(dir string, f func(block []byte) error) (c Contents, err error) {
	s := &Store{dir: dir, disk: osDisk{}}
	if s.chain, _, err = findChain(s.disk, dir); err != nil {
		return c, err
	}
	if _, err := s.read(f); err != nil {
		return c, err
	}
	if c.Bytes, err = s.Size(); err != nil || s.generation == 0 {
		return c, err
	}
	info, err := os.Stat(logFile.path(dir, s.generation))
	if err != nil {
		return c, fmt.Errorf("looking at the last log: %w", err)
	}
	c.Committed = info.ModTime()
	return c, nil
}
