package cli

import (
	"bytes"
	"errors"
	"testing"
)

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no") }

// What events have is no command of a terminal, and all of it counts as written.
func TestTerminal(t *testing.T) {
	var b bytes.Buffer
	const text = "{\"name\":\"a\u009b31m\u202e\"}\n"
	if n, err := (terminal{&b}).Write([]byte(text)); n != len(text) || err != nil ||
		b.String() != "{\"name\":\"a\\u009b31m\\u202e\"}\n" {
		t.Errorf("%d, %v: %q", n, err, b.String())
	}
	if n, err := (terminal{failing{}}).Write([]byte(text)); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	if forTerminal(&b) != &b {
		t.Error("a buffer is a terminal")
	}
}
