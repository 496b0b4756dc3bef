package jsontext

import (
	"testing"

	"pgregory.net/rapid"
)

// The end of a string is behind the first quote that no backslash is before, whatever else is in it,
// also of one that is cut off.
func TestStringEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := `{"` + rapid.StringOfN(rapid.RuneFrom([]rune("\"\"\\\\ab \nä")), 0, 80, -1).Draw(t, "text")
		want := len(s)
		for i := 2; i < len(s); i++ {
			if s[i] == '\\' {
				i++
			} else if s[i] == '"' {
				want = i + 1
				break
			}
		}
		if got := StringEnd(s, 1); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	})
}
