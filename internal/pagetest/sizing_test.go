package pagetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSizing writes the table of docs/operating.md, with the figures of bench/RESULTS.md.
func TestSizing(t *testing.T) {
	results, err := os.ReadFile(filepath.Join(root, "bench", "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "docs/operating.md", "sizing", sizing(t, string(results)))
}

// sizing returns the rows of informerd's core in the table of costs, with the sizes of the other
// one.
func sizing(t *testing.T, results string) string {
	sizes := map[string]string{}
	_, figures, _ := strings.Cut(results, "## Figures to reach, by kind\n")
	figures, _, _ = strings.Cut(figures, "\n## ")
	for line := range strings.Lines(figures) {
		if cells := cellsOf(line); len(cells) > 1 {
			sizes[cells[0]] = cells[1]
		}
	}
	_, costs, _ := strings.Cut(results, "## Costs of each kind\n")
	costs, _, _ = strings.Cut(costs, "\n<!--")
	var b strings.Builder
	b.WriteString("| kind of object | bytes of each | memory of each | CPU of each in the first list | CPU of an event |\n|---|---|---|---|---|\n")
	kind, rows := "", 0
	for line := range strings.Lines(costs) {
		cells := cellsOf(line)
		if len(cells) < 5 {
			continue
		}
		if cells[0] != "" {
			kind = cells[0]
		}
		if cells[1] == "core" {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", kind, sizes[kind], cells[4], cells[2],
				cells[3])
			rows++
		}
	}
	if rows < 10 {
		t.Fatalf("bench/RESULTS.md has only %d kinds of objects", rows)
	}
	return b.String()
}

func cellsOf(row string) (cells []string) {
	row = strings.TrimSpace(row)
	if !strings.HasPrefix(row, "|") {
		return nil
	}
	for cell := range strings.SplitSeq(strings.Trim(row, "|"), "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}
