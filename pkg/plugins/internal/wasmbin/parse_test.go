package wasmbin

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

const preamble = "\x00asm\x01\x00\x00\x00"

// file makes a file of sections.
func file(sections ...[]byte) []byte {
	return append([]byte(preamble), bytes.Join(sections, nil)...)
}

func section(id byte, content string) []byte { return wasmtest.Section(id, []byte(content)) }

// withFunction has one function of type () -> () and the body given.
func withFunction(body []byte) []byte {
	m := &wasmtest.Module{}
	m.Func("f", "", "", "")
	b := m.Bytes()
	code := append(wasmtest.Uint(1), append(wasmtest.Uint(uint32(len(body))), body...)...)
	return append(b[:bytes.LastIndexByte(b, SectionCode)], wasmtest.Section(SectionCode, code)...)
}

func TestParseErrors(t *testing.T) {
	huge := "\xff\xff\xff\xff\x0f" // 2^32-1
	for _, test := range []struct {
		name string
		file []byte
		want string
	}{
		{"7 bytes", []byte(preamble)[:7], "the file is cut off: it ends within the first 8 bytes"},
		{"cut off in a section's size", file([]byte{1}),
			"the file is cut off: offset 9: unexpected end"},
		{"cut off in a section", file([]byte{1, 5, 0}),
			"the file is cut off: the type section at offset 8 states 5 bytes, 1 are left"},
		{"cut off behind the functions", withFunction(nil)[:25],
			"the file is cut off: 1 functions are declared, 0 have code"},
		{"section 13", file(section(13, "")),
			"offset 8: section 13 is not part of WebAssembly 2.0"},
		{"twice", file(section(1, "\x00"), section(1, "\x00")),
			"offset 11: the type section is out of order or a duplicate"},
		{"order", file(section(2, "\x00"), section(1, "\x00")),
			"offset 11: the type section is out of order or a duplicate"},
		{"too long a number", file([]byte("\x01\x80\x80\x80\x80\x80\x00")),
			"the file is cut off: offset 14: number is too long"},
		{"too large a number", file(section(1, "\xff\xff\xff\xff\x1f")),
			"type section: offset 15: number is too long"},
		{"bytes behind a section", file(section(1, "\x00\x00")),
			"type section: offset 11: 1 bytes too many"},
		{"types", file(section(1, huge)),
			"type section: offset 15: 4294967295 items stated, but only 0 bytes are left"},
		{"params", file(section(1, "\x01\x60"+huge)),
			"type section: offset 17: 4294967295 items stated, but only 0 bytes are left"},
		{"form of a type", file(section(1, "\x01\x61\x00\x00")),
			"type section: offset 12: type 0x61 is no function type"},
		{"value type", file(section(1, "\x01\x60\x01\x63\x00")),
			"type section: offset 14: value type 0x63 is not part of WebAssembly 2.0"},
		{"imports", file(section(2, huge)),
			"import section: offset 15: 4294967295 items stated, but only 0 bytes are left"},
		{"name of an import", file(section(2, "\x01"+huge+"abc")),
			"import section: offset 16: unexpected end"},
		{"name is not UTF-8", file(section(2, "\x01\x01\xff\x00\x00\x00")),
			"import section: offset 13: name is not valid UTF-8"},
		{"kind of an import", file(section(2, "\x01\x00\x00\x04\x00")),
			`import section: offset 14: import "" "" is of the unknown kind 4`},
		{"type of an import", file(section(2, "\x01\x00\x00\x00\x07")),
			"import section: offset 15: there is no type 7"},
		{"functions", file(section(3, huge)),
			"function section: offset 15: 4294967295 items stated, but only 0 bytes are left"},
		{"shared memory", file(section(5, "\x01\x03\x01\x01")),
			"memory section: offset 12: limits of form 0x3 (shared or 64-bit) are not part of WebAssembly 2.0"},
		{"table type", file(section(4, "\x01\x40\x00\x01")),
			"table section: offset 12: a table of type 0x40 is not part of WebAssembly 2.0"},
		{"large table", file(section(4, "\x01\x70\x00\x81\x80\x04")),
			"table section: offset 16: a table of 65537 elements, at most 65536 are allowed"},
		{"globals", file(section(6, huge)),
			"global section: offset 15: 4294967295 items stated, but only 0 bytes are left"},
		{"constant", file(section(6, "\x01\x7f\x00\x6a\x0b")),
			"global section: offset 14: instruction 0x6a in a constant expression"},
		{"elements", file(section(9, "\x01\x00\x41\x00\x0b"+huge)),
			"element section: offset 20: 4294967295 items stated, but only 0 bytes are left"},
		{"form of elements", file(section(9, "\x01\x08\x00")),
			"element section: offset 12: element segment of the unknown form 8"},
		{"locals", withFunction([]byte("\x01\xd1\x86\x03\x7f\x0b")),
			"code section: offset 34: too many local variables: at most 50000 in a function and 2000000 in all are allowed"},
		{"type of a local", withFunction([]byte("\x01\x01\x63\x70\x0b")),
			"code section: offset 32: value type 0x63 is not part of WebAssembly 2.0"},
		{"branches", withFunction([]byte("\x00" + strings.Repeat("\x02\x40\x0b", 12_001))),
			"code section: offset 36037: compiling takes too long: a function has 12001 branches; split large functions"},
		{"loops", withFunction([]byte("\x00" + strings.Repeat("\x03\x40\x0c\x00\x0b", 3_001))),
			"code section: offset 15037: compiling takes too long: a function has 12004 branches; split large functions"},
		{"memory.fill", withFunction(
			[]byte("\x00" + strings.Repeat("\x41\x00\x41\x00\x41\x00\xfc\x0b\x00", 3_001) +
				"\x0b")),
			"code section: offset 27044: compiling takes too long: a function has 12004 branches; split large functions"},
		{"type of a block", withFunction([]byte("\x00\x02\x63\x70\x0b\x0b")),
			"code section: offset 32: value type 0x63 is not part of WebAssembly 2.0"},
		{"type of a block in two bytes", withFunction([]byte("\x00\x02\xe3\x7f\x70\x0b\x0b")),
			"code section: offset 33: value type 0x63 is not part of WebAssembly 2.0"},
		{"type of a loop", withFunction([]byte("\x00\x03\x64\x70\x0b\x0b")),
			"code section: offset 32: value type 0x64 is not part of WebAssembly 2.0"},
		{"type of a block too low", withFunction([]byte("\x00\x02\xbf\x7f\x0b\x0b")),
			"code section: offset 33: block of the unknown type -65"},
		{"type of a block too high", withFunction([]byte("\x00\x02\x80\x80\x80\x80\x10\x0b\x0b")),
			"code section: offset 36: block of the unknown type 4294967296"},
		{"type of a select", withFunction([]byte("\x00\x1c\x01\x64\x70\x0b")),
			"code section: offset 33: value type 0x64 is not part of WebAssembly 2.0"},
		{"two types of a select", withFunction([]byte("\x00\x1c\x02\x7f\x7f\x0b")),
			"code section: offset 32: select with 2 types, one is needed"},
		{"type of ref.null", withFunction([]byte("\x00\xd0\x69\x0b")),
			"code section: offset 32: reference type 0x69 is not part of WebAssembly 2.0"},
		{"type of ref.null in an element", file(section(9, "\x01\x05\x70\x01\xd0\x80\x0b")),
			"element section: offset 16: reference type 0x80 is not part of WebAssembly 2.0"},
		{"vector instruction of a later version", withFunction([]byte("\x00\xfd\x80\x02\x0b")),
			"code section: offset 33: instruction 0xfd 0x80 0x2 is not part of WebAssembly 2.0"},
		{"long number of a vector instruction", withFunction([]byte("\x00\xfd\x8c\x00\x0b")),
			"code section: offset 33: instruction 0xfd 0x8c 0x0 is not part of WebAssembly 2.0"},
		{"size of a function", withFunction(make([]byte, 512<<10+2)),
			"code section: offset 34: a function has 524289 bytes, at most 524288 are allowed"},
		{"targets", withFunction([]byte("\x00\x0e" + huge)),
			"code section: offset 36: 4294967295 items stated, but only 0 bytes are left"},
		{"tail call", withFunction([]byte("\x00\x12\x00\x0b")),
			"code section: offset 31: instruction 0x12 is not part of WebAssembly 2.0"},
		{"atomic", withFunction([]byte("\x00\xfe\x03\x00\x0b")),
			"code section: offset 31: instruction 0xfe is not part of WebAssembly 2.0"},
		{"bulk", withFunction([]byte("\x00\xfc\x12\x0b")),
			"code section: offset 32: instruction 0xfc 18 is not part of WebAssembly 2.0"},
		{"data", file(section(11, "\x01\x01"+huge)), "data section: offset 17: unexpected end"},
		{"form of data", file(section(11, "\x01\x03\x00")),
			"data section: offset 12: data segment of the unknown form 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(test.file)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// What is written in an unusual but permitted way passes, and is as long as it seems.
func TestParseTakesCode(t *testing.T) {
	for _, code := range []string{
		"\x02\x40\x0b", "\x02\x7b\x0b", "\x02\x6f\x0b", "\x02\x00\x0b", "\x02\x80\x00\x0b",
		"\x02\xff\x7f\x0b",
		"\x1c\x01\x70", "\xd0\x70\x1a", "\xd0\x6f\x1a", "\xfd\x80\x01", "\xfd\xff\x01",
		"\xfd\x0c0123456789abcdef", "\xfd\x54\x00\x00\x01",
		"\xfc\x09\x00", strings.Repeat("\xfc\x0b\x00", 3_000),
	} {
		// What follows shows that the reader is where it should be: it would be refused as part of
		// anything else.
		_, err := Parse(withFunction([]byte("\x00" + code + "\x12\x00\x0b")))
		if want := fmt.Sprintf(
			"code section: offset %d: instruction 0x12 is not part of WebAssembly 2.0",
			offsetOfBody(len(code)+4)+1+len(code)+1); err == nil || err.Error() != want {
			t.Errorf("%.20q: got  %v\nwant %s", code, err, want)
		}
	}
}

// offsetOfBody is where withFunction puts a body of some length.
func offsetOfBody(length int) int {
	body := bytes.Repeat([]byte{0x01}, length)
	return bytes.Index(withFunction(body), body)
}

func TestParseOutline(t *testing.T) {
	m := &wasmtest.Module{}
	m.Import("host", "f", "iI", "I")
	m.Memory(2, 3)
	m.Table(4, -1)
	m.Export("memory", 2, 0)
	m.Func("g", "i", "", "iI")
	got, err := Parse(m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Imports) != 1 || got.Imports[0].Module != "host" || got.Imports[0].Name != "f" ||
		string(got.Imports[0].Type.Params) != "\x7f\x7e" ||
		string(got.Imports[0].Type.Results) != "\x7e" {
		t.Errorf("imports: %+v", got.Imports)
	}
	if len(got.Memories) != 1 || got.Memories[0] != (Limits{Min: 2, Max: 3, HasMax: true}) {
		t.Errorf("memories: %+v", got.Memories)
	}
	if len(got.Tables) != 1 || got.Tables[0] != (table{0x70, Limits{Min: 4}}) {
		t.Errorf("tables: %+v", got.Tables)
	}
	g, ok := got.Export("g")
	if !ok || g.Kind != KindFunc {
		t.Fatalf("export g: %+v", g)
	}
	if ft, ok := got.FuncType(g.Index); !ok || string(ft.Params) != "\x7f" || len(ft.Results) != 0 {
		t.Errorf("type of g: %+v", ft)
	}
	if _, ok := got.Export("h"); ok {
		t.Error("there is no export h")
	}
	if _, ok := got.FuncType(2); ok {
		t.Error("there is no function 2")
	}
}

// Of the custom sections the functions' names stay, unless they are broken.
func TestParseCustomSections(t *testing.T) {
	names := "\x01\x04\x01\x00\x01f"          // function 0 is called f
	locals := "\x02\x06\x01\x00\x01\x00\x01x" // its local 0 is called x
	hostile := "\x01\x05\xff\xff\xff\xff\x0f" // 2^32-1 names
	for _, test := range []struct {
		name, content, want string
	}{
		{"name", names, names},
		{"name", "\x00\x02\x01m" + names + locals, names},
		{"name", locals, ""},
		{"name", hostile, ""},
		{"name", "\x01\x09", ""},
		{"name", string(section(1, "\x01\x00\x80\x80\x01"+strings.Repeat("n", 16<<10))),
			string(section(1, "\x01\x00\x80\x80\x01"+strings.Repeat("n", 16<<10)))},
		{"name", string(section(1, "\x01\x00\x81\x80\x01"+strings.Repeat("n", 16<<10+1))), ""},
		{"name", "", ""},
		{".debug_info", "abc", ""},
	} {
		m := &wasmtest.Module{}
		m.Func("f", "", "", "")
		plain := m.Bytes()
		m.Custom(test.name, []byte(test.content))
		got, err := Parse(m.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		want := plain
		if test.want != "" {
			want = append(want[:len(want):len(want)],
				wasmtest.Section(0, []byte("\x04name"+test.want))...)
		}
		if !bytes.Equal(got.Code, want) {
			t.Errorf("%s %.100q: got  %.300q\nwant %.300q", test.name, test.content, got.Code, want)
		}
	}
}

func TestParseSurvivesMutants(t *testing.T) {
	m := &wasmtest.Module{}
	m.Import("host", "f", "iI", "I")
	m.Memory(2, 3)
	m.Table(4, 5)
	m.Global(3)
	m.Func("g", "i", "", "iI")
	m.Data(4, "hello")
	m.Custom("name", []byte("\x01\x04\x01\x00\x01f"))
	good := m.Bytes()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100_000 {
		mutant := bytes.Clone(good)
		for range 1 + random.IntN(4) {
			mutant[random.IntN(len(mutant))] = byte(random.Uint32())
		}
		mutant = mutant[:len(mutant)-random.IntN(3)]
		got, err := Parse(mutant)
		if err == nil && len(got.Code) > len(mutant)+100 {
			t.Fatalf("%q: the code has %d bytes", mutant, len(got.Code))
		}
		if err != nil && (err.Error() == "" || strings.Contains(err.Error(), "%!")) {
			t.Fatalf("%q: %q", mutant, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	m := &wasmtest.Module{}
	m.Func("g", "i", "", "iI")
	f.Add(m.Bytes())
	f.Fuzz(func(_ *testing.T, file []byte) { _, _ = Parse(file) })
}
