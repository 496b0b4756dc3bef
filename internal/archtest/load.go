package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// load reads the packages of all modules in the repository. It parses the files itself and does not
// ask the go command, which would leave out files of other operating systems and build tags.
func load(repo fs.FS) ([]pkg, error) {
	modules := map[string]string{} // folder of a go.mod -> module path
	byFolder := map[string]*pkg{}
	var folders []string // in the order of the walk
	err := fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(name, d.Name()) {
				return fs.SkipDir
			}
			return loadModule(repo, name, modules)
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, standsAlone, err := parse(repo, name)
		if err != nil || standsAlone {
			return err
		}
		folder := path.Dir(name)
		if byFolder[folder] == nil {
			byFolder[folder] = &pkg{folder: folder, module: moduleOf(modules, folder)}
			folders = append(folders, folder)
		}
		byFolder[folder].files = append(byFolder[folder].files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	pkgs := make([]pkg, 0, len(folders))
	for _, folder := range folders {
		pkgs = append(pkgs, *byFolder[folder])
	}
	return pkgs, nil
}

// skipped are the folders the go command does not look into either, and that of built programs.
func skipped(name, base string) bool {
	if name == "." {
		return false
	}
	return base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' ||
		name == "bin"
}

func loadModule(repo fs.FS, folder string, modules map[string]string) error {
	text, err := fs.ReadFile(repo, path.Join(folder, "go.mod"))
	if err != nil {
		return nil // most folders have none
	}
	for line := range strings.Lines(string(text)) {
		if m, found := strings.CutPrefix(line, "module "); found {
			modules[folder] = strings.TrimSpace(m)
			return nil
		}
	}
	return fmt.Errorf("%s: no module line", path.Join(folder, "go.mod"))
}

// moduleOf looks from the folder upwards.
func moduleOf(modules map[string]string, folder string) string {
	for {
		if m, found := modules[folder]; found || folder == "." {
			return m
		}
		folder = path.Dir(folder)
	}
}

// parse reads one file. A file is alone if it is for "go run" or a list of tools, which belong
// to no package.
func parse(repo fs.FS, name string) (f file, standsAlone bool, err error) {
	text, err := fs.ReadFile(repo, name)
	if err != nil {
		return file{}, false, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return file{}, false, err
	}
	f = file{
		path:  name,
		test:  strings.HasSuffix(name, "_test.go"),
		lines: bytes.Count(text, []byte("\n")),
		doc:   tree.Doc != nil,
	}
	for _, spec := range tree.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return file{}, false, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		f.imports = append(f.imports, imported{target, fset.Position(spec.Pos()).Line})
	}
	return f, hasIgnoreTag(tree), nil
}

func hasIgnoreTag(tree *ast.File) bool {
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if c.Pos() < tree.Package &&
				(c.Text == "//go:build ignore" || c.Text == "//go:build deps" ||
					c.Text == "//go:build tools") {
				return true
			}
		}
	}
	return false
}
