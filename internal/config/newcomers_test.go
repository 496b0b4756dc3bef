package config

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Each entry of testdata/mistakes.txt is a change of the configuration hinted, as newcomers make
// it, and what is said of it.
func TestMistakesOfNewcomers(t *testing.T) {
	const file = "testdata/mistakes.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		head, want, _ := strings.Cut(entry, "\n")
		wrong, err := strconv.QuotedPrefix(head)
		if err != nil {
			t.Fatalf("%s: %v", head, err)
		}
		by, _ := strconv.Unquote(wrong)
		what, err := strconv.Unquote(strings.TrimPrefix(head[len(wrong):], " for "))
		if err != nil || !strings.Contains(hinted, what) {
			t.Fatalf("%s: %v", head, err)
		}
		_, err = Parse("x.yaml", []byte(strings.Replace(hinted, what, by, 1)))
		if err == nil {
			t.Errorf("%s: no mistake", head)
			continue
		}
		if err.Error() != want && !*updateReference {
			t.Errorf("%s:\ngot:\n%v\nwant:\n%s", head, err, want)
		}
		found = append(found, head+"\n"+err.Error())
	}
	if *updateReference {
		if err := os.WriteFile(file, []byte(strings.Join(found, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 40 {
		t.Errorf("only %d mistakes", len(found))
	}
}
