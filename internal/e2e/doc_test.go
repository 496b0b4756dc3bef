package e2e

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The package's documentation lists every command of scripts, and no others.
func TestDocNamesEveryCommand(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([a-z][a-z0-9-]*)`).FindAllSubmatch(doc, -1) {
		if name := string(m[1]); !slices.Contains(named, name) {
			named = append(named, name)
		}
	}
	for name := range commands {
		if !slices.Contains(named, name) {
			t.Errorf("doc.go does not describe %s", name)
		}
	}
	for _, name := range named {
		if commands[name] == nil {
			t.Errorf("doc.go has the command %s, which does not exist", name)
		}
	}
}
