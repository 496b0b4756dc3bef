package config

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// note is a document that only these tests have.
type note struct {
	Title  string          `json:"title"`
	Size   *int            `json:"size"`
	At     time.Time       `json:"at"`
	Free   json.RawMessage `json:"free"`
	Grants Grants          `json:"grants"`
	Limits Limits          `json:"limits"`
	Items  []noteItem      `json:"items"`
}

type noteItem struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func readNote(text string) (*Document, note, error) {
	var n note
	d, err := ReadDocument("note", "n.yaml", []byte(text), &n)
	if err != nil {
		return nil, n, err
	}
	d.CheckHandler(&n.Grants, &n.Limits, "")
	return d, n, d.Err()
}

func TestReadDocument(t *testing.T) {
	d, n, err := readNote("title: a\nsize: 0\nfree: {b: [1.50, x]}\ngrants:\n  log: {}\n  cache: {informers: [unheard-of]}\n  kv: {persist: true}\n")
	if err != nil {
		t.Fatal(err)
	}
	if n.Title != "a" || n.Size == nil || string(n.Free) != `{"b":[1.50,"x"]}` ||
		n.Grants.Log.Level != "info" || n.Grants.Cache.MaxItems != 1000 ||
		n.Limits.Deadline.Duration != 100*time.Millisecond {
		t.Errorf("got %+v", n)
	}
	if !d.Has("grants.log") || d.Has("limits") || !d.Good("size") || d.Line("grants.cache") != 6 ||
		d.Line("items") != 0 {
		t.Error("it does not know what stands where")
	}
	if !d.Missing("", "items") || d.Missing("", "title") {
		t.Error("it does not know what is missing")
	}
}

func TestDocumentMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "n.yaml: the note is empty",
		"# nothing":                           "n.yaml: the note is empty",
		"a: 1\n---\nb: 2":                     "n.yaml:2:1: a second document begins here; a note is one document: remove the --- and what follows",
		"[1]":                                 "n.yaml:1:1: the note must be a mapping, is a list",
		"titel: x":                            `n.yaml:1:1: unknown field "titel"; did you mean "title"?`,
		"title: 1\nsize: x":                   "n.yaml:1:8: title must be a string, is the number 1; put it in quotes\nn.yaml:2:7: size must be a whole number, is the string \"x\"",
		"limits: {fuel: -1}":                  "n.yaml:1:16: limits.fuel must be 0 to 2000000000, is -1",
		"grants: {log: {level: loud}}":        "n.yaml:1:23: grants.log.level must be debug, info, warn or error, is \"loud\"",
		"a: &a [*a]":                          `n.yaml:1:1: unknown field "a"; did you mean "at"?`,
		"free: &a [*a]":                       "n.yaml:1:11: values are nested deeper than 100 levels; an alias must not contain itself",
		"title: \x00":                         "n.yaml:1:8: the character U+0000 is not allowed; save the file as UTF-8 text",
		"title: \xff":                         "n.yaml:1:8: byte 0xff is not UTF-8; save the file as UTF-8 text",
		"title: [":                            "n.yaml:1:1: not YAML: did not find expected node content",
		strings.Repeat("#", MaxSize+1):        "n.yaml: the note is larger than 1048576 bytes",
		"free: " + bomb(25) + "\ntitle: *a24": "n.yaml:",
	} {
		_, _, err := readNote(text)
		var mistakes Errors
		if !errors.As(err, &mistakes) || !strings.HasPrefix(err.Error(), want) ||
			want != "n.yaml:" && err.Error() != want {
			t.Errorf("%.40q: got %v\nwant %s", text, err, want)
		}
	}
}

// bomb is a text of a few lines whose aliases stand for 2^n values.
func bomb(n int) string {
	text := "\n  - &a0 [x, x]\n"
	for i := 1; i < n; i++ {
		a, b := "a"+string(rune('0'+i/10))+string(rune('0'+i%10)), "a"+string(rune('0'+(i-1)/10))+
			string(rune('0'+(i-1)%10))
		if i == 1 {
			b = "a0"
		}
		text += "  - &" + a + " [*" + b + ", *" + b + "]\n"
	}
	return text
}

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
		d, err := ReadDocument("note", "n.yaml", []byte(c.before), &any)
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
		"items:\n  - name: >\n\n      b\n\n", "items:\n- name: 'a\n   b'\n"} {
		f.Add(text)
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
		d, err := ReadDocument("note", "n.yaml", []byte(text), &before)
		if err != nil || d.Err() != nil || len(before.Items) == 0 || before.Items[0].Added != "" {
			return
		}
		out, err := d.AddToItems("items", map[int]string{0: "added: yes1\n"})
		if err != nil {
			return
		}
		again, err := ReadDocument("note", "n.yaml", out, &after)
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
