package trial

import (
	"context"
	"os"
	"strings"
)

// onDisk returns the size of the checkpoint, 0 without one, once nothing is being written.
func (t *trial) onDisk(ctx context.Context) (int64, error) {
	if t.Setup.Checkpoint == "" {
		return 0, nil
	}
	for {
		if _, err := t.process.Settle(ctx, t.quiet); err != nil {
			return 0, err
		}
		bytes, complete, err := folderSize(t.Setup.Checkpoint)
		if complete || err != nil {
			return bytes, err
		}
	}
}

// added returns by how much the checkpoint has grown, or 0 if it has shrunk: then a snapshot was
// written meanwhile, and what the log had grown by is unknown.
func (t *trial) added(ctx context.Context, before int64) (int64, error) {
	after, err := t.onDisk(ctx)
	return max(0, after-before), err
}

// folderSize returns how many bytes the files of a folder have, and whether none is unfinished.
func folderSize(dir string) (bytes int64, complete bool, err error) {
	entries, err := os.ReadDir(dir)
	complete = true
	for _, e := range entries {
		info, err := e.Info()
		if os.IsNotExist(err) {
			return 0, false, nil // it was renamed or removed meanwhile
		}
		if err != nil {
			return 0, false, err
		}
		bytes += info.Size()
		complete = complete && !strings.HasSuffix(e.Name(), ".tmp")
	}
	return bytes, complete, err
}
