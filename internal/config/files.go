package config

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/informerd/informerd/internal/config/document"
)

// files is where policy files are found.
type files interface {
	// glob returns the paths that match, sorted.
	glob(pattern string) ([]string, error)
	// read returns the content, or its beginning if it is larger than document.MaxSize.
	read(path string) ([]byte, error)
}

// disk is the file system.
type disk struct{}

func (disk) glob(pattern string) ([]string, error) {
	if err := closedFolder(pattern); err != nil {
		return nil, err
	}
	matches, err := filepath.Glob(pattern)
	// A mounted ConfigMap keeps its files in a folder ..data, which is not meant by *.
	matches = slices.DeleteFunc(matches, func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), ".") && isFolderAt(path)
	})
	slices.Sort(matches)
	return matches, err
}

func isFolderAt(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// closedFolder returns an error if the pattern looks into a folder that cannot be read.
// filepath.Glob passes over it as if it were empty, and then policies would be missing without a
// word.
func closedFolder(pattern string) error {
	if !strings.ContainsAny(pattern, `*?[\`) {
		_, err := os.Lstat(pattern)
		return unlessAbsent(err)
	}
	parent := filepath.Dir(pattern)
	if parent == pattern {
		return nil
	}
	if err := closedFolder(parent); err != nil {
		return err
	}
	folders, err := filepath.Glob(parent)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := unlessAbsent(readable(folder)); err != nil {
			return err
		}
	}
	return nil
}

// readable tries to read a folder. Other files are left alone.
func readable(folder string) error {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return err
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = f.Readdirnames(1); errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func unlessAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// read refuses everything but regular files. It looks before it opens one, since opening a device
// may have effects and opening a pipe waits for a writer, and again after that, since the file may
// have been replaced.
func (disk) read(path string) ([]byte, error) {
	if err := regular(os.Stat(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := regular(f.Stat()); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, document.MaxSize+1))
}

var (
	errFolder     = errors.New("is a folder")
	errNotRegular = errors.New("is not a regular file")
)

func regular(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular():
		return errNotRegular
	}
	return nil
}

// relativeTo returns the pattern relative to a folder, whose own name is not a pattern.
func relativeTo(folder, pattern string) string {
	if filepath.IsAbs(pattern) {
		return filepath.Clean(pattern)
	}
	if filepath.Separator == '/' {
		folder = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
	}
	return filepath.Join(folder, pattern)
}

// policyFiles returns the patterns of the policies' files as others can use them.
func (c *Config) policyFiles() (patterns []string) {
	for _, entry := range c.Policies {
		if entry.Files != "" {
			patterns = append(patterns, relativeTo(filepath.Dir(c.File()), entry.Files))
		}
	}
	return patterns
}

// Files returns the files of the configuration as others can use them: its own, those of its
// policies, as patterns, the modules of its handlers, and those with values that handlers are
// given. Outputs read theirs themselves.
func (c *Config) Files() []string {
	files := append(c.OwnFiles(), c.policyFiles()...)
	for _, l := range c.ListenersInOrder() {
		if l.Handler != nil {
			files = append(files, c.handlerFiles(l.Handler)...)
		}
	}
	return files
}

func (c *Config) handlerFiles(h *Handler) (files []string) {
	if h.Wasm != "" {
		files = append(files, c.Path(h.Wasm))
	}
	if h.Grants.HTTP == nil {
		return files
	}
	for _, name := range slices.Sorted(maps.Keys(h.Grants.HTTP.Headers)) {
		if file := h.Grants.HTTP.Headers[name].FromFile; file != "" {
			files = append(files, c.Path(file))
		}
	}
	return files
}

// FilesOf returns the Files of the configuration in the files, as far as it can be read. It may
// have mistakes. What is not a regular file is not read.
func FilesOf(paths ...string) []string {
	var texts []document.Text
	for _, path := range paths {
		data, err := disk{}.read(path)
		if err != nil {
			return paths
		}
		texts = append(texts, document.Text{File: path, Data: data})
	}
	c := &Config{}
	d, err := document.ReadAll(configuration, texts, c)
	if err != nil || !rightFile(d, c.APIVersion, c.Kind, Kind) {
		return paths
	}
	c.source = d.Source
	check(c, d.Report)
	c.policies = loadPolicies(c, d.Report, disk{}).read()
	return c.Files()
}
