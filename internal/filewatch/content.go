package filewatch

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// content is what files have in them. The zero content is that of none.
type content struct {
	files map[string]state
}

// state is what is known of a file.
type state struct {
	info    fs.FileInfo // nil if missing
	digest  [sha256.Size]byte
	missing bool // or not a regular file, or it cannot be read
}

// compare reports whether files differ from those of the last call.
func (c *content) compare(paths []string) (changed bool) {
	now := map[string]state{}
	for _, path := range paths {
		for _, file := range matching(path) {
			now[file] = look(file, c.files[file])
		}
	}
	changed = !maps.EqualFunc(now, c.files, func(a, b state) bool {
		return a.digest == b.digest && a.missing == b.missing
	})
	c.files = now
	return changed
}

// add makes the files those to be compared. What is known of them stays.
func (c *content) add(paths []string) {
	now := map[string]state{}
	for _, path := range paths {
		for _, file := range matching(path) {
			before, known := c.files[file]
			if now[file] = before; !known {
				now[file] = look(file, state{})
			}
		}
	}
	c.files = now
}

// matching returns the files that a path or a pattern stands for.
func matching(path string) []string {
	if found, err := filepath.Glob(path); err == nil && len(found) > 0 {
		return found
	}
	return []string{path}
}

// settled is how old a file must be for its time and size to say that it is as before: time stamps
// have a resolution.
const settled = 2 * time.Second

// maxRead is how much of a file is compared. Beyond, its size and time are.
const maxRead = 64 << 20

// look returns the state of a file, which is read if it may have changed.
func look(path string, before state) state {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return state{missing: true}
	}
	// Another file may have the same time and size: those of archives often have a fixed time.
	if was := before.info; was != nil && os.SameFile(info, was) &&
		info.ModTime().Equal(was.ModTime()) && info.Size() == was.Size() &&
		time.Since(info.ModTime()) > settled {
		return state{info: info, digest: before.digest}
	}
	return digest(path)
}

// digest returns the state of a file, which it reads. A pipe that has taken its place is not waited
// for.
func digest(path string) state {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return state{missing: true}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return state{missing: true}
	}
	now := state{info: info}
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxRead))
	if err != nil {
		return state{missing: true}
	}
	if n == maxRead {
		fmt.Fprint(sum, info.Size(), info.ModTime().UnixNano())
	}
	sum.Sum(now.digest[:0])
	return now
}

// maxLinks is how many symbolic links a path is followed through.
const maxLinks = 16

// through adds the folders in which something has to change for a path to lead to another file.
func through(path string, folders map[string]bool) {
	for range maxLinks {
		if folder := filepath.Dir(path); !strings.ContainsAny(folder, `*?[`) {
			folders[folder] = true
		} else {
			through(folder, folders)
			for _, match := range matching(folder) {
				folders[match] = true
			}
		}
		for up := filepath.Dir(path); up != filepath.Dir(up); up = filepath.Dir(up) {
			if isLink(up) {
				folders[filepath.Dir(up)] = true
			}
		}
		target, err := os.Readlink(path)
		if err != nil {
			return
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
