package notyaml

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// dashOf returns the column of the dash that a line begins with, from 0, -1 if it has none.
func dashOf(line string) int {
	text := strings.TrimLeft(line, " ")
	if rest := strings.TrimRight(text, " \r"); rest != "-" && !strings.HasPrefix(rest, "- ") {
		return -1
	}
	return len(line) - len(text)
}

// otherColumn finds an item of a list whose dash is not in the column of those before it.
func otherColumn(lines []string, n int) (Finding, bool) {
	if n < 2 || n > len(lines) {
		return Finding{}, false
	}
	is, item := dashOf(lines[n-1]), -1
	if is < 0 {
		return Finding{}, false
	}
	for i := n - 2; i >= 0; i-- {
		text := strings.TrimSpace(lines[i])
		if text == "" || text[0] == '#' {
			continue
		}
		dash := dashOf(lines[i])
		switch begins := spaces(lines[i]); {
		case dash == is:
			return Finding{}, false
		case dash >= 0 && dash < is: // the item around it, which has a value already
			item = i
		case dash >= 0 && (item < 0 || dash < dashOf(lines[item])):
			item = i // of a list that is indented more
			continue
		case begins > is || begins == is && item < 0:
			continue
		case item < 0:
			return Finding{}, false
		}
		break
	}
	if item < 0 {
		return Finding{}, false
	}
	column := dashOf(lines[item]) + 1
	return Finding{n, is + 1, fmt.Sprintf(
		"the dash of this item is in column %d, and that of the item before it, on line %d, in column %d",
		is+1, item+1, column),
		fmt.Sprintf("begin it in column %d: the dashes of one list are below one another", column)}, true
}

// DashWithin finds a dash that YAML takes for a part of the item before it, since it is indented
// more. Lines are those of the text.
func DashWithin(lines []string, item *yaml.Node) (f Finding, found bool) {
	if item.Kind != yaml.ScalarNode || item.Style != 0 || !strings.Contains(item.Value, " - ") ||
		item.Line < 1 || item.Line >= len(lines) {
		return f, false
	}
	before := dashOf(lines[item.Line-1])
	n := item.Line + 1
	for n < len(lines) && strings.TrimSpace(lines[n-1]) == "" {
		n++
	}
	if is := dashOf(lines[n-1]); before < 0 || is <= before {
		return f, false
	}
	return Finding{n, spaces(lines[n-1]) + 1,
		"this dash is indented more than that of the item before it, of which it is a part so",
		fmt.Sprintf("begin it in column %d", before+1)}, true
}
