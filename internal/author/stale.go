package author

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sources are the extensions of files that modules are built from.
var sources = []string{".go", ".rs", ".ts", ".c", ".h", ".mod", ".sum", ".toml"}

// maxSources bounds how many files are examined: a module may be in a folder of any size.
const maxSources = 5_000

// stale returns an error if a module is older than a source in its folder, as after a failed build.
func (r *result) stale() error {
	info, err := os.Stat(r.module)
	if err != nil {
		return err
	}
	newest, when := "", info.ModTime()
	dir, seen := filepath.Dir(r.module), 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch seen++; {
		case seen > maxSources:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && path != dir &&
			(strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "target"},
				d.Name())):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(sources, filepath.Ext(path)) ||
			strings.HasSuffix(path, "_test.go"):
			return nil
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(when) {
			newest, when = path, info.ModTime()
		}
		return nil
	})
	if err != nil || newest == "" {
		return err
	}
	return fmt.Errorf("%s is older than %s, by %s: build it first", r.module, newest,
		when.Sub(info.ModTime()).Round(time.Millisecond))
}
