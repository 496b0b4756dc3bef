package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// journal is the file that lines are appended to, and the renamed ones. It has no goroutine.
type journal struct {
	config Config
	disk   opener
	now    func() time.Time

	f       osFile      // nil if it has to be opened
	info    os.FileInfo // of f
	size    int64       // of f
	began   time.Time   // when f was begun
	partial bool        // f ends in the middle of a line
	dirty   bool        // f has lines that the disk may not have
	pruned  bool        // old files were removed since the last rotation
	late    error       // of what no Write waited for; for the next one

	// What undo returns to.
	markInfo os.FileInfo
	markSize int64
}

func newJournal(config Config, disk opener) *journal {
	return &journal{config: config, disk: disk, now: time.Now}
}

// ready makes sure that f is open and is what the path names, as it is not after logrotate has
// renamed or removed it.
func (j *journal) ready() error {
	if j.f != nil {
		named, err := os.Lstat(j.config.Path)
		if err == nil && os.SameFile(named, j.info) {
			return j.look(named.Size())
		}
		if err := j.close(); err != nil {
			return err
		}
	}
	f, err := j.disk.open(j.config.Path)
	if err != nil {
		return err
	}
	j.f = f
	if err := j.begin(); err != nil {
		j.drop()
		return err
	}
	if !j.pruned {
		j.pruned = true
		j.prune()
	}
	return nil
}

// begin learns what it has to know of a file that was just opened.
func (j *journal) begin() error {
	info, err := j.f.Stat()
	if err != nil {
		return err
	}
	known := j.info != nil && os.SameFile(info, j.info)
	j.info, j.size, j.partial = info, 0, false
	if err := j.look(info.Size()); err != nil {
		return err
	}
	if !known || j.size == 0 {
		j.began = j.firstLine()
	}
	if j.size == 0 && j.config.Sync != SyncNever {
		return j.disk.syncFolder(filepath.Dir(j.config.Path))
	}
	return nil
}

// look takes note of the file's size, which is another one if somebody else writes to the file or
// truncates it.
func (j *journal) look(size int64) error {
	if size == j.size {
		return nil
	}
	j.size, j.partial = size, false
	if size == 0 {
		j.began = j.now()
		return nil
	}
	var last [1]byte
	if _, err := j.f.ReadAt(last[:], size-1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	j.partial = last[0] != '\n'
	return nil
}

// firstLine returns when the file was begun: the time of its first message, which is near its
// begin. It is not later than now, so that a clock that was wrong holds no rotation up.
func (j *journal) firstLine() time.Time {
	now := j.now()
	if j.size == 0 {
		return now
	}
	began := j.info.ModTime()
	head := make([]byte, min(j.size, 8<<10))
	if _, err := j.f.ReadAt(head, 0); err == nil || errors.Is(err, io.EOF) {
		_, rest, _ := bytes.Cut(head, []byte(`,"time":"`))
		text, _, _ := bytes.Cut(rest, []byte(`"`))
		if at, err := time.Parse(time.RFC3339Nano, string(text)); err == nil {
			began = at
		}
	}
	if began.After(now) {
		return now
	}
	return began
}

// append appends whole lines, which end at the offsets ends of chunk, and returns how many are in
// the file. A line that is only partly written is removed again; if that fails as well, a line
// break ends it before the next one.
func (j *journal) append(chunk []byte, ends []int) (int, error) {
	if err := j.complete(); err != nil {
		return 0, err
	}
	if j.size == 0 {
		j.began = j.now()
	}
	n, err := j.write(chunk)
	if err == nil && n < len(chunk) {
		err = io.ErrShortWrite
	}
	j.dirty = j.dirty || n > 0
	if err == nil {
		j.size += int64(n)
		return len(ends), nil
	}
	lines, whole := 0, 0
	for lines < len(ends) && ends[lines] <= n {
		whole = ends[lines]
		lines++
	}
	if whole < n {
		// What could not be removed is found when the file is opened again.
		_ = j.f.Truncate(j.size + int64(whole))
	}
	j.drop()
	return lines, err
}

// write writes to the file what the fence lets pass.
func (j *journal) write(p []byte) (int, error) {
	if err := j.config.Fence.Check(); err != nil {
		return 0, err
	}
	return j.f.Write(p)
}

// complete ends a line of which only a part is there.
func (j *journal) complete() error {
	if !j.partial {
		return nil
	}
	if _, err := j.write([]byte{'\n'}); err != nil {
		j.drop()
		return err
	}
	j.size++
	j.partial, j.dirty = false, true
	return nil
}

// sync waits until the disk has what was written. If it fails nobody knows what the disk has.
func (j *journal) sync() error {
	if !j.dirty || j.f == nil {
		return nil
	}
	j.dirty = false
	if err := j.f.Sync(); err != nil {
		j.drop()
		return fmt.Errorf("the disk may not have the last lines: %w", err)
	}
	return nil
}

// mark makes the present end of the file what undo returns to.
func (j *journal) mark() { j.markInfo, j.markSize = j.info, j.size }

// undo removes what was written since mark, which a retry will write again.
func (j *journal) undo() {
	if j.ready() == nil && j.markInfo != nil && os.SameFile(j.info, j.markInfo) &&
		j.size > j.markSize {
		_ = j.f.Truncate(j.markSize)
		j.drop()
	}
}

// close closes the file after the disk has it.
func (j *journal) close() error {
	if j.f == nil {
		return nil
	}
	if j.config.Sync != SyncNever {
		if err := j.sync(); err != nil {
			return err
		}
	}
	return j.drop()
}

// drop closes the file as it is, so that it is opened and looked at again.
func (j *journal) drop() error {
	if j.f == nil {
		return nil
	}
	f := j.f
	j.f = nil
	return f.Close()
}
