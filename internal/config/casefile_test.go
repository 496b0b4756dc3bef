package config

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config/document"
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

func readNote(text string) (*document.File, note, error) {
	var n note
	d, err := ReadDocument("note", "n.yaml", []byte(text), &n)
	if err != nil {
		return nil, n, err
	}
	CheckHandler(d, &n.Grants, &n.Limits, "")
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
		"":                                      "n.yaml: the note is empty",
		"# nothing":                             "n.yaml: the note is empty",
		"a: 1\n---\nb: 2":                       "n.yaml:2:1: a second document begins here, and a note is one document",
		"[1]":                                   "n.yaml:1:1: the note must be a mapping, is a list",
		"titel: x":                              `n.yaml:1:1: unknown field "titel"; did you mean "title"?`,
		"title: 1\nsize: x":                     "n.yaml:1:8: title must be a string, is the number 1\nn.yaml:2:7: size must be a whole number, is the string \"x\"",
		"limits: {fuel: -1}":                    "n.yaml:1:16: limits.fuel must be 0 to 2000000000, is -1",
		"grants: {log: {level: loud}}":          "n.yaml:1:23: grants.log.level must be debug, info, warn or error, is \"loud\"",
		"a: &a [*a]":                            `n.yaml:1:1: unknown field "a"; did you mean "at"?`,
		"free: &a [*a]":                         "n.yaml:1:11: values are nested deeper than 100 levels",
		"title: \x00":                           "n.yaml:1:8: the character U+0000 is not allowed",
		"title: \xff":                           "n.yaml:1:8: byte 0xff is not UTF-8",
		"title: [":                              "n.yaml:1:1: not YAML: did not find expected node content\n  title: [\n  ^",
		strings.Repeat("#", document.MaxSize+1): "n.yaml: the note is larger than 1048576 bytes",
		"free: " + bomb(25) + "\ntitle: *a24":   "n.yaml:",
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
