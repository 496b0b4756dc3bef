package informer

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// conformanceItems are the items that conformance/README.md must have, in its order: the profile, the
// behaviours 1 to 100 with their details, the defects, and what goes beyond the reference.
func conformanceItems() (items []string) {
	for i := range 16 {
		items = append(items, fmt.Sprint("P", i+1))
	}
	details := map[int]string{
		3: "a", 9: "a", 10: "abc", 14: "a", 18: "a", 23: "a", 24: "a", 25: "a", 26: "a", 27: "ab",
		28: "ab", 29: "a", 33: "a",
		36: "a", 40: "a", 41: "abcd", 47: "a", 48: "ab", 50: "a", 54: "abc", 60: "a", 70: "a",
		73: "a", 76: "a", 80: "a",
		81: "a", 85: "a", 92: "a", 93: "a", 99: "a", 100: "ab",
	}
	for i := range 100 {
		items = append(items, fmt.Sprint(i+1))
		for _, letter := range details[i+1] {
			items = append(items, fmt.Sprint(i+1, string(letter)))
		}
	}
	return append(items, "Da", "Db", "Dc", "Dd", "De1", "De2", "De3", "De4", "L1", "L2", "L3", "L4",
		"L5", "C1", "C2")
}

// conformanceRow is one row of one table.
type conformanceRow struct {
	line              int
	item, ours, tests string
}

// TestConformanceTable keeps conformance/README.md true: it has every item once and in order, and
// each item has tests that exist, or a reason why there is none.
func TestConformanceTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("conformance", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, problems := conformanceRows(string(text))
	problems = append(problems, checkConformance(rows, conformanceItems(), testNames(t))...)
	for _, problem := range problems {
		t.Error("conformance/README.md: " + problem)
	}
}

// conformanceRows reads all tables whose first column is called item. The columns before the last
// one count as reason.
func conformanceRows(text string) (rows []conformanceRow, problems []string) {
	columns := 0
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for c := range cells {
			cells[c] = strings.TrimSpace(cells[c])
		}
		switch {
		case cells[0] == "item":
			columns = len(cells)
		case columns == 0 || strings.HasPrefix(cells[0], "---"):
		case len(cells) != columns:
			problems = append(problems,
				fmt.Sprintf("line %d has %d cells, want %d", i+1, len(cells), columns))
		default:
			rows = append(rows, conformanceRow{i + 1, cells[0], cells[2], cells[columns-1]})
		}
	}
	return rows, problems
}

var testName = regexp.MustCompile(`^([a-z]+\.)?Test[A-Z0-9]\w*$`)

func checkConformance(rows []conformanceRow, items []string,
	tests map[string]bool) (problems []string) {
	for i, row := range rows {
		where := fmt.Sprintf("line %d, item %s: ", row.line, row.item)
		switch {
		case !slices.Contains(items, row.item):
			problems = append(problems, where+"there is no such item")
		case slices.ContainsFunc(rows[:i], func(r conformanceRow) bool {
			return r.item == row.item
		}):
			problems = append(problems, where+"is there twice")
		}
		why, unapplied := strings.CutPrefix(row.ours, "does not apply")
		_, reason, _ := strings.Cut(why, ": ")
		switch {
		case row.ours == "":
			problems = append(problems, where+"says nothing of ours")
		case unapplied && len(reason) < 10:
			problems = append(problems, where+"does not apply, but without a reason")
		case row.ours == "differs" || strings.HasPrefix(row.ours, "differs") &&
			!strings.HasPrefix(row.ours, "differs: "):
			problems = append(problems, where+"differs, but without a reason")
		case !unapplied && row.tests == "":
			problems = append(problems,
				where+"has neither a test nor a reason why it does not apply")
		}
		if row.tests == "" {
			continue
		}
		for _, name := range strings.Split(row.tests, ", ") {
			if !testName.MatchString(name) || !tests[name] {
				problems = append(problems, where+fmt.Sprintf("there is no test %q", name))
			}
		}
	}
	var order []string
	for _, row := range rows {
		order = append(order, row.item)
	}
	if len(problems) == 0 && len(order) == len(items) && !slices.Equal(order, items) {
		problems = append(problems, "the items are not in their order")
	}
	for _, item := range items {
		if !slices.ContainsFunc(rows, func(r conformanceRow) bool { return r.item == item }) {
			problems = append(problems, "item "+item+" is missing")
		}
	}
	return problems
}

// testNames are the tests of pkg/informer and the packages below it, and of internal/route: each by
// its name, and with its package's name in front.
func testNames(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, root := range []string{".", "../../internal/route"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil,
				parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			pkg := strings.TrimSuffix(file.Name.Name, "_test")
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil &&
					f.Name.Name != "TestMain" {
					names[f.Name.Name], names[pkg+"."+f.Name.Name] = true, true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// TestConformanceTableIsReallyChecked: what TestConformanceTable is there to find is found.
func TestConformanceTableIsReallyChecked(t *testing.T) {
	text := strings.Join([]string{
		"| item | behaviour | ours | tests |", "|---|---|---|---|",
		"| 1 | b | same | TestThere |",
		"| 1 | b | same | TestThere |",
		"| 2 | b | same | |",
		"| 3 | b | same | TestGone, TestThere |",
		"| 4 | b | differs | TestThere |",
		"| 5 | b | does not apply | |",
		"| 6 | b | does not apply: there is nothing of the kind | |",
		"| 7 | b | differs: because | event.TestThere |",
		"| 99 | b | same | helper |",
		"| 8 | b | same |",
		"", "| other | table |", "|---|---|", "| 2 | x |",
	}, "\n")
	rows, problems := conformanceRows(text)
	tests := map[string]bool{"TestThere": true, "event.TestThere": true, "helper": true}
	problems = append(problems,
		checkConformance(rows, []string{"1", "2", "3", "4", "5", "6", "7", "8"}, tests)...)
	expect(t, problems,
		"line 12 has 3 cells, want 4",
		"line 4, item 1: is there twice",
		"line 5, item 2: has neither a test nor a reason why it does not apply",
		`line 6, item 3: there is no test "TestGone"`,
		"line 7, item 4: differs, but without a reason",
		"line 8, item 5: does not apply, but without a reason",
		"line 11, item 99: there is no such item",
		`line 11, item 99: there is no test "helper"`,
		"item 8 is missing",
	)
	swapped := []conformanceRow{{1, "2", "same", "TestThere"}, {2, "1", "same", "TestThere"}}
	expect(t, checkConformance(swapped, []string{"1", "2"}, tests),
		"the items are not in their order")
}
