package starter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// File is where a configuration is written to.
type File struct {
	Path  string
	Force bool // overwrite what is there
}

// TakenError is the error of a file that would have to be overwritten.
type TakenError struct{ text string }

func (e *TakenError) Error() string { return e.text }

// Free returns an error if the file cannot be written: a TakenError if something is there.
func (f *File) Free() error {
	switch info, err := os.Lstat(f.Path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the configuration cannot be written: %w", err)
	case info.IsDir():
		return &TakenError{f.Path + " is a folder: name the file"}
	case !f.Force:
		return &TakenError{f.Path + " exists: --force overwrites it"}
	}
	return nil
}

// Write writes the file. What was made since Free is not overwritten.
func (f *File) Write(text []byte) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if f.Force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	to, err := os.OpenFile(f.Path, mode, 0o644)
	if err == nil {
		_, err = to.Write(text)
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		return fmt.Errorf("the configuration cannot be written: %w", err)
	}
	return nil
}

// Next returns the commands to run with the file that was made of wishes, one a line.
func (f *File) Next(w *Wishes) string {
	path := f.Path
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	path = shellWord(path)
	var b strings.Builder
	for _, name := range w.Variables() {
		fmt.Fprintf(&b, "  export %s=…\n", name)
	}
	fmt.Fprintf(&b, "  informerd validate %s --cluster\n  informerd run %s\n", path, path)
	return b.String()
}

// shellWord returns a text as one word of a shell.
func shellWord(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./"
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
