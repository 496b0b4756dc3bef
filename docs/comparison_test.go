package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each row of informerd in comparison.md links to the page that shows what it claims.
func TestComparisonShowsItsClaims(t *testing.T) {
	text, err := os.ReadFile("comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| \*\*informerd\*\* \| .*$`).FindAllString(string(text), -1)
	if n := strings.Count(string(text), "\n| | |\n"); len(rows) != n || n < 8 {
		t.Errorf("%d tables, and %d rows of informerd", n, len(rows))
	}
	link := regexp.MustCompile(`\]\(([a-z/.-]+\.md)\)`)
	for _, row := range rows {
		m := link.FindStringSubmatch(row)
		if m == nil {
			t.Errorf("no page shows it: %s", row)
			continue
		}
		if _, err := os.Stat(m[1]); err != nil {
			t.Error(err)
		}
	}
}
