package wasmbin

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// custom makes a custom section.
func custom(name, content string) string {
	inner := string(byte(len(name))) + name + content
	return "\x00" + string(byte(len(inner))) + inner
}

func TestCustoms(t *testing.T) {
	file := []byte("\x00asm\x01\x00\x00\x00" + custom("a", "xyz") + "\x01\x01\x00" +
		custom("", "") + custom("\xff", "no name") + custom("b", ""))
	if _, err := Parse(file); err != nil {
		t.Fatal(err)
	}
	got := Customs(file)
	want := []Custom{{"a", []byte("xyz")}, {"", nil}, {"b", nil}}
	same := func(a, b Custom) bool { return a.Name == b.Name && bytes.Equal(a.Content, b.Content) }
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProducers(t *testing.T) {
	field := func(name string, values ...string) string {
		s := string(byte(len(name))) + name + string(byte(len(values)/2))
		for _, v := range values {
			s += string(byte(len(v))) + v
		}
		return s
	}
	whole := "\x02" + field("language", "Rust", "") + field("processed-by", "rustc", "1.63", "lld",
		"15")
	all := []producer{{"language", "Rust", ""}, {"processed-by", "rustc", "1.63"}, {
		"processed-by", "lld", "15"}}
	for content, want := range map[string][]producer{
		whole:                  all,
		whole[:len(whole)-1]:   all[:2],
		whole[:12]:             nil,
		"":                     nil,
		"\xff\xff\xff\xff\x0f": nil, // more than there can be
	} {
		if got := Producers([]byte(content)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
	many := "\x01" + "\x01x" + "\xff\x01" + strings.Repeat("\x01n\x01v", 255)
	if got := Producers([]byte(many)); len(got) != maxProducers {
		t.Errorf("%d producers are read, want %d", len(got), maxProducers)
	}
}
