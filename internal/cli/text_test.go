package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
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

// What a file or a flag is called is shown as text, too: in a pull request it is another's.
func TestErrorsAreShownAsText(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"status", "a\x1b[31m\u202e.yaml"}, {"reload", "a\u009b31m\u200b.yaml"},
		{"watch", "--a\x1b[31m"}, {"plugin", "inspect", "a\x1b[31m\u2028.wasm"}} {
		var out, errs bytes.Buffer
		args[len(args)-1] = filepath.Join(dir, args[len(args)-1])
		code := execute(args, nil, &out, &errs)
		if text := out.String() + errs.String(); code == 0 || strings.ContainsAny(text, "\x1b\u202e\u009b\u200b\u2028") ||
			!strings.Contains(text, `31m`) {
			t.Errorf("%q: exit code %d, %q", args, code, text)
		}
	}
}
