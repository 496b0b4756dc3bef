package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
)

// documented are the folders whose exported names users see with go doc.
var documented = []string{"pkg", "plugins/sdk/go"}

// checkExported returns the exported names of documented packages that have no sentence of their
// own: a doc comment that begins with the name and ends in a period. Constants and variables of a
// group may share the group's, or have a comment behind them.
func checkExported(repo fs.FS) ([]string, error) {
	var found []string
	for _, root := range documented {
		err := fs.WalkDir(repo, root, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (skipped(name, d.Name()) || d.Name() == "internal"):
				return fs.SkipDir
			case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			content, err := fs.ReadFile(repo, name)
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, name, content, parser.ParseComments)
			if err != nil {
				return err
			}
			if tree.Name.Name == "main" {
				return nil
			}
			for _, decl := range tree.Decls {
				for _, n := range undocumented(decl) {
					found = append(found, fmt.Sprintf("%s:%d: %s", name,
						set.Position(n.pos).Line, n.problem))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

type undocumentedName struct {
	pos     token.Pos
	problem string
}

func undocumented(decl ast.Decl) []undocumentedName {
	var found []undocumentedName
	missing := func(id *ast.Ident, doc *ast.CommentGroup) {
		if problem := sentenceProblem(id.Name, doc); problem != "" {
			found = append(found, undocumentedName{id.Pos(), problem})
		}
	}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Name.IsExported() && (decl.Recv == nil || exportedReceiver(decl.Recv)) {
			missing(decl.Name, decl.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if !spec.Name.IsExported() {
					continue
				}
				doc := spec.Doc
				if doc == nil {
					doc = decl.Doc
				}
				missing(spec.Name, doc)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					if id.IsExported() && decl.Doc == nil && spec.Doc == nil &&
						spec.Comment == nil {
						problem := id.Name + ": no comment"
						found = append(found, undocumentedName{id.Pos(), problem})
					}
				}
			}
		}
	}
	return found
}

func exportedReceiver(recv *ast.FieldList) bool {
	t := recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// sentenceProblem says what is wrong with a doc comment, "" if nothing is.
func sentenceProblem(name string, doc *ast.CommentGroup) string {
	text := strings.TrimSpace(doc.Text())
	if text == "" {
		return name + ": no doc comment"
	}
	first, _, _ := strings.Cut(text, "\n\n")
	words := strings.Fields(first)
	for len(words) > 1 && (words[0] == "A" || words[0] == "An" || words[0] == "The") {
		words = words[1:]
	}
	if strings.Trim(words[0], ",:;.()[]") != name && !strings.HasPrefix(first, "Deprecated:") {
		return fmt.Sprintf("%s: its doc comment does not begin with its name: %q", name, words[0])
	}
	if len(words) < 3 || !strings.ContainsAny(first, ".:") {
		return name + ": its doc comment is not a sentence"
	}
	return ""
}
