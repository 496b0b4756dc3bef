package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	words := []string{"resync", "retry", "outputs", "on", "informer", "workers"}
	for _, test := range []struct {
		name  string
		known []string
		want  []string
	}{
		{"resnc", words, []string{"resync"}},
		{"resycn", words, []string{"resync"}}, // a swap is one step
		{"Outputs", words, []string{"outputs"}},
		{"output", words, []string{"outputs"}},
		{"no", words, []string{"on"}},
		{"x", words, nil},
		{"x", []string{"y"}, nil},
		{"", words, nil},
		{"ab", []string{"abc", "aa", "ab"}, []string{"ab", "aa", "abc"}},
		{"ab", []string{"aa", "aa"}, []string{"aa"}},
		{"zzzzzzz", words, nil},
		{strings.Repeat("a", 200), []string{strings.Repeat("a", 200)}, nil},
	} {
		if got := names(test.name, test.known, 5); !slices.Equal(got, test.want) {
			t.Errorf("Names(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestNamesLimit(t *testing.T) {
	if got := names("pod", []string{"pods", "podd", "poda"}, 2); !slices.Equal(got,
		[]string{"poda", "podd"}) {
		t.Errorf("got %q", got)
	}
}

func TestName(t *testing.T) {
	if name, ok := Name("wrkers", []string{"on", "workers"}); name != "workers" || !ok {
		t.Errorf("Name = %q, %v", name, ok)
	}
	if name, ok := Name("wrkers", []string{"on"}); name != "" || ok {
		t.Errorf("Name = %q, %v", name, ok)
	}
}
