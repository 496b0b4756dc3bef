package archtest

import (
	"os"
	"regexp"
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
func TestFileSizes(t *testing.T)   { report(t, checkSizes(repository(t))) }

// ARCHITECTURE.md says where things are: each file and folder that it names is there.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z.][\\w./-]*/[\\w./-]+)`").FindAllSubmatch(page, -1)
	if len(named) < 20 {
		t.Fatalf("only %d files and folders are named", len(named))
	}
	for _, name := range named {
		if _, err := os.Stat("../../" + string(name[1])); err != nil {
			t.Errorf("ARCHITECTURE.md names %s: %v", name[1], err)
		}
	}
}

func TestPackageSizes(t *testing.T) {
	report(t, checkPackageSizes(repository(t)))
}

func TestPhrases(t *testing.T) {
	sources, err := loadProse(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	report(t, checkPhrases(sources))
}

func TestWidths(t *testing.T) {
	sources, err := loadProse(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	report(t, checkWidths(sources))
}

func TestExportedNamesAreDocumented(t *testing.T) {
	found, err := checkExported(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	report(t, found)
}
