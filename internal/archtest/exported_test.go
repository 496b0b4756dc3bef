package archtest

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestExportedNamesThatAreCaught(t *testing.T) {
	repo := fstest.MapFS{
		"pkg/a/a.go": {Data: []byte(`package a

type Bare struct{}

// Says what it is.
func Other() {}

// Kind is what an object is.
type Kind int

// Kinds of objects.
const (
	Pod Kind = iota
	Node
)

var (
	Known   = 1 // Known is a number.
	Unknown = 2
)

func (k *Kind) String() string { return "" }

// Text.
func (k Kind) Text() string { return "" }

type hidden struct{}

func (hidden) Exported() {}

// A List is several of them.
type List[T any] struct{}

func (l *List[T]) Len() int { return 0 }
`)},
		"pkg/a/a_test.go":          {Data: []byte("package a\n\nfunc Helper() {}\n")},
		"pkg/a/internal/b/b.go":    {Data: []byte("package b\n\nfunc Internal() {}\n")},
		"plugins/sdk/go/sdk.go":    {Data: []byte("package informerd\n\nconst Alone = 1\n")},
		"plugins/sdk/go/x/main.go": {Data: []byte("package main\n\nfunc Exported() {}\n")},
	}
	want := []string{
		"pkg/a/a.go:3: Bare: no doc comment",
		`pkg/a/a.go:6: Other: its doc comment does not begin with its name: "Says"`,
		"pkg/a/a.go:19: Unknown: no comment",
		"pkg/a/a.go:22: String: no doc comment",
		"pkg/a/a.go:25: Text: its doc comment is not a sentence",
		"pkg/a/a.go:34: Len: no doc comment",
		"plugins/sdk/go/sdk.go:3: Alone: no comment",
	}
	got, err := checkExported(repo)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n got %s\nwant %s", err, strings.Join(got, "\n     "),
			strings.Join(want, "\n     "))
	}
}
