package archtest

import (
	"fmt"
	"strings"
)

// pkg is one package as its source has it. A test package (x_test) belongs to the package it tests.
type pkg struct {
	folder string // relative to the repository, "." for its root
	module string // the module's path
	files  []file
}

type file struct {
	path    string // relative to the repository
	test    bool
	lines   int
	doc     bool // it has a package doc comment
	imports []imported
}

type imported struct {
	path string
	line int
}

// checkImports returns what breaks layers, bans and homes. These are about the root module: the
// others are programs and guests of their own.
func checkImports(pkgs []pkg) []string {
	var found []string
	for _, p := range pkgs {
		if p.module != rootModule {
			continue
		}
		own, ownFolder := layerOf(p.folder)
		if own < 0 {
			found = append(found,
				fmt.Sprintf("%s: the folder is in no layer; add it to layers in internal/archtest/rules.go", p.folder))
			continue
		}
		for _, f := range p.files {
			for _, imp := range f.imports {
				for _, problem := range importProblems(f, imp, own, ownFolder) {
					found = append(found, fmt.Sprintf("%s:%d: %s must not import %s: %s", f.path,
						imp.line, ownFolder, imp.path, problem))
				}
			}
		}
	}
	return found
}

func importProblems(f file, imp imported, own int, ownFolder string) []string {
	var problems []string
	if target, inside := strings.CutPrefix(imp.path, rootModule+"/"); inside {
		// A folder that is in no layer is reported for itself.
		if of, folder := layerOf(target); folder != "" && folder != ownFolder && of >= own {
			problems = append(problems, layers[own].why)
		}
	}
	for _, b := range bans {
		if ownFolder == b.folder && anyContains(b.imports, imp.path) &&
			!anyContains(b.except, imp.path) {
			problems = append(problems, b.why)
		}
	}
	for _, h := range homes {
		if anyContains(h.imports, imp.path) && !anyContains(h.folders, ownFolder) &&
			(!h.tests || !f.test) {
			problems = append(problems,
				fmt.Sprintf("its home is %s: %s", strings.Join(h.folders, " and "), h.why))
		}
	}
	return problems
}

// layerOf returns the index of the layer and the folder in it that path belongs to, or -1 and "".
func layerOf(path string) (index int, folder string) {
	index = -1
	for i, l := range layers {
		for _, f := range l.folders {
			if contains(f, path) && len(f) > len(folder) {
				index, folder = i, f
			}
		}
	}
	return index, folder
}

// checkDocs returns the packages that do not have exactly one doc comment.
func checkDocs(pkgs []pkg) []string {
	var found []string
	for _, p := range pkgs {
		var source bool
		var docs []string
		for _, f := range p.files {
			source = source || !f.test
			if f.doc {
				docs = append(docs, f.path)
			}
		}
		switch {
		case len(docs) > 1:
			found = append(found, fmt.Sprintf("%s: %d package doc comments, in %s: keep one",
				p.folder, len(docs), strings.Join(docs, ", ")))
		case len(docs) == 0 && source:
			found = append(found,
				fmt.Sprintf("%s: no package doc comment: say what the package promises", p.folder))
		}
	}
	return found
}

// contains reports whether path is the folder (or module) or something below it.
func contains(folder, path string) bool {
	rest, found := strings.CutPrefix(path, folder)
	return found && (rest == "" || rest[0] == '/')
}

func anyContains(folders []string, path string) bool {
	for _, f := range folders {
		if contains(f, path) {
			return true
		}
	}
	return false
}
