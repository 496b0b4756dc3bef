package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
)

// MaxSize bounds the length of a value in bytes.
const MaxSize = 16 << 10

// Value is a text that may be a secret. The zero Value is unset: it reads as "". Copies share the
// state of a file, and a Value is safe for concurrent use.
type Value struct {
	in *source
}

// source is where a text is.
type source struct {
	where string
	// A literal text is in a closure: fmt shows what it finds in an unexported field of a struct,
	// without asking Format.
	read func() (string, error)
}

// Literal returns a Value that is the text itself.
func Literal(text string) Value {
	if text == "" {
		return Value{}
	}
	return Value{&source{"a text", func() (string, error) { return text, nil }}}
}

// FromEnv returns a Value that is in an environment variable.
func FromEnv(name string) Value {
	where := "the environment variable " + name
	return Value{&source{where, func() (string, error) {
		text := os.Getenv(name)
		if text == "" {
			return "", absent(where + " is not set, or empty")
		}
		return text, nil
	}}}
}

// FromFile returns a Value that is in a file.
func FromFile(path string) Value {
	where := "the file " + path
	file := &file{Path: path, Max: MaxSize}
	return Value{&source{where, func() (string, error) {
		data, _, err := file.Read()
		if err != nil {
			return "", err
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
		if text == "" {
			return "", errors.New(where + " is empty")
		}
		return text, nil
	}}}
}

// absent is the error of a value that is not there.
type absent string

func (a absent) Error() string { return string(a) }

// Is reports whether target is fs.ErrNotExist, as it is for files that are not there.
func (absent) Is(target error) bool { return target == fs.ErrNotExist }

// IsZero reports whether the Value is unset.
func (v Value) IsZero() bool { return v.in == nil }

// Read returns the current text.
func (v Value) Read() (string, error) {
	if v.in == nil {
		return "", nil
	}
	text, err := v.in.read()
	if err != nil {
		return "", err
	}
	if len(text) > MaxSize {
		return "", fmt.Errorf("%s has more than %d bytes", v, MaxSize)
	}
	return text, nil
}

// Header returns the current text for a header, in which a line break would begin another one.
func (v Value) Header() (string, error) {
	text, err := v.Read()
	if err != nil {
		return "", err
	}
	if strings.ContainsFunc(text, isControl) {
		return "", errors.New("the value has a control character in it, such as a line break")
	}
	return text, nil
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// String returns where the text is, never the text.
func (v Value) String() string {
	if v.in == nil {
		return "nothing"
	}
	return v.in.where
}

// Format writes where the text is, whatever the verb.
func (v Value) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, v.String()) }

// LogValue returns where the text is.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// MarshalText writes where the text is, for encoding/json as well.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }
