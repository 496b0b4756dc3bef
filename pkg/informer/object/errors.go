package object

import "github.com/informerd/informerd/pkg/informer/object/internal/scan"

// ErrTruncated is the error of a text that ends before its value does. A caller that reads from a
// stream reads more of it and tries again.
var ErrTruncated = scan.ErrTruncated

// ObjectError is the error of a watch event whose object is malformed.
type ObjectError struct{ Err error }

// Error returns the text of the reason.
func (e *ObjectError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ObjectError) Unwrap() error { return e.Err }
