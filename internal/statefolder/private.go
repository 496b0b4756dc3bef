package statefolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// checkPrivate returns why others may have put something into a folder or may read a file, such as
// the key of the digests, and what to do about it. The group may write, since volumes are given to
// the process so in Kubernetes (fsGroup).
func checkPrivate(info fs.FileInfo, path string, others fs.FileMode) error {
	owner, known := ownerOf(info)
	switch self := os.Geteuid(); {
	case !known:
		return nil
	case owner != self && owner != 0:
		return fmt.Errorf("%s belongs to the user %d, and informerd runs as %d: use a folder that informerd makes", path,
			owner, self)
	case info.Mode().Perm()&others != 0:
		return fmt.Errorf("%s is open to everybody (mode %04o): remove it, or chmod it if nobody else has used it", path,
			info.Mode().Perm())
	}
	return nil
}

// checkFolder returns why the folder for state, or what is in it, may not be informerd's own. What
// is compiled is checked by the host of handlers.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	if err == nil {
		err = checkPrivate(info, dir, 0o002)
	}
	if err != nil {
		return err
	}
	folders := []string{dir, CheckpointIn(dir, ""), filepath.Join(dir, clustersFolder)}
	clusters, _ := os.ReadDir(folders[2]) // what is wrong with it is found below
	for _, c := range clusters {
		folders = append(folders, filepath.Join(folders[2], c.Name()), CheckpointIn(dir, c.Name()))
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			info, err := e.Info()
			switch {
			case err != nil || e.Name() == CompiledFolder:
			case e.Type()&fs.ModeSymlink != 0:
				return fmt.Errorf("%s is a symbolic link, and what is in the folder must be there itself: remove it", path)
			default:
				if err := checkPrivate(info, path, 0o002); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
