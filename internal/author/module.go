package author

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxModule is more than the host accepts, so that the host's error reports a module that is too
// large.
const maxModule = 64 << 20

// readModule reads a module's file.
func readModule(path string) ([]byte, error) {
	data, err := readFile(path, maxModule)
	if err != nil {
		return nil, fmt.Errorf("the module cannot be read: %w", err)
	}
	return data, nil
}

// readFile reads a regular file of at limit limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path, limit)
}

func readAll(r io.Reader, path string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: it has more than %d bytes", path, limit)
	}
	return data, nil
}

// sole returns the only module in a folder.
func sole(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.wasm"))
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf(
			"which module? There is none in %s: build it", dir)
	case len(found) > 1:
		return "", fmt.Errorf("which module? In %s are %s: keep one", dir,
			strings.Join(names(found), ", "))
	}
	return found[0], nil
}

func names(paths []string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = filepath.Base(path)
	}
	return all
}
