package configs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// README.md lists every configuration, and what it links to exists. Each file begins with a comment
// that says what it does.
func TestReadmeListsConfigurations(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations: %v", err)
	}
	for _, file := range files {
		if !strings.Contains(string(readme), "\n| ["+file+"]("+file+") | ") {
			t.Errorf("README.md does not list %s", file)
		}
	}
	recipes, err := filepath.Glob("recipes/*.yaml")
	if err != nil || len(recipes) != 30 { // as README.md says
		t.Errorf("%d recipes: %v", len(recipes), err)
	}
	for _, file := range append(files, recipes...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// A comment such as "# configs/slack.yaml" names the file, the next one describes it.
		head, _, _ := strings.Cut(string(text), "\napiVersion:")
		head = strings.TrimPrefix(head, "# configs/"+filepath.ToSlash(file)+"\n#\n")
		if !strings.HasPrefix(head, "# ") || len(head) < 50 || strings.Contains(head, ".yaml\n#\n") {
			t.Errorf("%s does not begin with what it does: %q", file, head)
		}
	}
}
