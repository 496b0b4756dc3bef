package object

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// ScanValue checks the JSON value at the beginning of text, after white space, and returns the
// offset behind it.
func ScanValue(text []byte) (end int, err error) {
	s := view(text)
	c := scan.Scanner{IgnoreNames: true}
	return c.Value(s, jsontext.SkipSpace(s, 0), 0)
}
