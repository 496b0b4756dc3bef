package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
)

var (
	// ErrLocked is the error of Open and Remove if another process uses the folder.
	ErrLocked = errors.New("another process uses this checkpoint: stop it first, or set another state.dir")
	// ErrDamaged is the error of Open and Load if the files are not what was written.
	ErrDamaged = errors.New("the checkpoint is damaged")
	// ErrVersion is the error of Load if the files have another format.
	ErrVersion = errors.New("the checkpoint has another format")
	// ErrFailed is the error of every call after one whose effect on the disk is unknown. It wraps
	// the reason. It is not returned after a failed snapshot, which does no harm.
	ErrFailed = errors.New("the checkpoint cannot be written any more")

	errClosed    = errors.New("the checkpoint is closed")
	errNotLoaded = errors.New("the checkpoint was not loaded")
	errRotating  = errors.New("a snapshot of the checkpoint is being written")
)

// advice is what to do about a checkpoint that cannot be read.
const advice = "restore the folder from a copy, or start without it: informerd run --forget"

// damaged returns the error of a damaged file.
func damaged(path string, at int64, why string) error {
	return fmt.Errorf("%s: %w at byte %d: %s; %s", path, ErrDamaged, at, why, advice)
}

// inFile returns an error of the system with the path of the file, once.
func inFile(path string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// otherVersion returns the error of a file with another format.
func otherVersion(path string, found uint32) error {
	return fmt.Errorf("%s: %w: %d, this version of informerd reads %d; start the version that wrote it, or start without it: informerd run --forget",
		path, ErrVersion, found, Format)
}
