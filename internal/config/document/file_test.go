package document

import (
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	for text, want := range map[string]string{"a: 1\nb: 2": "a b", "[a]": "", "": "", "a: [": "",
		"{\"kind\": 1}": "kind"} {
		if got := strings.Join(Members("f.yaml", []byte(text)), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTextAt(t *testing.T) {
	for text, want := range map[string]string{
		"state: {dir: x}\nwrong: [1":  "",
		"state: {dir: x}\nunknown: 1": "x",
		"state: {dir: [x]}":           "",
		"state: {dri: x}":             "",
		"state: x":                    "",
		"[state]":                     "",
		"":                            "",
		`{"state": {"dir": "é"}}`:     "é",
	} {
		if got := TextAt("f.yaml", []byte(text), "state", "dir"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
