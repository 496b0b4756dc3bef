package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// size is how much there is to read of what a program is made of.
type size struct{ statements, exported int }

// linkedSize returns the size of the packages of this module that are linked into a program, for
// the operating system that it is asked on.
func linkedSize(root, program string) (size, error) {
	list := exec.Command("go", "list", "-deps", "-f",
		`{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}{{end}}{{end}}`, program)
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return size{}, fmt.Errorf("go list: %w", err)
	}
	var total size
	for path := range strings.FieldsSeq(string(out)) {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(path), nil, 0)
		if err != nil {
			return size{}, err
		}
		ast.Inspect(tree, total.add)
	}
	return total, nil
}

// add counts a part of a file. Blocks are not counted, what they consist of is.
func (s *size) add(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
	case ast.Stmt:
		s.statements++
	case *ast.FuncDecl:
		if n.Name.IsExported() {
			s.exported++
		}
	case *ast.TypeSpec:
		if n.Name.IsExported() {
			s.exported++
		}
	}
	return true
}

var sizeRow = regexp.MustCompile(`(?m)^\| (\d+) \| (\d+) \| \S.* \|$`)

// allowedSize returns the last row of the table "Size" in the changelog.
func allowedSize(changelog string) (size, error) {
	_, table, _ := strings.Cut(changelog, "\n## Size\n")
	rows := sizeRow.FindAllStringSubmatch(table, -1)
	if len(rows) == 0 {
		return size{}, fmt.Errorf("CHANGELOG.md has no row of the size")
	}
	last := rows[len(rows)-1]
	statements, _ := strconv.Atoi(last[1]) // the expression allows digits alone
	exported, _ := strconv.Atoi(last[2])
	return size{statements, exported}, nil
}
