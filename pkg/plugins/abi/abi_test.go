package abi_test

import (
	"os"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// The worked examples of the package doc.
func TestPackField(t *testing.T) {
	for _, test := range []struct {
		packed int64
		tag    abi.Tag
		length uint32
	}{
		{17179869191, abi.TagString, 7},
		{12884901890, abi.TagNumber, 2},
		{17179869184, abi.TagString, 0},
		{4294967300, abi.TagNull, 4},
		{0, abi.TagMissing, 0},
		{6<<32 | 0xffffffff, abi.TagObject, 0xffffffff},
	} {
		if abi.PackField(test.tag, test.length) != test.packed {
			t.Errorf("%d: packed as %d", test.packed, abi.PackField(test.tag, test.length))
		}
	}
}

// The package doc has each function with its type.
func TestDocNamesEveryFunction(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.Join(strings.Fields(string(b)), " ")
	for _, e := range abi.Exports {
		if !strings.Contains(doc, "// "+e.Name+" (") {
			t.Errorf("export %s is missing", e.Name)
		}
	}
	for _, f := range abi.Imports {
		at := strings.Index(doc, "// "+f.Module+" ")
		if at < 0 {
			t.Fatalf("module %s is missing", f.Module)
		}
		line, _, _ := strings.Cut(doc[at+strings.Index(doc[at:], "// "+f.Name+" (")+3:], " // ")
		params, result, _ := strings.Cut(strings.TrimPrefix(line, f.Name+" ("), ") -> ")
		got := ""
		for _, word := range strings.FieldsFunc(params, func(r rune) bool {
			return strings.ContainsRune(" ,()", r)
		}) {
			got += map[string]string{"i32": "i", "i64": "I"}[word]
		}
		if !abi.Import("", "", got, "").Equal(abi.Signature{Params: f.Params}) ||
			(result == "()") != (len(f.Results) == 0) ||
			len(f.Results) == 1 && result != f.Results[0].String() {
			t.Errorf("%s %s: the doc says %s", f.Module, f.Name, line)
		}
	}
}

func TestSignatureString(t *testing.T) {
	for want, f := range map[string]abi.Function{
		"() -> ()":          abi.Import("m", "f", "", ""),
		"(i32, i64) -> i64": abi.Import("m", "f", "iI", "I"),
		"() -> (i32, i32)":  abi.Import("m", "f", "", "ii"),
		"(i32) -> i32":      abi.Import("m", "f", "i", "i"),
	} {
		if got := f.Signature.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
