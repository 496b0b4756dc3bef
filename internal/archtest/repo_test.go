package archtest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository loads this repository.
func repository(t *testing.T) []pkg {
	t.Helper()
	pkgs, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

func report(t *testing.T, found []string) {
	t.Helper()
	for _, problem := range found {
		t.Error(problem)
	}
}

func TestTheWholeRepositoryIsRead(t *testing.T) {
	read := map[string]string{}
	for _, p := range repository(t) {
		read[p.folder] = p.module
	}
	for folder, module := range map[string]string{
		"pkg/informer/event":  rootModule,
		"pkg/informer/object": rootModule,
		"internal/archtest":   rootModule,
		"dev/cluster":         rootModule + "/dev/cluster",
	} {
		if read[folder] != module {
			t.Errorf("%s: module %q, want %q", folder, read[folder], module)
		}
	}
}

func TestImports(t *testing.T)     { report(t, checkImports(repository(t))) }
func TestPackageDocs(t *testing.T) { report(t, checkDocs(repository(t))) }

// ARCHITECTURE.md and others say where things are: each file and folder that they name is there.
func TestPagesNameWhatIsThere(t *testing.T) {
	path := regexp.MustCompile("`([a-z.][\\w./-]*/[\\w./-]+)`")
	for file, least := range map[string]int{"ARCHITECTURE.md": 60, "CONTRIBUTING.md": 8,
		"RATIONALE.md": 1, "README.md": 0} {
		page, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, name := range path.FindAllSubmatch(page, -1) {
			first, _, _ := strings.Cut(string(name[1]), "/")
			if !slices.Contains([]string{".", "bench", "cmd", "configs", "deploy", "dev", "docs",
				"internal", "pkg", "plugins"}, first) {
				continue
			}
			named++
			if _, err := os.Stat("../../" + string(name[1])); err != nil {
				t.Errorf("%s names %s: %v", file, name[1], err)
			}
		}
		if named < least {
			t.Errorf("%s names only %d files and folders", file, named)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	found, err := checkExported(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	report(t, found)
}

// The program grows only with a line in CHANGELOG.md that says what users get for it.
func TestSize(t *testing.T) {
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := allowedSize(string(changelog))
	if err != nil {
		t.Fatal(err)
	}
	now, err := linkedSize("../..", "./cmd/informerd")
	if err != nil {
		t.Fatal(err)
	}
	if now.statements > allowed.statements || now.exported > allowed.exported {
		t.Errorf("%d statements and %d exported names are linked into informerd, CHANGELOG.md "+
			"allows %d and %d: add a row that says what users get for it", now.statements,
			now.exported, allowed.statements, allowed.exported)
	}
	if now.statements < allowed.statements*9/10 {
		t.Errorf("%d statements are a lot less than the %d that CHANGELOG.md allows: lower its row",
			now.statements, allowed.statements)
	}
}
