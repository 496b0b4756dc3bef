package author

import (
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	for _, c := range []struct{ got, want, differ string }{
		{`1`, `1.0`, ""},
		{`1e3`, `1000`, ""},
		{`0.1`, `0.10000000000000000001`, "it is 0.1, want 0.10000000000000000001"},
		{`12345678901234567890`, `12345678901234567891`,
			"it is 12345678901234567890, want 12345678901234567891"},
		{`"1"`, `1`, `it is "1", want 1`},
		{`null`, `false`, "it is null, want false"},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[1,2]}}`, ""},
		{`{"a":{"b":[1,2]},"d":1}`, `{"a":{"b":[1,3,4]},"c":"<x>"}`,
			".a.b[1] is 2, want 3 | .a.b[2] is missing, want 4 | .c is missing, want \"<x>\" | .d is not wanted, is 1"},
		{`[1,2]`, `[1]`, "[1] is not wanted, is 2"},
		{`{}`, `[]`, "it is {}, want []"},
		{`[1,2,3,4,5,6,7,8,9,10,11,12]`, `[]`,
			strings.TrimSuffix(strings.Repeat("[%] is not wanted, is # | ", 10), " | ")},
	} {
		got, err := decoded([]byte(c.got))
		if err != nil {
			t.Fatal(err)
		}
		want, err := decoded([]byte(c.want))
		if err != nil {
			t.Fatal(err)
		}
		found := differences("", got, want, nil)
		if c.differ != strings.Join(found, " | ") &&
			(!strings.Contains(c.differ, "%") || len(found) != maxDifferences) {
			t.Errorf("%s and %s: got  %s\nwant %s", c.got, c.want, strings.Join(found, " | "),
				c.differ)
		}
		if same := sameText([]byte(c.got), []byte(c.want)); same != (c.differ == "") {
			t.Errorf("%s and %s: same %v", c.got, c.want, same)
		}
	}
	if sameText([]byte("a"), []byte("b")) || !sameText([]byte("a"), []byte("a")) ||
		sameText([]byte("1 2"), []byte("1 3")) {
		t.Error("texts that are no JSON")
	}
	if long := short(strings.Repeat("x", 1000)); len(long) > maxShort+3 {
		t.Errorf("%d bytes are shown", len(long))
	}
}
