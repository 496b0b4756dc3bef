package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp is the time in the name of a renamed file, so that names sort by time.
const stamp = "2006-01-02T15-04-05.000"

// full reports whether a new file has to be begun before a line, after other lines that are still
// to be written. A file with only this line may have any size.
func (j *journal) full(before, line int64) bool {
	size, r := j.size+before, j.config.Rotate
	return size > 0 && (r.Size > 0 && size+line > r.Size || r.Age > 0 && j.now().Sub(j.began) >= r.Age)
}

// rotate renames the file and begins a new one. A name that exists is never taken.
func (j *journal) rotate() error {
	if err := j.complete(); err != nil {
		return err
	}
	old, err := j.archives()
	if err != nil {
		return err
	}
	at := j.now().UTC().Truncate(time.Millisecond)
	if len(old) > 0 && !at.After(old[len(old)-1].at) { // the clock was set back
		at = old[len(old)-1].at.Add(time.Millisecond)
	}
	name, err := j.reserve(at)
	if err != nil {
		return err
	}
	if err := j.disk.rename(j.config.Path, name); err != nil {
		os.Remove(name)
		return fmt.Errorf("begin a new file: %w", err)
	}
	j.pruned = false
	if err := j.close(); err != nil {
		return err
	}
	return j.ready()
}

// reserve creates an empty file under the name for a time, or a little later if that exists.
func (j *journal) reserve(at time.Time) (string, error) {
	before, after := j.pattern()
	for {
		name := filepath.Join(filepath.Dir(j.config.Path), before+at.Format(stamp)+after)
		err := j.disk.create(name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("begin a new file: %w", err)
		}
		at = at.Add(time.Millisecond)
	}
}

// prune removes the oldest renamed files beyond those that are kept, and the empty ones: their
// names were reserved by a rotation that a crash has ended.
func (j *journal) prune() {
	old, err := j.archives()
	if err != nil {
		j.late = err
		return
	}
	old = slices.DeleteFunc(old, func(a archive) bool {
		info, err := os.Lstat(a.path)
		empty := err == nil && info.Size() == 0
		if empty {
			j.remove(a)
		}
		return empty
	})
	if keep := j.config.Rotate.Keep; keep > 0 {
		for _, a := range old[:max(0, len(old)-keep)] {
			j.remove(a)
		}
	}
}

func (j *journal) remove(a archive) {
	if err := os.Remove(a.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.late = fmt.Errorf("remove an old file: %w", err)
	}
}

// archive is a renamed file.
type archive struct {
	path string
	at   time.Time
}

// archives returns the renamed files, oldest first: regular files whose name is exactly of the
// pattern.
func (j *journal) archives() ([]archive, error) {
	folder := filepath.Dir(j.config.Path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	before, after := j.pattern()
	var all []archive
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), before)
		if !ok {
			continue
		}
		if text, ok = strings.CutSuffix(text, after); !ok || !e.Type().IsRegular() {
			continue
		}
		if at, err := time.Parse(stamp, text); err == nil && at.Format(stamp) == text {
			all = append(all, archive{filepath.Join(folder, e.Name()), at})
		}
	}
	slices.SortFunc(all, func(a, b archive) int { return a.at.Compare(b.at) })
	return all, nil
}

// pattern returns what is before and after the time in the name of a renamed file.
func (j *journal) pattern() (before, after string) {
	base := filepath.Base(j.config.Path)
	after = filepath.Ext(base)
	if after == base { // .audit
		after = ""
	}
	return strings.TrimSuffix(base, after) + "-", after
}
