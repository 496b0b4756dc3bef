package scan

import (
	"errors"
	"fmt"
)

// ErrTruncated is the error of a text that ends before its value does.
var ErrTruncated = errors.New("unexpected end of JSON text")

// MaxDepth is how deep arrays and objects may nest: the limit of encoding/json.
const MaxDepth = 10000

// SyntaxError is the error of a text that is not a valid object. It never quotes the text, which
// may be a Secret.
type SyntaxError struct {
	Offset int // in bytes
	Err    error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("offset %d: %v", e.Offset, e.Err) }

// Unwrap returns the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Unexpected returns the error of a text that has something other than want at i, or ends there.
func Unexpected(s string, i int, want string) error {
	if i >= len(s) {
		return &SyntaxError{Offset: len(s), Err: ErrTruncated}
	}
	return &SyntaxError{Offset: i, Err: fmt.Errorf("expected %s, found %q", want, s[i])}
}

// CheckDepth returns an error if a container at i, with depth containers around it, is nested too
// deep.
func CheckDepth(i, depth int) error {
	if depth < MaxDepth {
		return nil
	}
	return &SyntaxError{Offset: i, Err: fmt.Errorf("nested deeper than %d levels", MaxDepth)}
}
