package objects

import (
	"fmt"
	"io"
	"os"

	"github.com/informerd/informerd/internal/config/document"
)

// read reads a file, or standard input as -.
func read(path string, stdin io.Reader, limit int64) (data []byte, err error) {
	if path == "-" && stdin != nil {
		path = stdinName
		data, err = io.ReadAll(io.LimitReader(stdin, limit+1))
	} else {
		data, err = readRegular(path, limit)
	}
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: the object has more than %d bytes", path, limit)
	}
	return data, err
}

// readRegular reads a file, or a pipe that a shell has made of a command, as in <(kubectl get …),
// and at most a byte more than limit.
func readRegular(path string, limit int64) (data []byte, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeNamedPipe == 0 {
		return nil, fmt.Errorf("%s: the object cannot be read: it is not a file", path)
	}
	if f, errOpen := os.Open(path); errOpen == nil {
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, limit+1))
	} else {
		err = errOpen
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the object cannot be read: %s", path, document.Reason(err))
	}
	return data, nil
}
