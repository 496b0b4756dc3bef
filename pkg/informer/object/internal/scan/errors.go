package scan

import (
	"errors"
	"fmt"
)

// ErrTruncated says that the text ends before the value does.
var ErrTruncated = errors.New("unexpected end of JSON text")

// maxDepth is how deep arrays and objects may nest, the limit of encoding/json.
const MaxDepth = 10000

// SyntaxError says where a text stops being a JSON object that informerd takes. It never quotes the
// text itself, since that may be a Secret.
type SyntaxError struct {
	Offset int // in bytes
	Err    error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("offset %d: %v", e.Offset, e.Err) }

// Unwrap returns the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }

func Unexpected(s string, i int, want string) error {
	if i >= len(s) {
		return &SyntaxError{Offset: len(s), Err: ErrTruncated}
	}
	return &SyntaxError{Offset: i, Err: fmt.Errorf("expected %s, found %q", want, s[i])}
}

func CheckDepth(i, depth int) error {
	if depth < MaxDepth {
		return nil
	}
	return &SyntaxError{Offset: i, Err: fmt.Errorf("nested deeper than %d levels", MaxDepth)}
}
