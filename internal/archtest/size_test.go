package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

func TestSizeOfASource(t *testing.T) {
	const source = `package x

type A struct{}
type b struct{}

func (A) C() { if x := 1; x > 0 { return } }
func d() {}
`
	tree, err := parser.ParseFile(token.NewFileSet(), "x.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got size
	ast.Inspect(tree, got.add)
	if want := (size{3, 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSizeThatIsAllowed(t *testing.T) {
	const table = "# Changelog\n\n| 9 | 9 | another table |\n\n## Size\n\n" +
		"| statements | exported names | what for |\n|---|---|---|\n"
	if got, err := allowedSize(table + "| 7 | 8 | first |\n| 10 | 2 | sharding |\n"); err != nil ||
		got != (size{10, 2}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, rows := range []string{"", "| 11 | 3 | |\n"} { // nobody says what for
		if got, err := allowedSize(table + rows); err == nil {
			t.Errorf("%q: got %+v", rows, got)
		}
	}
}
