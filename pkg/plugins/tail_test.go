package plugins

import (
	"slices"
	"strings"
	"testing"
)

func TestPlainNames(t *testing.T) {
	for name, want := range map[string]string{
		"main.f(i32) i32": "main.f(i32) i32",
		"core::ops::function::FnOnce::call_once::h0123456789abcdef(i32)":                           "core::ops::function::FnOnce::call_once(i32)",
		"_ZN7handler5inner17h0123456789abcdefE(i32) i32":                                           "handler::inner(i32) i32",
		"_ZN52_$LT$handler..Pods$u20$as$u20$informerd..Handler$GT$8on_event17h0123456789abcdefE()": "<handler::Pods as informerd::Handler>::on_event()",
		"_ZN99too_short()":        "99too_short()",
		"operator()(int)(i32)":    "operator()(int)(i32)",
		"main.(*T).Method(i32)":   "main.(*T).Method(i32)",
		"handler::h01234567(i32)": "handler::h01234567(i32)",
	} {
		if got := plainName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestTail(t *testing.T) {
	trace := "panic: at the disco\n\ngoroutine 1 [running]:\n\tmain.f()\r\n\x1b[31mred\xff\n"
	lines := []string{"panic: at the disco", "goroutine 1 [running]:", " main.f()",
		"\uFFFD[31mred\uFFFD"}
	noise := strings.Repeat(strings.Repeat("x", 99)+"\n", 500)
	for _, test := range []struct {
		name, text, first, last string
		most                    int
	}{
		{"nothing", "", "", "", 0},
		{"a panic", trace, lines[0], lines[3], 4},
		{"a panic behind much else", noise + trace, lines[0], lines[3], 4},
		{"a panic with a long trace", trace + noise[:5000], lines[0], strings.Repeat("x", 99)[:0],
			60},
		{"no panic", "one\ntwo", "one", "two", 2},
		{"the word in the middle of a line", "no panic: here", "no panic: here", "no panic: here",
			1},
	} {
		var s tail
		s.add([]byte("of the last call"))
		s.reset()
		for part := range slices.Chunk([]byte(test.text), 777) {
			s.add(part)
		}
		if len(s.kept) > 8*maxOutput {
			t.Errorf("%s: it keeps %d bytes", test.name, len(s.kept))
		}
		got := append(lastLogLines(s.bytes()), "")
		if got[0] != test.first || len(got)-1 > test.most || test.last != "" &&
			got[len(got)-2] != test.last {
			t.Errorf("%s: got %q", test.name, got)
		}
	}
}
