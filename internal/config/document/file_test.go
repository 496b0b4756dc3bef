package document

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestAddToItems(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"items:\n- name: a\n- name: b", "items:\n- name: a\n  text: 0\n- name: b\n  text: 1\n"},
		{"items:\n  -   name: a\n      text2: |\n        x\n        # y\n\n\n  # about b\n  - name: b\n\ntitle: x\n",
			"items:\n  -   name: a\n      text2: |\n        x\n        # y\n      text: 0\n\n\n  # about b\n  - name: b\n    text: 1\n\ntitle: x\n"},
		{"items:\n  - {name: a}\n  - name: b\n", ""},
		{"items: [{name: a}, {name: b}]\n", ""},
		{"items:\n  - a\n  - name: b\n", ""},
		{"title: x", ""},
		{"items: x", ""},
	} {
		var any map[string]json.RawMessage
		d, err := Read(&Kind{Noun: "note"}, "n.yaml", []byte(c.before), &any)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.AddToItems("items", map[int]string{0: "text: 0\n", 1: "text: 1"})
		if string(got) != c.after || (err == nil) != (c.after != "") {
			t.Errorf("%q: got %q, %v\nwant %q", c.before, got, err, c.after)
		}
	}
}

// Whatever the text, what is added to is still read, with what was there, or it is an error.
func FuzzAddToItems(f *testing.F) {
	for _, text := range []string{
		"items:\n- name: a\n- name: b\n  text: |\n    x\n    # y\n# z\ntitle: x\n",
		"items:\n  - name: >\n\n      b\n\n", "items:\n- name: 'a\n   b'\n",
		"items:\n - name: >1\n    0"} {
		f.Add(text)
		f.Add(strings.TrimRight(text, "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		type thing struct {
			Name  string `json:"name"`
			Added string `json:"added"`
		}
		type file struct {
			Items []thing `json:"items"`
			Title string  `json:"title"`
		}
		var before, after file
		d, err := Read(&Kind{Noun: "note"}, "n.yaml", []byte(text), &file{})
		if err != nil {
			return
		}
		// A text in YAML may end with the line break that is added to the file.
		whole, err := Read(&Kind{Noun: "note"}, "n.yaml",
			[]byte(strings.TrimSuffix(text, "\n")+"\n"), &before)
		if err != nil || whole.Err() != nil || d.Err() != nil || len(before.Items) == 0 || before.Items[0].Added != "" {
			return
		}
		out, err := d.AddToItems("items", map[int]string{0: "added: yes1\n"})
		if err != nil {
			return
		}
		again, err := Read(&Kind{Noun: "note"}, "n.yaml", out, &after)
		if err != nil || again.Err() != nil {
			t.Skip() // who adds reads again, and does not write what cannot be read
		}
		before.Items[0].Added = "yes1"
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q became %q: %+v, want %+v", text, out, after, before)
		}
	})
}

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
